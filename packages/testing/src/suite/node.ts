// The part of Node's modules that the upstream uses. They are not imported: browsers have none, and bundlers fail on their names.

/** Emits events. */
interface Emitter {
  on(event: string, listener: (value: never) => void): unknown;
  once(event: string, listener: (value: never) => void): unknown;
}

export interface Socket extends Emitter {
  readonly localPort: number;
  destroy(): void;
  unref(): void;
}

export interface IncomingRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface OutgoingResponse extends Emitter {
  setHeader(name: string, value: string): void;
  writeHead(
    status: number,
    headers?: Readonly<Record<string, string | number | readonly string[]>>,
  ): OutgoingResponse;
  write(part: string, written?: () => void): void;
  end(body?: string | Uint8Array): void;
  destroy(): void;
}

export interface Server extends Emitter {
  listening: boolean;
  keepAliveTimeout: number;
  listen(port: number, host: string): Server;
  address(): { readonly port: number };
  close(): void;
  unref(): void;
}

interface Modules {
  readonly 'node:http': {
    createServer(onRequest: (request: IncomingRequest, response: OutgoingResponse) => void): Server;
  };
  readonly 'node:net': {
    createServer(onSocket: (socket: Socket) => void): Server;
    connect(options: { readonly port: number; readonly host: string; readonly localPort?: number }): Socket;
  };
}

interface NodeLike {
  readonly process?: {
    getBuiltinModule?<Name extends keyof Modules>(name: Name): Modules[Name] | undefined;
  };
}

/** Kept from the start: a test may take it away, to try a runtime that has no such modules. */
const { process } = globalThis as NodeLike;
const builtin = process?.getBuiltinModule?.bind(process);

/**
 * A module of Node.
 *
 * @throws Error in a runtime that has none
 */
export function nodeModule<Name extends keyof Modules>(name: Name): Modules[Name] {
  const found = builtin?.(name);
  if (found === undefined) {
    throw new Error(`the suite starts its upstream with ${name}; here it needs \`mock\` or \`upstream\``);
  }
  return found;
}

/** Listens on a free port of loopback, and returns the port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  const isListening = new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  server.listen(0, '127.0.0.1');
  await isListening;
  return server.address().port;
}
