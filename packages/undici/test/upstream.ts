import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

/** A request as the upstream received it. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Upstream extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen[];
  /** How many TCP connections were opened. */
  readonly connections: () => number;
  /** How many TCP connections are open now. */
  readonly open: () => number;
}

/** Responds to a request; `number` counts from 0. */
export type Answer = (response: ServerResponse, seen: Seen, number: number) => void;

async function listen(
  server: Pick<Server, 'listen' | 'close' | 'address' | 'on'>,
  seen: Seen[],
): Promise<Upstream> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server as Server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    seen,
    connections: () => connections,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      const closed = once(server as Server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A server on loopback that responds once it has read the whole request. */
export async function upstream(answer: Answer): Promise<Upstream> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(parts) };
      answer(response, one, seen.push(one) - 1);
    });
  });
  return listen(server, seen);
}

/** A TCP server on loopback that responds with raw bytes to the headers of each request. */
export async function rawUpstream(
  answer: (socket: Socket, head: string, number: number) => void,
): Promise<Upstream> {
  const seen: Seen[] = [];
  let number = 0;
  const server = createTcpServer((socket) => {
    let text = '';
    socket.on('data', (part) => {
      text += part.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end);
        text = text.slice(end + 4);
        number += 1;
        answer(socket, head, number - 1);
      }
    });
  });
  return listen(server as unknown as Server, seen);
}

/** Responds with the given statuses first, each with a body, and then with 200 and `ok`. */
export function failing(...statuses: readonly number[]): Answer {
  return (response, _, number) => {
    const status = statuses[number];
    if (status === undefined) response.end('ok');
    else response.writeHead(status, { 'x-attempt': `${number + 1}` }).end(`no ${number + 1}`);
  };
}
