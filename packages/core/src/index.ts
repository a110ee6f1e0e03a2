export { callObserver } from './base/call-observer.ts';
export * as check from './base/check.ts';
export { type Clock, nextTurn, type Random, sleep, systemClock, systemRandom } from './base/clock.ts';
export { callHook, HookError, ThrottledError, type ThrottledReason } from './base/errors.ts';
export { onAbort } from './base/on-abort.ts';
export { property } from './base/property.ts';
export {
  type Classify,
  classifyHttp,
  classifyHttpByMeaning,
  isIdempotent,
  type Verdict,
} from './http/classify.ts';
export { drain, LONGEST_DISCARD_MS, MOST_DISCARDED_BYTES, readToEnd } from './http/drain.ts';
export { failureKind } from './http/failure.ts';
export { originOf } from './http/origin.ts';
export type { FailureKind, Outcome, RequestTraits } from './http/outcome.ts';
export { parseHttpDate, retryAfterMs } from './http/retry-after.ts';
export { type Feedback, type ReadFeedback, serverFeedback } from './http/server-feedback.ts';
export { type AdaptiveOptions, adaptive } from './limits/bucket/adaptive.ts';
export { type BucketPerKey, bucketPerKey } from './limits/bucket/bucket-per-key.ts';
export { CLOSED, noOneWaits, waitingAtClose } from './limits/bucket/closing.ts';
export type { Quota } from './limits/bucket/gcra.ts';
export * as gcra from './limits/bucket/gcra.ts';
export {
  type BucketSetup,
  bucketSetup,
  type FeedbackScope,
  type FurtherLimit,
  type NonConforming,
  type TokenBucketOptions,
} from './limits/bucket/options.ts';
export { OriginGates } from './limits/bucket/origin-gates.ts';
export { type FeedbackRules, type RequestedPause, requestedPause } from './limits/bucket/requested-pause.ts';
export { type MemoryBucket, tokenBucket } from './limits/bucket/token-bucket.ts';
export { type RetryBudgetOptions, retryBudget } from './limits/budget.ts';
export { budgetPerKey } from './limits/budget-per-key.ts';
export { type ConcurrencyOptions, concurrencyLimit, concurrencyPerKey } from './limits/concurrency.ts';
export type {
  AcquireOptions,
  BucketStats,
  CloseOptions,
  ConcurrencyLimit,
  ConcurrencyStats,
  Grant,
  ObservableBucket,
  PerKey,
  RetryBudget,
  Slot,
  TokenBucket,
} from './limits/contracts.ts';
export { forRequest } from './limits/contracts.ts';
export type { CallsBeforeUse } from './limits/evicted.ts';
export { type LeaseCall, LeasedRetries, type LeaseTerms, leaseOf } from './limits/leased-retries.ts';
export type { PerKeyOptions } from './limits/per-key.ts';
export { SteadyTime } from './limits/queue/time.ts';
export { deadlineOf, type Waiter } from './limits/queue/waiting-line.ts';
export {
  type Overflow,
  WAITING_CHECKS,
  type WaitingOptions,
  WaitingRoom,
  type WaitingSetup,
  waitingSetup,
} from './limits/queue/waiting-room.ts';
export {
  type BackoffStep,
  type BackoffStrategy,
  type BinaryExponentialOptions,
  binaryExponential,
  type CeleryOptions,
  type ConnectRetryOptions,
  type Curve,
  celery,
  connectRetry,
  constant,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
  type MemorystoreOptions,
  memorystore,
} from './policy/backoff.ts';
export { type Decision, decide, type Progress } from './policy/decide.ts';
export type { EbbEvent, Observer } from './policy/events.ts';
export {
  createPolicy,
  overridePolicy,
  type Policy,
  type PolicyOptions,
  type RetryMethods,
} from './policy/policy.ts';
export type { EndReason, RetryReason, StopReason } from './policy/reason.ts';
export { type Attempt, attemptsOf, grantOf, remember, rememberReason } from './request/history.ts';
export { countLayer, LAYER } from './request/layers.ts';
export { type Aside, type Exchange, run } from './request/run.ts';
export { type RequestOptions, Session, startSession } from './request/session.ts';
