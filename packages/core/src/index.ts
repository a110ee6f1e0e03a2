export type { Clock, Random } from './base/clock.ts';
export { HookError, ThrottledError, type ThrottledReason } from './base/errors.ts';
export { type Classify, classifyHttp, classifyHttpByMeaning, type Verdict } from './http/classify.ts';
export type { FailureKind, Outcome, RequestTraits } from './http/outcome.ts';
export { type Feedback, serverFeedback } from './http/server-feedback.ts';
export { type AdaptiveOptions, adaptive } from './limits/bucket/adaptive.ts';
export { type BucketPerKey, bucketPerKey } from './limits/bucket/bucket-per-key.ts';
export type { TokenBucketOptions } from './limits/bucket/options.ts';
export { type MemoryBucket, tokenBucket } from './limits/bucket/token-bucket.ts';
export { type RetryBudgetOptions, retryBudget } from './limits/budget.ts';
export { budgetPerKey } from './limits/budget-per-key.ts';
export { type ConcurrencyOptions, concurrencyLimit, concurrencyPerKey } from './limits/concurrency.ts';
export type {
  AcquireOptions,
  BucketStats,
  ConcurrencyLimit,
  Grant,
  ObservableBucket,
  PerKey,
  RetryBudget,
  Slot,
  TokenBucket,
} from './limits/contracts.ts';
export type { PerKeyOptions } from './limits/per-key.ts';
export {
  type BackoffStrategy,
  binaryExponential,
  celery,
  connectRetry,
  constant,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
  memorystore,
} from './policy/backoff.ts';
export type { EbbEvent } from './policy/events.ts';
export { createPolicy, type Policy, type PolicyOptions } from './policy/policy.ts';
export type { StopReason } from './policy/reason.ts';
export { type Attempt, attemptsOf, grantOf } from './request/history.ts';
export type { RequestOptions } from './request/session.ts';
