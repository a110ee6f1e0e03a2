import type { Outcome, RequestTraits, Verdict } from '../http/outcome.ts';
import type { PlannedRetry } from './part.ts';
import type { Policy } from './policy.ts';
import type { RetryReason, StopReason } from './reason.ts';
/** The state of a request when an attempt has ended. */
export interface Progress {
    readonly request: RequestTraits;
    /** The attempt that the outcome belongs to, from 1. */
    readonly attempt: number;
    /** When the call began, in milliseconds since the epoch; `undefined` if the policy has no total timeout. */
    readonly startedAtMs: number | undefined;
    /** The delay that the backoff rule returned for the retry before, in milliseconds; `undefined` at the first. */
    readonly previousBackoffMs: number | undefined;
    /** Asked last: it may take something for the retry, and returns the reason if it must not be sent. */
    permit?(retry: PlannedRetry): StopReason | undefined;
    /** True if every attempt carries the same idempotency key of ebb. */
    readonly isKeyed?: boolean | undefined;
    /** True if an attempt did not carry the idempotency key of the request, or carried another one. */
    readonly isKeyLost?: boolean | undefined;
    /** The tokens that the attempt took; `undefined` if there is no bucket. */
    readonly cost?: number | undefined;
}
/** What to do after an attempt. `backoffMs` is the result of the backoff rule, `delayMs` the delay before the retry. */
export type Decision = {
    readonly retry: true;
    readonly reason: RetryReason;
    readonly delayMs: number;
    readonly backoffMs: number;
} | {
    readonly retry: false;
    readonly reason: StopReason;
};
/** After a success there is nothing to decide. */
export declare const SUCCESS: Decision;
/**
 * What an outcome means by its body, if `inspect` has judged that, or else by `classify`.
 *
 * @throws HookError if `classify` throws, or returns an invalid value
 */
export declare function verdictOf(policy: Policy, outcome: Outcome, progress: Pick<Progress, 'request' | 'attempt'>): Verdict;
/**
 * Decides whether a request is sent again, when, and why. It reads no clock and does not wait. Its only side effect is that of
 * {@link Progress.permit}, which is asked last, so that a retry that is denied for another reason costs nothing.
 *
 * @throws HookError if a hook of the policy throws, or returns an invalid value
 */
export declare function decide(policy: Policy, progress: Progress, outcome: Outcome, nowMs: number): Decision;
/** {@link decide} after anything else. */
export declare function decideRetry(policy: Policy, progress: Progress, outcome: Outcome, before: Exclude<Verdict, 'success'>, nowMs: number): Decision;
//# sourceMappingURL=decide.d.ts.map