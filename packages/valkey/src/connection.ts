import { property } from '@ebb/core/bucket';
import { withoutSecrets } from './store-error.ts';

/** What is known of a client's connection, beside what it replies to calls. */
export interface Connection {
  /** The last error since the connection was ready, or that there is no connection; `undefined` if there is one. */
  error(): unknown;
  /** A reply came: earlier errors are over. */
  clearError(): void;
  /** Stops listening when the last user of the client calls it. */
  release(): void;
}

type Listener = (...args: unknown[]) => void;

interface Emitter {
  on(event: string | symbol, listener: Listener): unknown;
  off(event: string | symbol, listener: Listener): unknown;
}

/** In Node, Bun and Deno. An import would keep a port of two functions out of other runtimes. */
declare const process: { getBuiltinModule?(name: string): object | undefined } | undefined;

/**
 * The event that Node emits before `error`. A listener for `error` itself would change the program: ioredis would no
 * longer print errors that have no listener, and node-redis would no longer end the process.
 */
function errorMonitor(): symbol | undefined {
  const events = typeof process === 'object' ? process.getBuiltinModule?.('node:events') : undefined;
  const monitor = property(events, 'errorMonitor');
  return typeof monitor === 'symbol' ? monitor : undefined;
}

class WatchedClient {
  readonly #client: Emitter;
  readonly #listeners: [string | symbol, Listener][];
  #last: unknown;
  users = 0;

  constructor(client: Emitter) {
    this.#client = client;
    const keep = (error: unknown): void => {
      this.#last = withoutSecrets(error);
    };
    const monitor = errorMonitor();
    this.#listeners = [
      ...(monitor === undefined ? [] : ([[monitor, keep]] as [symbol, Listener][])),
      // Clusters: of iovalkey and ioredis, and of node-redis.
      ['node error', keep],
      ['node-error', keep],
      // Without a listener for errors iovalkey and ioredis only print them, but the socket has them.
      ['close', () => this.#keepSocketError()],
      ['ready', () => this.clearError()],
    ];
    for (const [event, listener] of this.#listeners) client.on(event, listener);
  }

  #keepSocketError(): void {
    const error = property(property(this.#client, 'stream'), 'errored');
    if (property(error, 'message') !== undefined) this.#last = error;
  }

  error(): unknown {
    if (this.#last !== undefined) return this.#last;
    // Of iovalkey and ioredis, and of node-redis.
    const status = property(this.#client, 'status');
    const isReady = typeof status === 'string' ? status === 'ready' : property(this.#client, 'isReady');
    return isReady === false ? new Error('the client has no connection yet') : undefined;
  }

  clearError(): void {
    this.#last = undefined;
  }

  stop(): void {
    for (const [event, listener] of this.#listeners) this.#client.off(event, listener);
  }
}

const UNKNOWN: Connection = { error: () => undefined, clearError: () => {}, release: () => {} };

/** One for each client, however many buckets it serves: more listeners than ten, and Node warns of a leak. */
const watched = new WeakMap<object, WatchedClient>();

/** GLIDE is none, and a port of two functions need not be. */
function isEmitter(client: object): client is Emitter {
  return ['on', 'off', 'listenerCount'].every((method) => typeof property(client, method) === 'function');
}

/** Watches the connection of a client that emits events. */
export function watchConnection(client: object): Connection {
  if (!isEmitter(client)) return UNKNOWN;
  const watch = watched.get(client) ?? new WatchedClient(client);
  watched.set(client, watch);
  watch.users += 1;
  let released = false;
  return {
    error: () => watch.error(),
    clearError: () => watch.clearError(),
    release: () => {
      if (released) return;
      released = true;
      watch.users -= 1;
      if (watch.users > 0) return;
      watch.stop();
      watched.delete(client);
    },
  };
}
