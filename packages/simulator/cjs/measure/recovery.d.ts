import type { Scenario } from '../scenario/scenario.ts';
import type { Series } from './measures.ts';
/** When a fleet and its server recovered from the trouble. */
export interface Recovery {
    /** The end of the last trouble, in milliseconds. */
    readonly troubleEndsAtMs: number;
    /**
     * How long after that at least 95 % of the requests were answered, over five intervals and until the end of the run,
     * in milliseconds; `undefined` if they never were.
     */
    readonly recoveredAfterMs: number | undefined;
}
/** The recovery of a run; `undefined` for a scenario without trouble. */
export declare function recoveryOf(scenario: Scenario, { requests, successes }: Series): Recovery | undefined;
//# sourceMappingURL=recovery.d.ts.map