export { callObserver } from './base/call-observer.ts';
export * as check from './base/check.ts';
export { nextTurn, systemClock } from './base/clock.ts';
export {
  CLOCK_OPTION,
  type Complete,
  LIMIT_CLOCK_OPTION,
  type OptionTable,
  RANDOM_OPTION,
  readOptions,
} from './base/options.ts';
export { property } from './base/property.ts';
export { sleep } from './base/sleep.ts';
export type { Quota } from './limits/bucket/gcra.ts';
export * as gcra from './limits/bucket/gcra.ts';
export {
  type BucketSetup,
  bucketSetup,
  defaultCapacity,
  type NonConforming,
  WAITING_BUCKET_OPTIONS,
  type WaitingBucketOptions,
  type WaitingBucketSetup,
} from './limits/bucket/options.ts';
export { originGate } from './limits/bucket/token-bucket.ts';
export type { TokenSource, Unavailable, WaitingQueue } from './limits/bucket/token-source.ts';
export { WaitingBucket } from './limits/bucket/waiting-bucket.ts';
export type { CloseOptions } from './limits/contracts.ts';
export { type LeaseCall, LeasedRetries, leaseOf } from './limits/leased-retries.ts';
export { SteadyTime } from './limits/queue/time.ts';
export { BudgetPart } from './parts/budget.ts';
