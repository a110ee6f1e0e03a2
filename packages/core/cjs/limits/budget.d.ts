import { type Clock, type Random } from '../base/clock.ts';
import { type Complete, type OptionTable } from '../base/options.ts';
import type { Part } from '../policy/part.ts';
import { type ClockBound } from './bind-clock.ts';
import type { RetryBudget } from './contracts.ts';
/** Options of {@link retryBudget}. */
export interface RetryBudgetOptions {
    /**
     * Retries per successful request.
     * @default 0.2
     */
    readonly ratio?: number | undefined;
    /**
     * Retries that a client may make before its first success. Once spent, they come back with successes alone, or after
     * six windows without any use of the budget.
     *
     * Each client has a reserve of its own, and over a fleet they add up: choose less than one for a large fleet of quiet
     * clients. With 0.1 one client in ten has a retry, drawn at random at its first failure.
     * @default 3
     */
    readonly reserve?: number | undefined;
    /**
     * How long a success counts, in milliseconds.
     * @default 10_000
     */
    readonly windowMs?: number | undefined;
    /** @default that of the policy; without a policy that of the system */
    readonly clock?: Clock | undefined;
    /**
     * Decides whether a balance below one is spent on a retry.
     * @default Math.random
     */
    readonly random?: Random | undefined;
}
/** How the options of a retry budget are read. */
export declare const BUDGET_OPTIONS: OptionTable<RetryBudgetOptions>;
/** What {@link retryBudget} returns. */
export declare class SuccessBudget implements RetryBudget, ClockBound {
    #private;
    constructor(setup: Complete<RetryBudgetOptions>);
    get part(): Part;
    takeClock(clock: Clock): void;
    get balance(): number;
    get isIdle(): boolean;
    deposit(): void;
    withdraw(): boolean;
    /**
     * Restores the balance from before the last withdrawal, as far as successes have not left the window since. A retry that
     * was drawn brings back at most what the budget can hold: on average no more than was spent, because other draws failed.
     */
    refund(): void;
}
/**
 * Limits retries to a share of the successful requests.
 *
 * Why a budget, when there is `maxRetries`? A retry count limits one request. In an outage every request fails, and five
 * retries each are six times the load, just when the service can bear it least. A budget looks at all requests together:
 * while most succeed each failure can be retried, and while most fail hardly any is, so that retries add a fifth to the
 * load instead of multiplying it. A request that is denied a retry ends at once with the outcome that it has.
 *
 * A retry costs one, a success deposits `ratio`, and the balance never exceeds `reserve` plus `ratio` per success of the
 * last `windowMs`. If that bound is below one, the next failure spends the whole balance and is retried with that
 * probability: over a fleet that is the same share, and no client has to save up. The balance does not grow with time
 * while requests fail: an allowance per second, however small, adds up over a fleet and keeps a struggling service down.
 *
 * Sources: gRPC A6 (a failure costs one token, a success returns a part, no retries below half); Finagle `RetryBudget` (a
 * fifth of the requests of 10 s); AWS SDKs, standard retry mode (500 tokens, 14 per retry, returned by success); Google,
 * "Site Reliability Engineering", chapter 21 (a tenth of each client's requests). With the defaults a simulated fleet of
 * 10,000 recovers from an outage as soon, and sends as little, as with the best of these.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, retryBudget } from '@ebb/core';
 *
 * // One retry for every ten successes, plus one in reserve.
 * const policy = createPolicy({ budget: retryBudget({ ratio: 0.1, reserve: 1 }) });
 * ```
 */
export declare function retryBudget(options?: RetryBudgetOptions): RetryBudget;
//# sourceMappingURL=budget.d.ts.map