/** Why there will be another attempt: the last one was refused, or it failed in a way that may pass. */
export type RetryReason = 'refused' | 'transient';

/** Why there will be no other attempt. */
export type StopReason =
  | 'success'
  | 'final'
  | 'not-idempotent'
  | 'not-replayable'
  | 'retries-exhausted'
  | 'backoff-exhausted'
  | 'retry-after-too-long'
  | 'deadline-exceeded'
  | 'budget-exhausted';

/** Why a request came to its end: after an attempt, or while it waited for one. */
export type EndReason = StopReason | 'throttled' | 'aborted';
