import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Kept open for as long as the process runs. */
let client: Socket | undefined;
let port: Promise<number> | undefined;

async function hold(): Promise<number> {
  const server = createServer((socket) => socket.unref()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
  server.unref();
  client.unref();
  return client.localPort as number;
}

/**
 * A port on 127.0.0.1 that refuses connections: the client's port of an open connection. The port of a closed server
 * would not do, since another test or program may soon listen on it.
 */
export function refusingPort(): Promise<number> {
  port ??= hold();
  return port;
}

/** The URL of that port. */
export async function refusingUrl(): Promise<string> {
  return `http://127.0.0.1:${await refusingPort()}/`;
}
