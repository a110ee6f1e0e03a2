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
  | 'budget-exhausted'
  /** The caller aborted. */
  | 'aborted'
  /** The retry was planned, but its tokens or its slot could not be had in time. */
  | 'throttled'
  /** Another layer of ebb around this one decides. */
  | 'left-to-outer-layer'
  /** Another layer of ebb below this one has decided already. */
  | 'judged-by-inner-layer';
