/** Why there will be another attempt: the last one was refused, or its failure is transient. */
export type RetryReason = 'refused' | 'transient';

/**
 * Why a body is resumed: its connection broke; nothing arrived for `idleTimeoutMs`; or it ended without an error, and was not
 * whole.
 */
export type ResumeReason = 'broken' | 'idle' | 'ended';

/** Why there will be no further attempt. */
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
  /** Aborted by the caller. */
  | 'aborted'
  /** A planned attempt could not get its tokens or its slot in time. */
  | 'throttled'
  /** The last chance to send the request was skipped, because too little succeeds. */
  | 'overload'
  /** The policy's `stopSignal` has aborted. */
  | 'stopped'
  /** Another layer of ebb, around this one, decides. */
  | 'left-to-outer-layer'
  /** Another layer of ebb, below this one, has decided already. */
  | 'judged-by-inner-layer';
