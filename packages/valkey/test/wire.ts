// Servers and proxies that behave as a bad network does.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Wire extends AsyncDisposable {
  readonly port: number;
}

/** Listens on a free port of this machine. */
export async function listen(server: Server): Promise<Wire> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A proxy that accepts connections at once and forwards nothing for `delayMs`, as a slow handshake does. */
export function slowConnections(port: number, delayMs: number): Promise<Wire> {
  const server = createServer((client) => {
    client.on('error', () => {});
    setTimeout(() => {
      const upstream = connect(port, '127.0.0.1');
      upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    }, delayMs);
  });
  return listen(server);
}

/** A server that speaks first, and neither Valkey's protocol nor TLS. */
export function otherProtocol(): Promise<Wire> {
  return listen(
    createServer((client) => {
      client.on('error', () => {});
      client.end('220 mail.example.com ESMTP\r\n');
    }),
  );
}
