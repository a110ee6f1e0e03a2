import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { RetryReason, StopReason } from './reason.ts';

/** Something that happened to a request. The same `request` object stands in all of its events. */
export type EbbEvent = {
  readonly request: RequestTraits;
  /** From 1. */
  readonly attempt: number;
  /** Milliseconds since the epoch, on the policy's clock. */
  readonly atMs: number;
} & (
  | { /** A slot and tokens came, after a wait. */ readonly type: 'throttle'; readonly waitMs: number }
  | { /** The tokens were not there, and the bucket lets it pass with this mark. */ readonly type: 'mark' }
  | { /** The attempt is about to be sent. */ readonly type: 'attempt' }
  | {
      /** There will be another attempt, after the delay. */ readonly type: 'retry';
      readonly delayMs: number;
      readonly reason: RetryReason;
      /** What became of the attempt. */
      readonly outcome: Outcome;
    }
  | {
      /** Nothing more happens. */ readonly type: 'end';
      readonly reason: StopReason;
      /**
       * What became of the last attempt; `undefined` when the request ended before its first. With `'throttled'`
       * or `'deadline-exceeded'` after an attempt it is what the caller gets: the retry was not sent.
       */
      readonly outcome: Outcome | undefined;
      /** What kept a retry from being sent, or the request itself: a `ThrottledError`, say. */
      readonly error?: unknown;
    }
);

/**
 * Called with every event, as it happens. It watches: what it throws, or rejects with, is reported once (to
 * `process.emitWarning`, or `reportError`), and changes nothing.
 */
export type Observer = (event: EbbEvent) => unknown;
