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
export type { FurtherLimit, NonConforming, Overflow, TokenBucketOptions } from './bucket-options.ts';
export {
  type Classify,
  classifyHttp,
  classifyHttpByMeaning,
  isIdempotent,
  type Verdict,
} from './classify.ts';
export { type Clock, nextTurn, type Random, sleep, systemClock, systemRandom } from './clock.ts';
export { type Decision, decide, type Progress } from './decide.ts';
export { HookError, ThrottledError, type ThrottledReason } from './errors.ts';
export type { EbbEvent, Observer } from './events.ts';
export { failureKind } from './failure.ts';
export type { Quota } from './gcra.ts';
export * as gcra from './gcra.ts';
export { ATTEMPTS, type Attempt, attemptsOf, remember } from './history.ts';
export type {
  Ask,
  BucketStats,
  Grant,
  ObservableBucket,
  PerKey,
  RetryBudget,
  TokenBucket,
} from './limits.ts';
export type { FailureKind, Outcome, RequestTraits } from './outcome.ts';
export {
  createPolicy,
  overridePolicy,
  type Policy,
  type PolicyOptions,
  type RetryMethods,
} from './policy.ts';
export type { EndReason, RetryReason, StopReason } from './reason.ts';
export { parseHttpDate, retryAfterMs } from './retry-after.ts';
export { type Exchange, run } from './run.ts';
export { begin, type RequestOptions, Session } from './session.ts';
