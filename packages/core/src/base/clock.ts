import { onAbort } from './on-abort.ts';

/** A source of randomness: uniform in [0, 1), as `Math.random` is. */
export type Random = () => number;

/** Time, as ebb sees it. Everything that reads the time or waits goes through one of these. */
export interface Clock {
  /** Milliseconds since the Unix epoch on a clock that never steps back. */
  now(): number;
  /**
   * Calls `wake` once, never earlier than `delayMs` from now, and answers a function that calls it off.
   * A pending call keeps the process alive, unless it is `inBackground`.
   */
  schedule(wake: () => void, delayMs: number, inBackground?: boolean): () => void;
}

/** Timers take a signed 32-bit number of milliseconds; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

let originMs: number | undefined;

/**
 * The clock of the running program. It is monotonic (`performance.now`), so that a correction of the wall
 * clock neither cuts a wait short nor stretches it.
 */
export const systemClock: Clock = {
  now() {
    // It never changes, and to read it takes half as long again as the time itself.
    originMs ??= performance.timeOrigin;
    return originMs + performance.now();
  },
  schedule(wake, delayMs, inBackground) {
    const dueMs = performance.now() + delayMs;
    let timer: ReturnType<typeof setTimeout>;
    // Timers may fire up to a millisecond early and cannot be long: on waking, look at the time again.
    const check = (): void => {
      const leftMs = dueMs - performance.now();
      if (leftMs <= 0) wake();
      else arm(leftMs);
    };
    const arm = (leftMs: number): void => {
      timer = setTimeout(check, Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS));
      if (inBackground) letExit(timer);
    };
    arm(Math.max(delayMs, 0));
    return () => clearTimeout(timer);
  },
};

/** Deno's timers are numbers, as a browser's are. */
declare const Deno: { unrefTimer?(timer: unknown): void } | undefined;

/** The process may end while this timer is pending, in a runtime with processes that end. */
function letExit(timer: unknown): void {
  if (typeof timer === 'object') (timer as { unref?(): void }).unref?.();
  else if (typeof Deno === 'object') Deno.unrefTimer?.(timer);
}

/** There in Node, Bun and Deno; nowhere else. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/**
 * Resolves in another turn of the event loop. Some clients free a connection only in the turn after the one in
 * which its response ended; a request that comes sooner opens another.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

/** The randomness of the running program. */
export const systemRandom: Random = Math.random;

/**
 * Resolves after `delayMs`, or rejects at once with the signal's own reason when it aborts. Leaves neither a
 * timer nor a listener behind, and all who sleep under one signal share one listener.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!signal) {
      clock.schedule(resolve, delayMs);
      return;
    }
    if (signal.aborted) return reject(signal.reason);
    const callOff = onAbort(signal, () => {
      cancel();
      reject(signal.reason);
    });
    const cancel = clock.schedule(() => {
      callOff();
      resolve();
    }, delayMs);
  });
}
