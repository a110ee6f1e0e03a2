export { type AdaptiveOptions, adaptive } from './adaptive.ts';
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
} from './backoff.ts';
export { type MemoryBucket, tokenBucket } from './bucket.ts';
export {
  type BucketSetup,
  bucketSetup,
  type FeedbackScope,
  type FurtherLimit,
  type NonConforming,
  type TokenBucketOptions,
} from './bucket-options.ts';
export { type BucketPerKey, bucketPerKey } from './bucket-per-key.ts';
export { BucketTime } from './bucket-time.ts';
export { type RetryBudgetOptions, retryBudget } from './budget.ts';
export { budgetPerKey } from './budget-per-key.ts';
export * as check from './check.ts';
export {
  type Classify,
  classifyHttp,
  classifyHttpByMeaning,
  isIdempotent,
  type Verdict,
} from './classify.ts';
export { type Clock, nextTurn, type Random, sleep, systemClock, systemRandom } from './clock.ts';
export { CLOSED, noOneWaits, waitingAtClose } from './closing.ts';
export { type ConcurrencyOptions, concurrencyLimit, concurrencyPerKey } from './concurrency.ts';
export { type Decision, decide, type Progress } from './decide.ts';
export { drain, LONGEST_DISCARD_MS, MOST_DISCARDED_BYTES, readToEnd } from './drain.ts';
export { callHook, HookError, ThrottledError, type ThrottledReason } from './errors.ts';
export type { EbbEvent, Observer } from './events.ts';
export { failureKind } from './failure.ts';
export type { Quota } from './gcra.ts';
export * as gcra from './gcra.ts';
export { type Heeded, type HeedRules, heeded } from './heed.ts';
export { type Attempt, attemptsOf, grantOf, remember, rememberReason } from './history.ts';
export { countLayer, LAYER } from './layers.ts';
export { type LeaseCall, LeasedRetries, type LeaseTerms, leaseOf } from './leased-retries.ts';
export type { CallsBeforeUse } from './let-go.ts';
export type {
  Ask,
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
} from './limits.ts';
export { forRequest } from './limits.ts';
export { observe } from './observe.ts';
export { onAbort } from './on-abort.ts';
export { originOf } from './origin.ts';
export { OriginGates } from './origin-gates.ts';
export type { FailureKind, Outcome, RequestTraits } from './outcome.ts';
export type { PerKeyOptions } from './per-key.ts';
export {
  createPolicy,
  overridePolicy,
  type Policy,
  type PolicyOptions,
  type RetryMethods,
} from './policy.ts';
export { property } from './property.ts';
export type { EndReason, RetryReason, StopReason } from './reason.ts';
export { parseHttpDate, retryAfterMs } from './retry-after.ts';
export { type Aside, type Exchange, run } from './run.ts';
export { type Feedback, type ReadFeedback, serverFeedback } from './server-feedback.ts';
export { begin, type RequestOptions, Session } from './session.ts';
export { deadlineOf, type Waiter } from './waiting-line.ts';
export {
  type Overflow,
  WAITING_CHECKS,
  type WaitingOptions,
  WaitingRoom,
  type WaitingSetup,
  waitingSetup,
} from './waiting-room.ts';
