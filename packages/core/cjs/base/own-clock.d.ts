import { type Clock } from './clock.ts';
/**
 * The clock of a policy or a limit, with its errors named: the same for the same clock. That of the system stays as it is.
 */
export declare function ownClock(clock: Clock): Clock;
/** True if two clocks show the same time, also if they are of two copies of this package. */
export declare function isSameClock(one: Clock, other: Clock): boolean;
/** The clock of the system, for a limit that was given none: it takes that of its policy. */
export declare const unboundClock: Clock;
//# sourceMappingURL=own-clock.d.ts.map