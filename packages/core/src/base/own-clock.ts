import { prose } from '#prose';
import { wrongRange, wrongType } from './check.ts';
import { type Clock, OF_SYSTEM, systemClock } from './clock.ts';
import { callHook } from './errors.ts';

/** The clock that one of these reads. Known to all copies of this package in a program. */
const READS: unique symbol = Symbol.for('@ebb/core clock') as never;

/** A clock of the user. What it does wrong is a `HookError` that names it. */
class OwnClock implements Clock {
  readonly [READS]: Clock;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this[READS] = clock;
  }

  now(): number {
    return callHook('clock', () => {
      const nowMs = this.#clock.now();
      const takes = prose('a finite number of milliseconds');
      if (typeof nowMs !== 'number') throw wrongType('now()', takes, nowMs);
      if (!Number.isFinite(nowMs)) throw wrongRange('now()', takes, nowMs);
      return nowMs;
    });
  }

  schedule(wake: () => void, delayMs: number, inBackground?: boolean, isWait?: boolean): () => void {
    return callHook('clock', () => {
      const cancel = this.#clock.schedule(wake, delayMs, inBackground, isWait);
      if (typeof cancel !== 'function')
        throw wrongType('schedule()', prose('a function that cancels the call'), cancel);
      return cancel;
    });
  }
}

const own = new WeakMap<Clock, OwnClock>();

/**
 * The clock of a policy or a limit, with its errors named: the same for the same clock. That of the system stays as it is.
 */
export function ownClock(clock: Clock): Clock {
  if (OF_SYSTEM in clock || READS in clock) return clock;
  let checked = own.get(clock);
  if (checked === undefined) {
    checked = new OwnClock(clock);
    own.set(clock, checked);
  }
  return checked;
}

/** True if two clocks show the same time, also if they are of two copies of this package. */
export function isSameClock(one: Clock, other: Clock): boolean {
  return one === other || sourceOf(one) === sourceOf(other);
}

function sourceOf(clock: Clock): unknown {
  if (OF_SYSTEM in clock) return OF_SYSTEM;
  return READS in clock ? clock[READS] : clock;
}

/** The clock of the system, for a limit that was given none: it takes that of its policy. */
export const unboundClock: Clock = { ...systemClock };
