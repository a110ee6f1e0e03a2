import { type Clock, OF_SYSTEM } from './time.ts';

/** Timers take a signed 32-bit number of milliseconds. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

let lastMs = 0;
let setBackMs = 0;

/** Never back: a wall clock that is set back counts as no time. */
function nowMs(): number {
  const readMs = Date.now() + setBackMs;
  if (readMs < lastMs) setBackMs += lastMs - readMs;
  lastMs = Math.max(lastMs, readMs);
  return lastMs;
}

/**
 * {@link import('./system-clock.ts').systemClock} of production builds for browsers, which are not tested with stubs: only time
 * that has passed counts, and fake timers hold up the turns of the event loop as well.
 */
export const systemClock: Clock & { readonly [OF_SYSTEM]: true } = {
  [OF_SYSTEM]: true,
  now: nowMs,
  schedule(wake, delayMs) {
    const dueMs = nowMs() + delayMs;
    let cancel: () => void;
    const arm = (): void => {
      const leftMs = Math.max(0, dueMs - nowMs());
      cancel = inRealTime(reach, Math.ceil(Math.min(leftMs, LONGEST_TIMER_MS)));
    };
    // Timers fire up to a millisecond early.
    const reach = (): void => (nowMs() < dueMs ? arm() : wake());
    arm();
    return () => cancel();
  },
};

/** Calls `call` in another turn of the event loop. */
export function inNextTurn(call: () => void): void {
  setTimeout(call, 0);
}

/** Calls `call` after this many milliseconds, at most 2,147,483,647. Returns a function that cancels it. */
export function inRealTime(call: () => void, delayMs: number, _inBackground?: boolean): () => void {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
}

/** The timers stay the same. */
export function timersId(): undefined {}

/** A clock that is wrong has failed in tests, where the name of the option helps. */
export function ownClock(clock: Clock): Clock {
  return clock;
}
