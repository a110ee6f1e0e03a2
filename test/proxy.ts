import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { selfSigned } from './runtimes/certificate.ts';

/** How a proxy refuses a tunnel. */
export type Refusal = (socket: Socket) => unknown;

const answer =
  (line: string, ...fields: readonly string[]): Refusal =>
  (socket) =>
    socket.end([`HTTP/1.1 ${line}`, ...fields, 'content-length: 2', '', 'no'].join('\r\n'));

export const refusals: Readonly<Record<string, Refusal>> = {
  'a 503': answer('503 Service Unavailable'),
  'a 502 that closes': answer('502 Bad Gateway', 'connection: close'),
  'a 429 that asks for a wait': answer('429 Too Many Requests', 'retry-after: 1'),
  'a hangup': (socket) => socket.end(),
};

export interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** A server behind it, over TLS, with a certificate that no one trusts. */
  readonly target: string;
  /** The methods of the requests that the server has got. */
  readonly methods: string[];
  /** How many tunnels the proxy was asked for. */
  readonly tunnels: () => number;
}

async function listen(server: Server, sockets: Set<Socket>): Promise<number> {
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A proxy that refuses two of three tunnels, and all but those to `localhost`. Behind it is a server that answers one request for each. */
export async function refusingProxy(refuse: Refusal): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const methods: string[] = [];
  const server = createSecureServer(selfSigned(), (request, response) => {
    methods.push(String(request.method));
    request.resume();
    response.setHeader('connection', 'close');
    // The same server, by another name.
    const location = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    if (request.url === '/redirect') response.writeHead(303, { location });
    response.end('up');
  });
  let tunnels = 0;
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }, socket: Socket) => {
    tunnels += 1;
    const { hostname, port } = new URL(`http://${url}`);
    if (tunnels % 3 !== 0 || hostname !== 'localhost') {
      refuse(socket);
      return;
    }
    const through = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(through).pipe(socket);
    });
    through.on('error', () => socket.destroy());
    sockets.add(through);
  });
  // By a name: in Node 26 axios's own proxy cannot ask a server for TLS by an IP address.
  const target = `https://localhost:${await listen(server, sockets)}/`;
  const url = `http://127.0.0.1:${await listen(proxy, sockets)}`;
  return {
    url,
    target,
    methods,
    tunnels: () => tunnels,
    async [Symbol.asyncDispose]() {
      proxy.close();
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
