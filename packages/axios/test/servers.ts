import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach } from 'vitest';

const closing: (() => unknown)[] = [];

/** Has something closed when the test is over. */
export function afterTest(close: () => unknown): void {
  closing.push(close);
}

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Starts a server on loopback, and ends it and its connections when the test is over. */
export async function listen(server: Server | HttpServer): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterTest(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
