import { wrongRange, wrongType } from './check.ts';
import { type Clock, systemClock } from './clock.ts';
import { callHook } from './errors.ts';

/** A clock of the user. What it does wrong is a `HookError` that names it. */
class OwnClock implements Clock {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return callHook('clock', () => {
      const nowMs = this.#clock.now();
      const takes = 'a finite number of milliseconds';
      if (typeof nowMs !== 'number') throw wrongType('now()', takes, nowMs);
      if (!Number.isFinite(nowMs)) throw wrongRange('now()', takes, nowMs);
      return nowMs;
    });
  }

  schedule(wake: () => void, delayMs: number, inBackground?: boolean, isWait?: boolean): () => void {
    return callHook('clock', () => {
      const cancel = this.#clock.schedule(wake, delayMs, inBackground, isWait);
      if (typeof cancel !== 'function')
        throw wrongType('schedule()', 'a function that cancels the call', cancel);
      return cancel;
    });
  }
}

const own = new WeakMap<Clock, OwnClock>();

/**
 * The clock of a policy or a limit, with its errors named: the same for the same clock. That of the system stays as it is.
 */
export function ownClock(clock: Clock): Clock {
  if (clock === systemClock || clock === unboundClock || clock instanceof OwnClock) return clock;
  let checked = own.get(clock);
  if (checked === undefined) {
    checked = new OwnClock(clock);
    own.set(clock, checked);
  }
  return checked;
}

/** The clock of the system, for a limit that was given none: it takes that of its policy. */
export const unboundClock: Clock = { ...systemClock };
