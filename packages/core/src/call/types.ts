import type { StopReason } from '../events/events.ts';
import type { FollowUpload } from '../http/body.ts';

/** Tells the driver of a call its next step. After a `send` it tells {@link Call.ended} how the attempt has ended. */
export type CallStep =
  | { readonly do: 'send' }
  | WaitStep
  /**
   * The response is not wanted any more: it is discarded. `released()`, then `next()`.
   *
   * With `error` that is how the attempt has ended, whatever has come of it.
   */
  | { readonly do: 'retry'; readonly error?: unknown }
  | EndStep;

/** `next()` with what the promise resolves with, or `stopped()` with its rejection. It always settles: the machine has bounded it. */
export interface WaitStep {
  readonly do: 'wait';
  readonly until: PromiseLike<unknown>;
}

/** The call is over. Its result is the error, if there is one; else how the last attempt has ended, or the one that `before` names. */
export interface EndStep {
  readonly do: 'end';
  readonly reason: StopReason;
  readonly error?: unknown;
  /** `last`: the retry of the last attempt is not sent. `answer`: a deadline has ended an attempt after the last response. */
  readonly before?: 'last' | 'answer';
}

/** Makes the body of an attempt. Its argument is `over` once the body is not needed any more. */
export type MakeBody = (state: { readonly over: boolean }) => PromiseLike<void> | undefined;

/** A call asks this of its client. */
export interface CallClient {
  /**
   * Makes the body of the attempt before it is sent; `undefined` if the body does not come from user code. The client keeps what it makes
   * until it sends.
   */
  readonly makeBody?: MakeBody | undefined;
  /**
   * Follows an upload that can be sent once, while it waits to be sent; `undefined` for any other body. A call whose upload has failed is not
   * sent, and ends with its error.
   */
  readonly followUpload?: FollowUpload | undefined;
  /** The client's own error for a timeout; without this a `TimeoutError` as `AbortSignal.timeout` makes it. */
  timeoutError?(timeoutMs: number): unknown;
}
