import type { Outcome } from '../http/outcome.ts';
import type { Policy } from '../policy/policy.ts';
/** The total timeout of a request, and what it has done. */
export declare class Total {
    #private;
    /** When the call began, in milliseconds since the epoch. */
    readonly startedAtMs: number;
    /** True if the attempt in flight ends with the total timeout, not with its own. */
    bindsAttempt: boolean;
    /** The last response that a retry followed. */
    answer: Outcome | undefined;
    /** True if it is the result of the request. */
    fallsBack: boolean;
    constructor(policy: Policy);
    /** `undefined` without a total timeout. Reading a clock takes as long as half of the rest of a session. */
    static of(policy: Policy): Total | undefined;
    get timeoutMs(): number;
    /** What is left of it, in milliseconds. */
    get leftMs(): number;
    /** @throws OutOfTime if it has passed */
    check(): void;
    /** How long an attempt may take that has `ownMs` milliseconds of its own. */
    bound(ownMs: number | undefined): number;
    /** True for an attempt that it has ended. */
    hasEnded(outcome: Outcome): boolean;
}
//# sourceMappingURL=total.d.ts.map