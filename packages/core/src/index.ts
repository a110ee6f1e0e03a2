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
export { grantOf } from './call/history.ts';
export type { RequestOptions } from './call/transport.ts';
export {
  type Attempt,
  detailsOf,
  type EbbEvent,
  type EventDetails,
  type HedgeRecord,
  type ReportedError,
  type ReportedOutcome,
  type ReportedRequest,
  type StopReason,
  type ThrottleState,
} from './events/events.ts';
export { type Classify, classifyHttp, classifyHttpByMeaning } from './http/classify.ts';
export type {
  FailureKind,
  Feedback,
  InspectedResponse,
  InspectResult,
  Outcome,
  ReadFeedback,
  RequestTraits,
  ServerEvent,
  Verdict,
} from './http/outcome.ts';
export { serverFeedback } from './http/server-feedback.ts';
export { type AdaptiveOptions, adaptive } from './limits/bucket/adaptive.ts';
export { bodyEnds } from './limits/bucket/bucket-limit.ts';
export type { TokenBucketOptions } from './limits/bucket/options.ts';
export {
  type QuotaBucket,
  type QuotaBucketOptions,
  type QuotaLimit,
  quotaBucket,
} from './limits/bucket/quota-bucket.ts';
export { type MemoryBucket, tokenBucket } from './limits/bucket/token-bucket.ts';
export { type RetryBudgetOptions, retryBudget } from './limits/budget/budget.ts';
export { type ConcurrencyOptions, concurrencyLimit } from './limits/concurrency/concurrency.ts';
export type { BucketStats, ObservableBucket, UnitStats } from './limits/limit.ts';
export { type BucketPerKey, type PerKeyOptions, perKey } from './limits/per-key/per-key.ts';
export { interactive } from './limits/throttle/interactive.ts';
export { adaptiveThrottle, type ThrottleOptions } from './limits/throttle/throttle.ts';
export type { OuterCall } from './nested/outer-call.ts';
export type { DeduplicateOptions } from './plugins/deduplicate/deduplicate.ts';
export type { Inspect } from './plugins/inspect/inspect-body.ts';
export { type InspectBodyOptions, inspectBody } from './plugins/inspect/inspect-body.ts';
export { type RefreshOn401Options, refreshOn401 } from './plugins/refresh-on-401/refresh-on-401.ts';
export type { CallView, PlannedRetry } from './policy/call-view.ts';
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
export type {
  BringsLimit,
  ConcurrencyLimit,
  PerKey,
  RetryBudget,
  Throttle,
  TokenBucket,
} from './policy/limit-options.ts';
export type { InnermostMiddleware, Middleware, MiddlewareCall } from './policy/middleware.ts';
export type { Policy, PolicyOptions } from './policy/options.ts';
export type { BodyAccess, BodyInspector, CostReader, Inspector, Plugin } from './policy/plugin.ts';
export { createPolicy } from './policy/policy.ts';
export { fairQueue } from './queue/fair-queue.ts';
export { priorityQueue } from './queue/order.ts';
export { type AttemptContext, type AttemptResult, type RetryOptions, retry } from './retry/retry.ts';
