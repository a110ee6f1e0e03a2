import { having } from '../base/check.ts';
import { bring } from '../call/permits.ts';
import type { OwnBucket, OwnBudget, OwnLimit } from '../policy/contracts.ts';
import type { BroughtLimit } from '../policy/limit.ts';
import type { BringsLimit, ConcurrencyLimit, RetryBudget, TokenBucket } from '../policy/part.ts';
import { GatedLimit } from './bucket/gated-limit.ts';
import { BucketPermit, SettledPermit } from './bucket/part.ts';
import { budgetLimit } from './budget/budget.ts';
import { slotLimit } from './concurrency/concurrency.ts';

const isBucket = /* @__PURE__ */ having('a token bucket', 'tryAcquire', 'acquire');
const isLimit = /* @__PURE__ */ having('a concurrency limit', 'tryAcquire', 'acquire', 'stats');
const isBudget = /* @__PURE__ */ having('a retry budget', 'deposit', 'withdraw');

function bringing<T extends object>(own: T, limit: BroughtLimit): T & BringsLimit {
  // Not enumerable: a copy of it is an object of the user's own.
  return Object.defineProperty(own, 'limit', { value: limit, configurable: true }) as T & BringsLimit;
}

/**
 * A bucket of your own, for a policy: the same object, which now brings the code that takes its tokens for each attempt.
 *
 * @throws TypeError unless it has `tryAcquire` and `acquire`
 * @example
 * ```ts
 * import { createPolicy, type OwnBucket, ownBucket } from '@ebb/core';
 *
 * declare const fromTheStore: OwnBucket;
 * const policy = createPolicy({ bucket: ownBucket(fromTheStore) });
 * ```
 */
export function ownBucket<T extends OwnBucket>(bucket: T): T & TokenBucket {
  isBucket('ownBucket: bucket', bucket);
  return bringing(
    bucket,
    bring(new GatedLimit(bucket, false, bucket.settled ? SettledPermit : BucketPermit)),
  );
}

/**
 * A concurrency limit of your own, for a policy: the same object, with the code that takes a slot for each attempt.
 *
 * @throws TypeError unless it has `tryAcquire`, `acquire` and `stats`
 * @example
 * ```ts
 * import { createPolicy, type OwnLimit, ownLimit } from '@ebb/core';
 *
 * declare const byLatency: OwnLimit;
 * const policy = createPolicy({ concurrency: ownLimit(byLatency) });
 * ```
 */
export function ownLimit<T extends OwnLimit>(limit: T): T & ConcurrencyLimit {
  isLimit('ownLimit: limit', limit);
  return bringing(limit, slotLimit(limit));
}

/**
 * A retry budget of your own, for a policy: the same object, with the code that withdraws each retry.
 *
 * @throws TypeError unless it has `deposit` and `withdraw`
 * @example
 * ```ts
 * import { createPolicy, ownBudget } from '@ebb/core';
 *
 * let left = 10;
 * const ten = { get balance() { return left; }, deposit() {}, withdraw: () => left-- > 0 };
 * const policy = createPolicy({ budget: ownBudget(ten) });
 * ```
 */
export function ownBudget<T extends OwnBudget>(budget: T): T & RetryBudget {
  isBudget('ownBudget: budget', budget);
  return bringing(budget, budgetLimit(budget));
}
