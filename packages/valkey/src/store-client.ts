import type { Clock } from '@ebb/core';
import { check, nextTurn, type SteadyTime } from '@ebb/core/bucket';
import type { Connection } from './connection.ts';
import { noReply, withoutSecrets } from './store-error.ts';

/**
 * The two commands that a bucket or a budget needs. Both resolve with the script's reply, a list of numbers and
 * strings, and reject with an error whose message contains the server's.
 */
export interface StoreClient {
  /** Runs a script by its SHA-1 over one key. Rejects with `NOSCRIPT` if the server does not have the script. */
  evalsha(sha1: string, key: string, args: readonly string[]): Promise<unknown>;
  /** Runs a script over one key. */
  eval(script: string, key: string, args: readonly string[]): Promise<unknown>;
}

/** A `Redis` or a `Cluster` of iovalkey or ioredis. */
export interface IoredisClient {
  evalsha(...args: never[]): unknown;
  eval(...args: never[]): unknown;
  defineCommand(...args: never[]): unknown;
}

/** The result of `createClient`, `createCluster` or `createSentinel` of `redis`. */
export interface NodeRedisClient {
  evalSha(...args: never[]): unknown;
  eval(...args: never[]): unknown;
}

/** A `GlideClient` or a `GlideClusterClient` of @valkey/valkey-glide. */
export interface ValkeyGlideClient {
  customCommand(...args: never[]): unknown;
}

/** A client that a bucket or a budget can use. */
export type ValkeyClient = IoredisClient | NodeRedisClient | ValkeyGlideClient | StoreClient;

// The clients are optional peers, so their types may be missing. Each client is recognised by its methods.
type Ioredis = Record<
  'evalsha' | 'eval',
  (first: string, keys: number, ...rest: string[]) => Promise<unknown>
>;
type NodeRedis = Record<
  'evalSha' | 'eval',
  (first: string, options: { keys: string[]; arguments: string[] }) => Promise<unknown>
>;
type Glide = { customCommand(command: string[]): Promise<unknown> };

const hasMethod = (client: object, name: string): boolean =>
  typeof (client as Record<string, unknown>)[name] === 'function';

/** The two commands through the API of a client; `undefined` if it is not one. */
function adapt(client: unknown): StoreClient | undefined {
  if (typeof client !== 'object' || client === null) return undefined;
  if (hasMethod(client, 'customCommand')) {
    const glide = client as unknown as Glide;
    return {
      evalsha: (sha1, key, args) => glide.customCommand(['EVALSHA', sha1, '1', key, ...args]),
      eval: (script, key, args) => glide.customCommand(['EVAL', script, '1', key, ...args]),
    };
  }
  if (hasMethod(client, 'evalSha') && hasMethod(client, 'eval')) {
    const redis = client as unknown as NodeRedis;
    return {
      evalsha: (sha1, key, args) => redis.evalSha(sha1, { keys: [key], arguments: [...args] }),
      eval: (script, key, args) => redis.eval(script, { keys: [key], arguments: [...args] }),
    };
  }
  if (hasMethod(client, 'evalsha') && hasMethod(client, 'eval')) {
    if (!hasMethod(client, 'defineCommand')) return client as StoreClient;
    const ioredis = client as unknown as Ioredis;
    return {
      evalsha: (sha1, key, args) => ioredis.evalsha(sha1, 1, key, ...args),
      eval: (script, key, args) => ioredis.eval(script, 1, key, ...args),
    };
  }
  return undefined;
}

/** The two commands through the API of a client that {@link checkClient} accepts. */
export function storeClientOf(client: ValkeyClient): StoreClient {
  return adapt(client) as StoreClient;
}

export const checkClient: check.Check = (name, value) => {
  if (adapt(value) !== undefined) return;
  throw check.wrongType(
    name,
    'a client of iovalkey, ioredis, redis or @valkey/valkey-glide, or { evalsha, eval }',
    value,
  );
};

/** ioredis, iovalkey and node-redis keep the server's message; GLIDE has its own. */
const isNoScript = (error: unknown): boolean => /NOSCRIPT|NoScriptError/.test(String(error));

/** Runs a script over a key by its SHA-1, or sends it in full to a node that does not have it. */
export async function runScript(
  storeClient: StoreClient,
  script: { readonly text: string; readonly sha1: string },
  key: string,
  args: readonly string[],
): Promise<unknown> {
  try {
    return await storeClient.evalsha(script.sha1, key, args);
  } catch (error) {
    // The node is new or has lost its scripts (restart, failover, SCRIPT FLUSH). EVAL also stores the script there.
    if (!isNoScript(error)) throw error;
    return storeClient.eval(script.text, key, args);
  }
}

/** The limit is measured by so many timers in a row, so a blocked event loop counts as one of these parts at most. */
const PARTS = 4;

/**
 * Calls `onLate` after `limitMs` in which the event loop ran. A plain timer also counts the time in which the event
 * loop is blocked, and fires before the socket is read that may hold the reply.
 *
 * @param inBackground whether the process may exit meanwhile
 * @returns a function that cancels it
 */
export function timeLimit(
  clock: Clock,
  limitMs: number,
  onLate: () => void,
  inBackground = false,
): () => void {
  let isOver = false;
  let left = PARTS;
  let stopTimer = (): void => {};
  const onPart = (): void => {
    left -= 1;
    if (left > 0) {
      arm();
      return;
    }
    // Node runs timers before it reads sockets, and this after both.
    void nextTurn().then(() => {
      if (!isOver) onLate();
    });
  };
  const arm = (): void => {
    stopTimer = clock.schedule(onPart, limitMs / PARTS, inBackground);
  };
  arm();
  return () => {
    isOver = true;
    stopTimer();
  };
}

/** The outcome of a call: a reply or an error. */
export interface Outcome<T> {
  readonly reply?: T;
  readonly error?: unknown;
  /** The reply after the call was given up; `undefined` for an error. */
  readonly late?: Promise<T | undefined>;
}

interface Limit {
  readonly time: SteadyTime;
  readonly connection: Connection;
  readonly timeoutMs: number;
  readonly sentAtMs: number;
  /** How much longer to wait, as there was no reply in time. `error` may be the reason for the silence. */
  readonly extraMs?: (error: unknown, silentMs: number) => number;
  /** Whether the process may exit meanwhile. */
  readonly inBackground?: boolean;
}

/** Ends with the client's error, or if there is no reply in time. Never rejects. */
export function inTime<T>(
  send: () => Promise<T>,
  { time, connection, timeoutMs, sentAtMs, extraMs = () => 0, inBackground }: Limit,
): Promise<Outcome<T>> {
  const sent = send().then(
    (reply): Outcome<T> => ({ reply }),
    (error): Outcome<T> => ({ error: withoutSecrets(error) }),
  );
  return new Promise((resolve) => {
    const onTimeout = (): void => {
      const error = connection.error();
      const silentMs = time.now() - sentAtMs;
      const moreMs = Math.min(extraMs(error, silentMs), timeoutMs);
      if (moreMs > 0) stopTimer = timeLimit(time.clock, moreMs, onTimeout, inBackground);
      else resolve({ error: noReply(silentMs, error), late: sent.then(({ reply }) => reply) });
    };
    let stopTimer = timeLimit(time.clock, timeoutMs, onTimeout, inBackground);
    void sent.then((outcome) => {
      stopTimer();
      resolve(outcome);
    });
  });
}
