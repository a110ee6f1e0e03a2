import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Held for as long as the process lives. */
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
 * A port on 127.0.0.1 that refuses connections. It is the near end of a connection that stays open, since the port of a
 * server that was closed is soon that of another one: of the next test, or of any program on the machine.
 */
export function refusingPort(): Promise<number> {
  port ??= hold();
  return port;
}

/** An origin there, with its slash. */
export async function refusingUrl(): Promise<string> {
  return `http://127.0.0.1:${await refusingPort()}/`;
}
