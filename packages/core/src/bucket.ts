export * as check from './base/check.ts';
export { CLOCK_OPTION, nextTurn, RANDOM_OPTION, systemClock } from './base/clock.ts';
export { callObserver, property } from './base/errors.ts';
export { Heap, type Heaped } from './base/heap.ts';
export { type Complete, type OptionTable, readOptions } from './base/options.ts';
export { sleep } from './base/signals.ts';
export { originOf } from './http/outcome.ts';
export type { Quota } from './parts/bucket/gcra.ts';
export * as gcra from './parts/bucket/gcra.ts';
export { Level, type LevelSetup } from './parts/bucket/level.ts';
export {
  type BucketSetup,
  bucketSetup,
  defaultCapacity,
  type NonConforming,
  WAITING_BUCKET_OPTIONS,
  type WaitingBucketOptions,
  type WaitingBucketSetup,
} from './parts/bucket/options.ts';
export type { TokenSource, Unavailable, WaitingQueue } from './parts/bucket/token-source.ts';
export { NamedUnits } from './parts/bucket/units.ts';
export { WaitingBucket } from './parts/bucket/waiting-bucket.ts';
export { budgetLimit } from './parts/budget/budget.ts';
export { type LeaseCall, LeasedRetries, leaseOf } from './parts/budget/leased-retries.ts';
export type { CloseOptions } from './parts/limit.ts';
export { mustHaveClock } from './parts/limit.ts';
export { type BucketPerKey, type Entry, type LimitOfKey, LimitPerKey } from './parts/per-key/per-key.ts';
export { type Occasion, ThrottleRule } from './parts/throttle/rule.ts';
export { isBad, THROTTLE_OPTIONS } from './parts/throttle/throttle.ts';
export type { ChecksCalls } from './policy/part.ts';
export type { Amount } from './queue/queue.ts';
export { SteadyTime, Timer } from './queue/time.ts';
