import { devText, inDevelopment } from '#dev-text';
import { letExit } from '#platform';
import { type Check, callable, finite, withMethods } from './check.ts';
import { callHook } from './errors.ts';
import { must } from './options.ts';
import type { Clock, Random } from './time.ts';

/**
 * The source of a clock's time: the system, or the user's clock behind a wrapper that names its errors. All copies of this
 * package in a program know this symbol.
 */
const SOURCE: unique symbol = Symbol.for('@ebb/core clock');

/** A clock, with its mark if it is one of ours. */
type MarkedClock = Clock & { readonly [SOURCE]?: unknown };

/** Timers take a signed 32-bit number of milliseconds. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A time since the epoch has a resolution of a quarter of a microsecond: a shorter wait would never be over. */
const SHORTEST_WAIT_MS = 0.001;

/** By how much `Date.now` was set back so far. */
let setBackMs = 0;
let lastMs = Number.NEGATIVE_INFINITY;

/** The wall clock, for comparison with a date: unlike `now` of a clock, it shows when it was set back. */
export function wallMs(): number {
  return Date.now();
}

/** @throws TypeError, RangeError if `Date.now` returns no finite number */
function nowMs(): number {
  const wallMs = Date.now();
  if (!Number.isFinite(wallMs)) finite('the clock of the system: Date.now()', wallMs);
  setBackMs = Math.max(setBackMs, lastMs - wallMs);
  lastMs = Math.max(lastMs, wallMs + setBackMs);
  return lastMs;
}

/**
 * The clock of the system: `Date.now`, but never back, and `setTimeout`, which may both be fakes. A step back of the wall clock
 * counts as no time, a step forward as time that has passed. A fired timer ends its wait, and the clock then shows the due time,
 * whatever `Date.now` says: timers fire up to a millisecond early, and fakes may move them alone. Nothing is called back before
 * `schedule` has returned.
 */
export const systemClock: Clock & { readonly [SOURCE]: string } = {
  [SOURCE]: 'system',
  now: nowMs,
  schedule(wake, delayMs, inBackground) {
    finite('the clock of the system: delayMs', Math.min(delayMs, Number.MAX_VALUE));
    const startMs = nowMs();
    const dueMs = startMs + Math.max(SHORTEST_WAIT_MS, delayMs);
    let cancel = (): void => undefined;
    let isOff = false;
    const arm = (fromMs: number): void => {
      const untilMs = Math.min(dueMs, fromMs + LONGEST_TIMER_MS);
      let isSetting = true;
      const reach = (): void => {
        if (isOff) return;
        lastMs = Math.max(lastMs, untilMs);
        if (untilMs < dueMs) arm(untilMs);
        else wake();
      };
      // Only the function that belongs to it clears a timer: fakes may have come or gone by then.
      const { setTimeout, clearTimeout } = globalThis;
      const timer = setTimeout(() => (isSetting ? inNextTurn(reach) : reach()), Math.ceil(untilMs - fromMs));
      cancel = () => clearTimeout(timer);
      if (inBackground) letExit(timer);
      isSetting = false;
    };
    arm(startMs);
    return () => {
      isOff = true;
      cancel();
    };
  },
};

/** The part of `node:timers/promises` in use. */
interface NodeLike {
  readonly process?: {
    getBuiltinModule?(id: string): { readonly scheduler?: { yield?(): Promise<void> } } | undefined;
  };
}

/**
 * Resolves in another turn of the event loop. The turn takes no time: in Node `scheduler.yield` makes it, which fakes leave
 * alone. Fakes replace `setImmediate`, and would hold up the turn. Some clients free a connection only in the turn after its
 * response has ended, and a request that is sent earlier opens another connection.
 */
export function nextTurn(): Promise<void> {
  const scheduler = (globalThis as NodeLike).process?.getBuiltinModule?.('node:timers/promises')?.scheduler;
  return scheduler?.yield?.() ?? new Promise((resolve) => void setTimeout(resolve, 0));
}

/** Calls `call` in another turn of the event loop. */
export function inNextTurn(call: () => void): void {
  void nextTurn().then(call);
}

/** Keeps the process alive until a promise settles. */
export function keepAlive<T>(promise: Promise<T>): Promise<T> {
  return promise.finally(systemClock.schedule(() => undefined, LONGEST_TIMER_MS));
}

/** `Math.random`. */
export const systemRandom: Random = Math.random;

const checkCancel: Check = (_, value) =>
  must('schedule()', devText('a function that cancels the call'), value, typeof value === 'function');

/** The clock of a policy or a limit. A fault of the user's clock becomes a `HookError` that names the clock. */
export function ownClock(clock: Clock): Clock {
  if (SOURCE in clock) return clock;
  const named: MarkedClock = {
    [SOURCE]: clock,
    now: () =>
      callHook(
        'clock',
        () => clock.now(),
        (_, read) => finite('now()', read),
      ),
    schedule: (...wait) => callHook('clock', () => clock.schedule(...wait), checkCancel),
  };
  return named;
}

/** True if two clocks show the same time, also if they are of two copies of this package. */
export function isSameClock(one: MarkedClock, other: MarkedClock): boolean {
  return (one[SOURCE] ?? one) === (other[SOURCE] ?? other);
}

/** The `clock` of an options object. */
export const CLOCK_OPTION: { readonly check: Check; readonly default: Clock } = {
  check: (name, value) => inDevelopment(() => withMethods('a clock', 'now', 'schedule')(name, value)),
  default: systemClock,
};

/** The `random` of an options object. */
export const RANDOM_OPTION: { readonly check: Check; readonly default: Random } = {
  check: callable,
  default: systemRandom,
};
