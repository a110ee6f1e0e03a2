export * as check from './base/check.ts';
export { CLOCK_OPTION, nextTurn, RANDOM_OPTION, systemClock } from './base/clock.ts';
export { callObserver, property } from './base/errors.ts';
export { Heap, type HeapEntry } from './base/heap.ts';
export { type Complete, type OptionTable, readOptions } from './base/options.ts';
export { sleep } from './base/signals.ts';
export { originOf } from './http/outcome.ts';
export type { Quota } from './limits/bucket/gcra.ts';
export * as gcra from './limits/bucket/gcra.ts';
export { Level, type LevelSetup } from './limits/bucket/level.ts';
export {
  type BucketSetup,
  bucketSetup,
  defaultCapacity,
  type NonConforming,
  WAITING_BUCKET_OPTIONS,
  type WaitingBucketOptions,
  type WaitingBucketSetup,
} from './limits/bucket/options.ts';
export type { SourceFault, TokenSource, WaitingQueue } from './limits/bucket/token-source.ts';
export { NamedUnits } from './limits/bucket/units.ts';
export { WaitingBucket } from './limits/bucket/waiting-bucket.ts';
export { budgetLimit } from './limits/budget/budget.ts';
export { type LeaseCall, LeasedRetries, leaseOf } from './limits/budget/leased-retries.ts';
export type { CloseOptions } from './limits/limit.ts';
export { mustHaveClock } from './limits/limit.ts';
export { type BucketPerKey, type Entry, type LimitOfKey, LimitPerKey } from './limits/per-key/per-key.ts';
export { type Occasion, ThrottleRule } from './limits/throttle/rule.ts';
export { delayAfterSkip, isBad, mostScheduled, THROTTLE_OPTIONS } from './limits/throttle/throttle.ts';
export type { ChecksCalls } from './policy/limit-options.ts';
export type { Amount } from './queue/queue.ts';
export { SteadyTime, Timer } from './queue/time.ts';
