import { property } from '@ebb/core/bucket';
import { withoutSecrets } from './store-error.ts';

/** The reports of a client about its connection, apart from replies. */
export interface Connection {
  /** The last error since the connection was ready, or an error if there is no connection; else `undefined`. */
  error(): unknown;
  /** Called for every reply: the connection works. */
  clearError(): void;
  /** Removes the listeners once every user of the client has called it. */
  release(): void;
}

type Listener = (...args: unknown[]) => void;

interface Emitter {
  on(event: string | symbol, listener: Listener): unknown;
  off(event: string | symbol, listener: Listener): unknown;
}

/** Node, Bun and Deno have it. An import of `node:events` would fail in other runtimes. */
declare const process: { getBuiltinModule?(name: string): object | undefined } | undefined;

/**
 * The event that Node emits before `error`. A listener for `error` itself would change how the program behaves: ioredis
 * prints errors that have no listener, and node-redis ends the process.
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
      // The clusters of iovalkey and ioredis emit `node error`, that of node-redis `node-error`.
      ['node error', keep],
      ['node-error', keep],
      // Without an `error` listener iovalkey and ioredis do not emit errors, but their socket keeps the last.
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
    // iovalkey and ioredis have `status`, node-redis has `isReady`.
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

/** All buckets share the listeners of a client: Node warns of a leak if many buckets add a listener each. */
const watched = new WeakMap<object, WatchedClient>();

/** GLIDE is not an emitter, and a custom {@link StoreClient} need not be one. */
function isEmitter(client: object): client is Emitter {
  return ['on', 'off', 'listenerCount'].every((method) => typeof property(client, method) === 'function');
}

/** Watches the connection of a client, if it emits events. */
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
