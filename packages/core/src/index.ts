export type { Clock, Random } from './base/clock.ts';
export { HookError, ThrottledError, type ThrottledReason } from './base/errors.ts';
export { type Classify, classifyHttp, classifyHttpByMeaning } from './http/classify.ts';
export type { Feedback, ReadFeedback } from './http/feedback.ts';
export type { BodyInspector, Inspect, InspectedResponse, ServerEvent } from './http/inspect.ts';
export { type InspectBodyOptions, inspectBody } from './http/inspect-body.ts';
export type { FailureKind, Judgement, Outcome, RequestTraits, Verdict } from './http/outcome.ts';
export { serverFeedback } from './http/server-feedback.ts';
export { type AdaptiveOptions, adaptive } from './limits/bucket/adaptive.ts';
export type { TokenBucketOptions } from './limits/bucket/options.ts';
export { type MemoryBucket, tokenBucket } from './limits/bucket/token-bucket.ts';
export { type RetryBudgetOptions, retryBudget } from './limits/budget.ts';
export { type ConcurrencyOptions, concurrencyLimit } from './limits/concurrency.ts';
export type {
  AcquireOptions,
  BucketStats,
  ConcurrencyLimit,
  Grant,
  ObservableBucket,
  OwnBucket,
  OwnBudget,
  OwnLimit,
  PerKey,
  RetryBudget,
  Slot,
  TokenBucket,
} from './limits/contracts.ts';
export { type BucketPerKey, type PerKeyOptions, perKey } from './limits/per-key.ts';
export { priorityQueue } from './limits/queue/priority-queue.ts';
export { ownBucket, ownBudget, ownLimit } from './parts/own.ts';
export type { AroundAttempt, CurrentAttempt } from './policy/around-attempt.ts';
export { celery } from './policy/backoff/celery.ts';
export {
  constant,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
} from './policy/backoff/curves.ts';
export { binaryExponential, connectRetry } from './policy/backoff/ending-rules.ts';
export { memorystore } from './policy/backoff/memorystore.ts';
export type { BackoffStrategy } from './policy/backoff/strategy.ts';
export type {
  BeforeAttempt,
  HeaderChanges,
  HeaderChangesInit,
  HeaderList,
  NextAttempt,
} from './policy/before-attempt.ts';
export { detailsOf, type EbbEvent, type EventDetails } from './policy/events.ts';
export type { PolicyOptions } from './policy/options.ts';
export type {
  Around,
  Call,
  Lack,
  Look,
  Part,
  Place,
  PlannedRetry,
  Turn,
} from './policy/part.ts';
export { createPolicy, type Policy } from './policy/policy.ts';
export type { StopReason } from './policy/reason.ts';
export type { ReportedError, ReportedOutcome, ReportedRequest } from './policy/reported.ts';
export { type Attempt, attemptsOf, grantOf } from './request/history.ts';
export { type AttemptContext, type RetryOptions, retry, type Settled } from './request/retry.ts';
export type { RequestOptions } from './request/start-session.ts';
