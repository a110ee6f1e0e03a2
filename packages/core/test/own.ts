// Buckets, limits and budgets of tests, with the code by which calls use those of ebb.
import { bucketLimit, completionLimit } from '../src/limits/bucket/bucket-limit.ts';
import { budgetLimit } from '../src/limits/budget/budget.ts';
import type { BucketMethods, BudgetMethods } from '../src/policy/contracts.ts';
import type { BroughtLimit } from '../src/policy/limit.ts';
import type { BringsLimit, RetryBudget, TokenBucket } from '../src/policy/limit-options.ts';

function bringing<T extends object>(own: T, limit: BroughtLimit): T & BringsLimit {
  return Object.defineProperty(own, 'limit', { value: limit, configurable: true }) as T & BringsLimit;
}

export function ownBucket<T extends BucketMethods>(bucket: T): T & TokenBucket {
  return bringing(bucket, bucket.chargesOnCompletion ? completionLimit(bucket) : bucketLimit(bucket));
}

export function ownBudget<T extends BudgetMethods>(budget: T): T & RetryBudget {
  return bringing(budget, budgetLimit(budget));
}
