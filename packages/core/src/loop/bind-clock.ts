import { prose } from '#prose';
import type { Clock } from '../base/clock.ts';
import { isSameClock, unboundClock } from '../base/clock.ts';
import type { CostOption } from './costs.ts';

/** A limit that runs on the clock of its policy unless it was given one. */
export interface ClockBound {
  /**
   * Takes the clock of a policy. A limit that was used before goes on from where it was.
   *
   * @throws TypeError if it has taken another clock already
   */
  takeClock(clock: Clock): void;
}

/** What all calls of a policy ask of its limits. */
interface Calls {
  readonly priority?: number | undefined;
  readonly fairKey?: unknown;
  readonly cost?: CostOption | undefined;
  readonly throttle?: object | undefined;
}

/** A limit whose queue may have no priorities or shares, or whose units the policy must know. */
export interface ChecksCalls {
  /** @throws TypeError, RangeError if its queue does not take this priority or a key, or it does not have these units */
  checkCalls(calls: Calls): void;
}

/**
 * Lets a limit take the clock of its policy. A limit of the user's own, and none, are left alone.
 *
 * @throws TypeError if it has taken another clock already, and as {@link ChecksCalls}
 */
export function bindClock(limit: object | undefined, clock: Clock, calls: Calls): void {
  const bound = limit as Partial<ClockBound & ChecksCalls> | undefined;
  bound?.takeClock?.(clock);
  bound?.checkCalls?.(calls);
}

/**
 * True if a limit goes on with the clock of a policy; false if it keeps its own.
 *
 * @param isGiven true if it was given its own
 * @throws TypeError if it has that of another policy
 */
export function isRebound(own: Clock, isGiven: boolean, clock: Clock): boolean {
  if (isGiven || own === clock) return false;
  if (own === unboundClock) return true;
  return isSameClock(own, clock) ? false : twoClocks();
}

/** @throws TypeError that tells what to do */
export function twoClocks(): never {
  throw new TypeError(
    prose(
      'A limit is shared by policies with different clocks: pass `clock` to the limit, or give each clock a limit of its own',
    ) ?? 'clock: two policies',
  );
}
