import { onAbort } from './on-abort.ts';
import { Sleepers } from './sleepers.ts';

/** Returns random numbers that are uniform in [0, 1), as `Math.random` does. */
export type Random = () => number;

/** Where ebb reads the time and waits. Replace it in tests: see `virtualClock` of `@ebb/core/testing`. */
export interface Clock {
  /** Milliseconds since the Unix epoch, on a clock that never steps back. */
  now(): number;
  /**
   * Calls `wake` once, no earlier than `delayMs` milliseconds from now. Returns a function that cancels the call.
   * A pending call keeps the process alive unless it is `inBackground`.
   *
   * `isWait`: it ends a wait of ebb. Unlike a timeout it guards nothing real, such as a response on its way, so a virtual clock
   * may move to it at once. The clock of the system ignores it.
   */
  schedule(wake: () => void, delayMs: number, inBackground?: boolean, isWait?: boolean): () => void;
}

/** Timers take a signed 32-bit number of milliseconds. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A timer takes a millisecond or more. A shorter delay than this one has passed in the next turn of the event loop. */
const SHORTEST_TIMER_MS = 0.002;

let originMs: number | undefined;

/** The clock of the system. It is monotonic (`performance.now`): setting the wall clock does not change a wait. */
export const systemClock: Clock = {
  now() {
    // Read once: it never changes, and reading it makes `now` half as slow again.
    originMs ??= performance.timeOrigin;
    return originMs + performance.now();
  },
  schedule(wake, delayMs, inBackground) {
    const dueMs = performance.now() + delayMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A timer may fire up to a millisecond early, and a long delay takes several.
    const check = (): void => {
      const leftMs = dueMs - performance.now();
      if (leftMs <= 0) wake();
      else arm(leftMs);
    };
    const arm = (leftMs: number): void => {
      timer = setTimeout(check, Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS));
      if (inBackground) letExit(timer);
    };
    if (delayMs > SHORTEST_TIMER_MS || inBackground || typeof setImmediate !== 'function') {
      arm(Math.max(delayMs, 0));
      return () => clearTimeout(timer);
    }
    const immediate = setImmediate(check);
    return () => {
      clearImmediate(immediate);
      clearTimeout(timer);
    };
  },
};

/** The timers of Deno are numbers, as in browsers. */
declare const Deno: { unrefTimer?(timer: unknown): void } | undefined;

/** Lets the process end while this timer is pending, in runtimes that have processes. */
function letExit(timer: unknown): void {
  if (typeof timer === 'object') (timer as { unref?(): void }).unref?.();
  else if (typeof Deno === 'object') Deno.unrefTimer?.(timer);
}

/** Exists in Node, Bun and Deno only. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare const clearImmediate: (immediate: unknown) => void;

/**
 * What the globals are when this module is loaded. Fake timers of a test replace them later, and fire only when the test says
 * so. But a turn of the event loop is no time: sockets and promises need it also while time stands still.
 */
const realSetTimeout = setTimeout;
const realClearTimeout = clearTimeout;
const realSetImmediate = typeof setImmediate === 'function' ? setImmediate : undefined;

/** Calls `call` in another turn of the event loop, also beside fake timers. */
export function inNextTurn(call: () => void): void {
  if (realSetImmediate) realSetImmediate(call);
  else realSetTimeout(call, 0);
}

/** Calls `call` after this many milliseconds of real time, also beside fake timers. Returns a function that cancels it. */
export function inRealTime(call: () => void, delayMs: number): () => void {
  const timer = realSetTimeout(call, Math.min(delayMs, LONGEST_TIMER_MS));
  return () => realClearTimeout(timer);
}

/**
 * Resolves in another turn of the event loop. Some clients free a connection only in the turn after its response has ended,
 * and a request that is sent earlier opens another connection.
 */
export function nextTurn(): Promise<void> {
  return new Promise(inNextTurn);
}

let waiting = 0;
let keepingAlive: ReturnType<typeof setTimeout>;

/** Keeps the process alive until a promise settles, in runtimes that have processes. Returns the same promise. */
export function keepAlive<T>(promise: Promise<T>): Promise<T> {
  waiting += 1;
  if (waiting === 1) keepingAlive = setTimeout(() => undefined, LONGEST_TIMER_MS);
  const settled = (): void => {
    waiting -= 1;
    if (waiting === 0) clearTimeout(keepingAlive);
  };
  promise.then(settled, settled);
  return promise;
}

/** `Math.random`. */
export const systemRandom: Random = Math.random;

let sleepers: Sleepers | undefined;
let sleepersTimers: unknown;

function systemSleepers(): Sleepers {
  // Fake timers replace `setTimeout`, and may never fire. A sleep that starts later must not share one.
  if (sleepers === undefined || sleepersTimers !== setTimeout) {
    sleepersTimers = setTimeout;
    sleepers = new Sleepers(systemClock, nextTurn);
  }
  return sleepers;
}

/**
 * Resolves after `delayMs` milliseconds, or rejects with the signal's own reason as soon as it aborts. Leaves no timer and
 * no listener behind. All sleeps under one signal share one listener.
 *
 * On the system clock thousands that are due at once resolve over several turns of the event loop. Another clock decides for
 * itself when it wakes them.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  const waits = clock === systemClock ? systemSleepers() : clock;
  return new Promise((resolve, reject) => {
    if (!signal) {
      waits.schedule(resolve, delayMs, false, true);
      return;
    }
    if (signal.aborted) return reject(signal.reason);
    const callOff = onAbort(signal, () => {
      cancel();
      reject(signal.reason);
    });
    const wake = (): void => {
      callOff();
      resolve();
    };
    const cancel = waits.schedule(wake, delayMs, false, true);
  });
}
