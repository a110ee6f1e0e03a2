export { callObserver } from './base/call-observer.ts';
export * as check from './base/check.ts';
export { nextTurn, sleep, systemClock, systemRandom } from './base/clock.ts';
export { property } from './base/property.ts';
export { originOf } from './http/origin.ts';
export { type ReadFeedback, serverFeedback } from './http/server-feedback.ts';
export { CLOSED, noOneWaits, waitingAtClose } from './limits/bucket/closing.ts';
export type { Quota } from './limits/bucket/gcra.ts';
export * as gcra from './limits/bucket/gcra.ts';
export {
  type BucketSetup,
  bucketSetup,
  type FeedbackScope,
  type NonConforming,
} from './limits/bucket/options.ts';
export { OriginGates } from './limits/bucket/origin-gates.ts';
export { type FeedbackRules, type RequestedPause, requestedPause } from './limits/bucket/requested-pause.ts';
export type { CloseOptions } from './limits/contracts.ts';
export type { CallsBeforeUse } from './limits/evicted.ts';
export { type LeaseCall, LeasedRetries, leaseOf } from './limits/leased-retries.ts';
export { SteadyTime } from './limits/queue/time.ts';
export { deadlineOf, type Waiter } from './limits/queue/waiting-line.ts';
export {
  WAITING_CHECKS,
  type WaitingOptions,
  WaitingRoom,
  type WaitingSetup,
  waitingSetup,
} from './limits/queue/waiting-room.ts';
