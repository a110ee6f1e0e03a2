import { type Clock } from '../../base/clock.ts';
/** Time in milliseconds that starts at 0 and never goes back, even if the clock is set back. */
export declare class SteadyTime {
    #private;
    clock: Clock;
    /** What the clock showed at 0. */
    startMs: number;
    constructor(clock: Clock);
    /**
     * Goes on with the clock of a policy, unless it was given one.
     *
     * @throws TypeError if it has that of another policy
     */
    bind(clock: Clock): void;
    now(): number;
}
//# sourceMappingURL=time.d.ts.map