export {
  constant,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
  memorystore,
} from './backoff/curves.ts';
export { binaryExponential, celery, connectRetry } from './backoff/ending-rules.ts';
export type { BackoffStrategy } from './backoff/strategy.ts';
export { HookError, NotSentError, type NotSentReason } from './base/errors.ts';
export type { Clock, Random } from './base/time.ts';
export { attemptsOf } from './call/attempts.ts';
export { type Attempt, grantOf, type HedgeRecord } from './call/history.ts';
export type { RequestOptions } from './call/transport.ts';
export { type Classify, classifyHttp, classifyHttpByMeaning } from './http/classify.ts';
export type {
  FailureKind,
  Feedback,
  InspectedResponse,
  Judgement,
  Outcome,
  ReadFeedback,
  RequestTraits,
  ServerEvent,
  Verdict,
} from './http/outcome.ts';
export { serverFeedback } from './http/server-feedback.ts';
export type { OuterCall } from './nested/outer-call.ts';
export {
  detailsOf,
  type EbbEvent,
  type EventDetails,
  type ReportedError,
  type ReportedOutcome,
  type ReportedRequest,
  type StopReason,
  type ThrottleState,
} from './news/events.ts';
export { type AdaptiveOptions, adaptive } from './parts/bucket/adaptive.ts';
export type { TokenBucketOptions } from './parts/bucket/options.ts';
export { bodyEnds } from './parts/bucket/part.ts';
export {
  type QuotaBucket,
  type QuotaBucketOptions,
  type QuotaLimit,
  quotaBucket,
} from './parts/bucket/quota-bucket.ts';
export { type MemoryBucket, tokenBucket } from './parts/bucket/token-bucket.ts';
export { type RetryBudgetOptions, retryBudget } from './parts/budget/budget.ts';
export type { CoalescedOptions } from './parts/coalescing/coalescing.ts';
export { type ConcurrencyOptions, concurrencyLimit } from './parts/concurrency/concurrency.ts';
export type { Inspect } from './parts/inspect/inspect-body.ts';
export { type InspectBodyOptions, inspectBody } from './parts/inspect/inspect-body.ts';
export type { BucketStats, ObservableBucket, UnitStats } from './parts/limit.ts';
export { type BucketPerKey, type PerKeyOptions, perKey } from './parts/per-key/per-key.ts';
export { interactive } from './parts/throttle/interactive.ts';
export { type ThrottleOptions, throttle } from './parts/throttle/throttle.ts';
export { type UnauthorizedOptions, unauthorized } from './parts/unauthorized/unauthorized.ts';
export type { PartCall as CallView, PlannedRetry } from './policy/call-view.ts';
export type { AcquireOptions, Costs, Grant, Slot } from './policy/contracts.ts';
export type {
  BeforeAttempt,
  CurrentAttempt,
  HeaderChanges,
  HeaderChangesInit,
  HeaderList,
  HeaderValue,
  NextAttempt,
  WrapAttempt,
} from './policy/hooks.ts';
export type { BroughtLimit, Limit, Permit, Skip, Wait } from './policy/limit.ts';
export type { InnermostMiddleware, Middleware, MiddlewareCall } from './policy/middleware.ts';
export type { Policy, PolicyOptions } from './policy/options.ts';
export type {
  BringsLimit,
  ConcurrencyLimit,
  PerKey,
  RetryBudget,
  Throttle,
  TokenBucket,
} from './policy/part.ts';
export type { BodyAccess, BodyInspector, CostReader, Inspector, Plugin } from './policy/plugin.ts';
export { createPolicy } from './policy/policy.ts';
export { fairQueue } from './queue/fair-queue.ts';
export { priorityQueue } from './queue/order.ts';
export { type AttemptContext, type RetryOptions, retry, type Settled } from './retry/retry.ts';
