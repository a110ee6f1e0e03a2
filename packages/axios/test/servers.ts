import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach } from 'vitest';

const closing: (() => unknown)[] = [];

/** Runs `close` after the test. */
export function afterTest(close: () => unknown): void {
  closing.push(close);
}

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Starts a server on loopback; it is closed after the test, with its connections. Returns its URL. */
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

/** A server that writes these bytes (Latin-1), one string to each connection, and then breaks the connection. */
export async function rawServer(...responses: string[]): Promise<string> {
  let next = 0;
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(responses[Math.min(next++, responses.length - 1)] ?? '', 'latin1', () => socket.destroy());
    });
  });
  return listen(server);
}
