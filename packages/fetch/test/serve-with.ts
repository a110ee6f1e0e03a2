import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

/** A server on loopback that is closed after the test. */
export interface Served {
  readonly url: string;
  /** Method and path of each request, in order. */
  readonly seen: string[];
  /** The largest number of concurrent responses, from the request to the last byte or the break. */
  readonly mostAtOnce: () => number;
}

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

export async function serveWith(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Served> {
  const seen: string[] = [];
  let underWay = 0;
  let most = 0;
  const listener: RequestListener = (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    underWay += 1;
    most = Math.max(most, underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    handler(request, response);
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, seen, mostAtOnce: () => most };
}
