import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the upstream does with one request: respond, break the connection, or read it and never respond. */
export type Answer = Reply | 'reset' | 'hang';

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body goes on after that, and nothing more comes. */
  readonly isOpen?: boolean;
}

/** A server that gives the answers of a script in turn, and repeats the last. */
export interface Upstream {
  readonly url: string;
  /** When each request arrived, in virtual milliseconds. */
  readonly arrivals: readonly number[];
  /** True while it holds a request back. */
  readonly isHolding: boolean;
  /** True if the client has closed the connection of a body that goes on. */
  readonly isLeft: boolean;
  play(script: readonly Answer[]): void;
  close(): void;
}

export async function startUpstream(): Promise<Upstream> {
  let script: readonly Answer[] = [];
  let arrivals: number[] = [];
  let held: ServerResponse | undefined;
  let isLeft = false;

  const answer = (_request: IncomingMessage, response: ServerResponse): void => {
    const step = script[Math.min(arrivals.length, script.length - 1)];
    arrivals.push(Date.now());
    if (step === 'reset') response.destroy();
    else if (step === 'hang') held = response;
    else if (step !== undefined) {
      held?.destroy();
      held = undefined;
      // The server of this process writes its own date, from virtual time.
      const date = new Date().toUTCString();
      response.sendDate = false;
      response.writeHead(step.status, { date, 'content-type': 'application/json', ...step.headers });
      if (step.isOpen) {
        response.write(step.body);
        response.on('close', () => {
          isLeft = true;
        });
      } else response.end(step.body);
    }
  };
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get arrivals() {
      return arrivals;
    },
    get isHolding() {
      return held !== undefined;
    },
    get isLeft() {
      return isLeft;
    },
    play(steps) {
      isLeft = false;
      script = steps;
      arrivals = [];
      held?.destroy();
      held = undefined;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
