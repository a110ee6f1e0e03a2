import { immediatesNow, inNextTurn, letExit } from '#platform';
import { type Clock, OF_SYSTEM } from './time.ts';

export { inNextTurn, inRealTime } from '#platform';
export { ownClock } from './own-clock.ts';

/** Timers take a signed 32-bit number of milliseconds. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A timer takes a millisecond or more. A shorter delay than this one has passed in the next turn of the event loop. */
const SHORTEST_TIMER_MS = 0.002;

type SetTimer = (call: () => void, delayMs: number) => unknown;

/** By how much `Date.now` was set back so far: that counts as no time. */
let setBackMs = 0;
let lastMs = Number.NEGATIVE_INFINITY;

/**
 * Milliseconds since the epoch by `Date.now`, but never back.
 *
 * @throws TypeError if `Date.now` returns no finite number
 */
function nowMs(): number {
  const wallMs: unknown = Date.now();
  if (!Number.isFinite(wallMs))
    throw new TypeError('the clock of the system: Date.now() must return a finite number');
  const readMs = (wallMs as number) + setBackMs;
  if (readMs < lastMs) setBackMs += lastMs - readMs;
  lastMs = Math.max(lastMs, readMs);
  return lastMs;
}

/**
 * The clock of the system. A wall clock that is set back counts as no time, one that is set forward as time that has passed. A timer
 * that has fired ends its wait, and the clock shows that time then, whatever `Date.now` says: timers fire up to a millisecond early,
 * and fakes may move them alone. Nothing is called back before `schedule` has returned.
 */
export const systemClock: Clock & { readonly [OF_SYSTEM]: true } = {
  [OF_SYSTEM]: true,
  now: nowMs,
  schedule(wake, delayMs, inBackground) {
    // A time since the epoch has a resolution of a quarter of a microsecond: a shorter wait would never be over.
    const dueMs = nowMs() + Math.max(0.001, delayMs);
    let cancel = (): void => undefined;
    let isOff = false;
    const arm = (leftMs: number, mayBeImmediate?: boolean): void => {
      const untilMs = nowMs() + Math.min(Math.max(leftMs, 0.001), LONGEST_TIMER_MS);
      let isSetting = true;
      const reach = (): void => {
        if (isOff) return;
        lastMs = Math.max(lastMs, untilMs);
        if (untilMs < dueMs) arm(dueMs - untilMs);
        else wake();
      };
      const immediates = mayBeImmediate ? immediatesNow() : undefined;
      const clear: (timer: never) => void = immediates?.clear ?? clearTimeout;
      let timer: unknown;
      // A stub may call back before it returns, and `cancel` may be another one by then.
      cancel = () => clear(timer as never);
      const fired = (): void => (isSetting ? inNextTurn(reach) : reach());
      const set: SetTimer = immediates?.set ?? setTimeout;
      timer = set(fired, Math.ceil(Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS)));
      if (inBackground) letExit(timer);
      isSetting = false;
    };
    arm(delayMs, delayMs <= SHORTEST_TIMER_MS && !inBackground);
    return () => {
      isOff = true;
      cancel();
    };
  },
};

/** What changes when fake timers come or go. A timer of those that are gone may never fire. */
export function timersId(): unknown {
  return setTimeout;
}
