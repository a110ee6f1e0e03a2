import type { ConcurrencyLimit, OwnBucket, OwnBudget, OwnLimit, RetryBudget, TokenBucket } from '../limits/contracts.ts';
/**
 * A bucket of your own, for a policy: the same object, which now brings the code that takes its tokens for each attempt.
 *
 * @throws TypeError unless it has `tryAcquire` and `acquire`
 */
export declare function ownBucket<T extends OwnBucket>(bucket: T): T & TokenBucket;
/**
 * A concurrency limit of your own, for a policy: the same object, with the code that takes a slot for each attempt.
 *
 * @throws TypeError unless it has `tryAcquire`, `acquire` and `stats`
 */
export declare function ownLimit<T extends OwnLimit>(limit: T): T & ConcurrencyLimit;
/**
 * A retry budget of your own, for a policy: the same object, with the code that withdraws each retry.
 *
 * @throws TypeError unless it has `deposit` and `withdraw`
 */
export declare function ownBudget<T extends OwnBudget>(budget: T): T & RetryBudget;
//# sourceMappingURL=own.d.ts.map