export { callObserver } from './base/call-observer.ts';
export * as check from './base/check.ts';
export { nextTurn, sleep, systemClock, systemRandom } from './base/clock.ts';
export {
  CLOCK_OPTION,
  type Complete,
  type OptionTable,
  RANDOM_OPTION,
  readOptions,
} from './base/options.ts';
export { property } from './base/property.ts';
export { originOf } from './http/origin.ts';
export type { Quota } from './limits/bucket/gcra.ts';
export * as gcra from './limits/bucket/gcra.ts';
export {
  type BucketSetup,
  bucketSetup,
  checkFeedback,
  defaultCapacity,
  type FeedbackScope,
  type NonConforming,
} from './limits/bucket/options.ts';
export * as refillSteps from './limits/bucket/refill-steps.ts';
export type { FeedbackRules } from './limits/bucket/requested-pause.ts';
export { originGate } from './limits/bucket/token-bucket.ts';
export type { TokenSource, Unavailable } from './limits/bucket/token-source.ts';
export { WaitingBucket, type WaitingBucketSetup } from './limits/bucket/waiting-bucket.ts';
export type { CloseOptions } from './limits/contracts.ts';
export { type LeaseCall, LeasedRetries, leaseOf } from './limits/leased-retries.ts';
export {
  WAITING_OPTIONS,
  type WaitingOptions,
  type WaitingSetup,
} from './limits/queue/options.ts';
export { SteadyTime } from './limits/queue/time.ts';
export { WaitingRoom } from './limits/queue/waiting-room.ts';
