import { immediatesNow, inNextTurn, inRealTime, letExit } from '#platform';
import { type Clock, OF_SYSTEM } from './time.ts';

export { inNextTurn, inRealTime } from '#platform';
export { ownClock } from './own-clock.ts';

/** Timers take a signed 32-bit number of milliseconds. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A timer takes a millisecond or more. A shorter delay than this one has passed in the next turn of the event loop. */
const SHORTEST_TIMER_MS = 0.002;

/**
 * Timers of a runtime fire up to a millisecond early. One that is earlier is not theirs but a stub of a test, which does not
 * move `performance.now`: time has passed because the stub says so. A browser that blurs `performance.now` looks the same; there
 * it is true as well.
 */
const MOST_EARLY_MS = 2;

/** A stub may let a timer fire at once that guards a response. It gets so many milliseconds of real time first. */
const GUARD_MS = 250;

/** `performance.now` when the origin was read. Fake timers replace both. */
let readNow: unknown;
let originMs = 0;

/** The time that a stub says has come, in milliseconds of `performance.now`, and the `setTimeout` that it stands behind. */
let believedMs = 0;
let believed: unknown;

/**
 * Milliseconds of `performance.now`, or what a stub says if that is later and the stub is still there.
 *
 * @param time in Node a getter of the global object, which takes longer than all the rest
 */
function passedMs(time: Performance = performance): number {
  const nowMs = time.now();
  if (nowMs < believedMs && believed !== setTimeout) believedMs = 0;
  return Math.max(nowMs, believedMs);
}

/** Counts the waits that have begun. */
let waits = 0;

type SetTimer = (call: () => void, delayMs: number) => unknown;

/**
 * The clock of the system. It is monotonic (`performance.now`): setting the wall clock does not change a wait.
 *
 * A stub of `setTimeout` that calls back early ends the wait, and moves the clock by it. A timeout waits for its response in
 * real time then, as it would with a virtual clock. Nothing is called back before `schedule` has returned.
 */
export const systemClock: Clock & { readonly [OF_SYSTEM]: true } = {
  [OF_SYSTEM]: true,
  now() {
    const time = performance;
    if (time.now !== readNow) {
      // Read once for each: reading it makes `now` half as slow again.
      readNow = time.now;
      originMs = time.timeOrigin;
    }
    return originMs + passedMs(time);
  },
  schedule(wake, delayMs, inBackground, isWait) {
    const dueMs = passedMs() + delayMs;
    let cancel = (): void => undefined;
    let isOff = false;
    if (isWait) waits += 1;
    const arm = (leftMs: number, mayBeImmediate?: boolean): void => {
      const set: SetTimer = setTimeout;
      const untilMs = passedMs() + Math.min(leftMs, LONGEST_TIMER_MS);
      let isSetting = true;
      const reach = (): void => {
        if (isOff) return;
        if (untilMs < dueMs) arm(dueMs - untilMs);
        else wake();
      };
      const fired = (): void => {
        const earlyMs = untilMs - passedMs();
        if (!isSetting && earlyMs <= MOST_EARLY_MS) {
          if (earlyMs > 0) arm(dueMs - passedMs());
          else reach();
          return;
        }
        const believe = (): void => {
          if (set === setTimeout && untilMs > passedMs()) {
            believed = set;
            believedMs = untilMs;
          }
          reach();
        };
        const guard = (): void => {
          const before = waits;
          // While the call goes from one wait to the next, a timeout of the whole call has not passed.
          const end = (): void => (waits !== before && passedMs() < untilMs ? guard() : believe());
          cancel = inRealTime(end, Math.min(GUARD_MS, untilMs - passedMs()), inBackground);
        };
        if (!isWait) guard();
        else if (isSetting) inNextTurn(believe);
        else believe();
      };
      const immediates = mayBeImmediate ? immediatesNow() : undefined;
      const clear: (timer: never) => void = immediates?.clear ?? clearTimeout;
      let timer: unknown;
      // A stub may call back before it returns, and `cancel` may be another one by then.
      cancel = () => clear(timer as never);
      timer = (immediates?.set ?? set)(fired, Math.ceil(Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS)));
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
