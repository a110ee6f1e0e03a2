// Cloudflare Workers: many requests run in one global scope, but timers, signals and bodies belong to the request that made them.
// These end with the request, and throw in another one. A request that awaits something else than its own I/O is cancelled as
// hung. In a Durable Object they belong to the object.

const PAGE = 'https://github.com/ebb-placeholder/ebb/blob/main/docs/guide/workers.md';

/** A signal belongs to the request that makes it. None can be made outside of requests. */
function signalHere(): AbortSignal | undefined {
  try {
    return new AbortController().signal;
  } catch {
    return undefined;
  }
}

/** `undefined` in another request than that of the signal. */
function isAborted(signal: AbortSignal | undefined): boolean | undefined {
  try {
    return signal?.aborted;
  } catch {
    return undefined;
  }
}

/** The objects that are bound to a request, each with its name and a signal of this request. */
const bound = new WeakMap<object, readonly [name: string, signal: AbortSignal | undefined]>();

/** Binds an object by which calls wait for each other to this request. */
function bind(shared: object, name: string): void {
  bound.set(shared, [name, signalHere()]);
}

/** @throws TypeError if it is bound to another request */
function mustBeOurs(shared: object): void {
  const [name, signal] = bound.get(shared) ?? [];
  if (name === undefined || isAborted(signal) !== undefined) return;
  throw new TypeError(
    `${name}: in Cloudflare Workers a request cannot wait for another one: make it in the request that uses it. ${PAGE}`,
  );
}

/** When a request that waits looks at its queue by itself, in milliseconds from now. */
interface Looks {
  /** When the first of the queue is due. */
  readonly dueMs: number;
  /** When its own turn would come: before its deadline. */
  readonly turnMs: number;
  /** Serves the queue. Returns when the first is due then. */
  serve(): number;
}

/** Another request may change when the queue is due, and end before its timer: so each looks at least this often, in milliseconds. */
const LONGEST_MS = 1_000;

/**
 * Waits on timers of this request alone, which keep it alive: the timers of another request end with it. An ended request is
 * served as if it still waited, by the requests behind it. Each of these looks at the queue when half of the time until its own
 * turn is over, and again, because in a long queue the requests must not all look for each request served.
 */
function wakingItself<T>(
  waiting: Promise<T>,
  clock: {
    now(): number;
    schedule(wake: () => void, delayMs: number, inBackground: boolean, isWait: boolean): () => void;
  },
  { dueMs, turnMs, serve }: Looks,
): Promise<T> {
  const startMs = clock.now();
  let cancel = (): void => undefined;
  const arm = (nextMs: number): void => {
    const leftMs = startMs + turnMs - clock.now();
    const delayMs = Math.min(Math.max(nextMs, leftMs / 2), LONGEST_MS);
    cancel = clock.schedule(() => arm(serve()), delayMs, false, true);
  };
  arm(dueMs);
  return waiting.finally(() => cancel());
}

/** The functions that limits need in Cloudflare Workers alone. */
export const worker: {
  readonly bind: typeof bind;
  readonly mustBeOurs: typeof mustBeOurs;
  readonly wakingItself: typeof wakingItself;
  readonly aborted: typeof isAborted;
} = { bind, mustBeOurs, wakingItself, aborted: isAborted };
