import type { Clock } from '../base/clock.ts';

/** A limit that runs on the clock of its policy unless it was given one. */
export interface ClockBound {
  /**
   * Takes the clock of a policy. A limit that was used before goes on from where it was.
   *
   * @throws TypeError if it has taken another clock already
   */
  takeClock(clock: Clock): void;
}

/** Lets a limit take the clock of its policy. A limit of the user's own, and none, are left alone. */
export function bindClock(limit: object | undefined, clock: Clock): void {
  if (limit !== undefined && 'takeClock' in limit) (limit as ClockBound).takeClock(clock);
}

/** @throws TypeError that tells what to do */
export function twoClocks(): never {
  throw new TypeError(
    'A limit is shared by policies with different clocks: pass `clock` to the limit, or give each clock a limit of its own',
  );
}
