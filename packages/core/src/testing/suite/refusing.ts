import { listening, nodeModule, type Socket } from './node.ts';

/** Kept open for as long as the process runs. */
let client: Socket | undefined;
let port: Promise<number> | undefined;

async function hold(): Promise<number> {
  const { createServer, connect } = nodeModule('node:net');
  const server = createServer((socket) => socket.unref());
  client = connect(await listening(server), '127.0.0.1');
  const connected = client;
  await new Promise<void>((resolve) => connected.once('connect', resolve));
  server.unref();
  connected.unref();
  return connected.localPort;
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
