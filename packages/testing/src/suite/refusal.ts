import { listenOnLoopback, nodeModule, type Socket } from './node.ts';

/** Kept open for as long as the process runs. */
let held: Promise<Socket> | undefined;

/**
 * The first of the ports to try, and their number. All are below 32,768, where systems begin to choose ports for connections: a connection
 * from its own target port is connected with itself, and not refused.
 */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

async function hold(): Promise<Socket> {
  const { createServer, connect } = nodeModule('node:net');
  const server = createServer((socket) => socket.unref());
  const serverPort = await listenOnLoopback(server);
  for (let tried = 0; ; tried += 1) {
    // The system chose the server's port at random.
    const localPort = FIRST_PORT + ((serverPort + tried) % PORTS);
    const connected = connect({ port: serverPort, host: '127.0.0.1', localPort });
    const isConnected = await new Promise<boolean>((resolve) => {
      connected.once('connect', () => resolve(true));
      // In use, perhaps.
      connected.once('error', () => resolve(false));
    });
    if (!isConnected) continue;
    server.unref();
    connected.unref();
    return connected;
  }
}

/**
 * A port on 127.0.0.1 that refuses connections: the client's port of an open connection. The port of a closed server
 * would not do, since another test or program may soon listen on it.
 */
export async function refusingPort(): Promise<number> {
  held ??= hold();
  return (await held).localPort;
}

/** The URL of that port. */
export async function refusingUrl(): Promise<string> {
  return `http://127.0.0.1:${await refusingPort()}/`;
}
