import type { Clock } from './time.ts';

/** The calls to make when a signal aborts. */
interface Watch {
  readonly calls: Set<() => void>;
  readonly unwatch: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

function watch(signal: AbortSignal): Watch {
  const calls = new Set<() => void>();
  const unwatch = (): void => {
    signal.removeEventListener('abort', end);
    watches.delete(signal);
  };
  const end = (): void => {
    // A call that is added meanwhile is not made, as a listener would not be called.
    unwatch();
    for (const call of calls) call();
  };
  signal.addEventListener('abort', end);
  const made = { calls, unwatch };
  watches.set(signal, made);
  return made;
}

/**
 * Calls `call` once when the signal aborts. Returns a function that cancels it. Like a listener, it is not called for a
 * signal that has aborted already.
 *
 * All calls under one signal share one listener, which is removed with the last of them: `addEventListener` compares a new
 * listener with all that exist, and 32,000 requests under one signal would take seconds to start.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const { calls, unwatch } = watches.get(signal) ?? watch(signal);
  // A function of its own: a set has the same one once.
  const own = (): void => call();
  calls.add(own);
  return () => {
    if (calls.delete(own) && calls.size === 0) unwatch();
  };
}

/** The follower of each signal of another library, for the life of the signal: all calls under it share one listener. */
const followers = /* @__PURE__ */ new WeakMap<object, AbortSignal>();

/** The signal itself, or a signal of the runtime that follows it: functions of the runtime refuse any other signal. */
export function nativeSignal(signal: AbortSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const foreign: AbortSignal = signal;
  let follower = followers.get(foreign);
  if (follower) return follower;
  const own = new AbortController();
  // The signal of an old polyfill has no reason.
  const abort = (): void => own.abort(foreign.reason);
  if (foreign.aborted) abort();
  else foreign.addEventListener?.('abort', abort);
  follower = own.signal;
  followers.set(foreign, follower);
  return follower;
}

/**
 * Resolves after `delayMs` milliseconds, or rejects with the signal's own reason as soon as it aborts. Leaves no timer and
 * no listener behind. All sleeps under one signal share one listener.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = clock.schedule(
      () => {
        forget?.();
        resolve();
      },
      delayMs,
      false,
      true,
    );
    const forget =
      signal &&
      onAbort(signal, () => {
        cancel();
        reject(signal.reason);
      });
  });
}
