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
export declare function bindClock(limit: object | undefined, clock: Clock): void;
/** @throws TypeError that tells what to do */
export declare function twoClocks(): never;
//# sourceMappingURL=bind-clock.d.ts.map