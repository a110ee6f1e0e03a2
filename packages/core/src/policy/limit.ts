import type { StopReason } from '../events/events.ts';
import type { Outcome } from '../http/outcome.ts';
import type { CallView, PlannedRetry, WhenBodyEnds } from './call-view.ts';
import type { AcquireOptions } from './contracts.ts';

/**
 * A limit gives permits to attempts before they are sent: for a slot, tokens, a share of the traffic. All calls share a limit: a
 * permit keeps the state of an attempt. A limit has `take`, `planRetry`, or both; the other methods are optional.
 */
export interface Limit {
  readonly name: string;
  /** True if nested clients ask it as well; else the outermost one alone does. */
  readonly isForInner?: boolean;
  /** A call begins. @throws what the call is to fail with, before anything is sent */
  started?(call: CallView): void;
  /**
   * Takes what the attempt needs, or says how to wait for it. `undefined`: the attempt needs nothing from this limit.
   *
   * @param earlier the last permit of this limit for the same attempt, which was cancelled
   * @throws NotSentError if it cannot be had, which ends the call
   */
  take?(call: CallView, earlier: Permit | undefined): Permit | Wait | Skip | undefined;
  /**
   * Asked last before a retry: a permit for it, whose `release` is not called, or the reason why it may not be sent. `undefined` allows it
   * as well.
   */
  planRetry?(call: CallView, retry: PlannedRetry): Permit | StopReason | undefined;
  /** A call has ended: once for each {@link started}. */
  ended?(call: CallView, reason: StopReason): void;
  /** For a client of fetch: watches the body of a response, whose end frees the connection. */
  readonly whenBodyEnds?: WhenBodyEnds | undefined;
}

/** A limit gives it to one attempt, which ends in one of two ways: it is cancelled, or it is settled once it was sent. */
export interface Permit {
  /** How long the attempt has waited for it, in milliseconds. By default the wait is measured. */
  readonly waitedMs?: number | undefined;
  /** Nothing was sent, or another limit is waited for: it goes back. The limit is asked again if the attempt goes on. */
  cancel(): void;
  /** The attempt does not go on: everything that {@link cancel} has kept for it goes back. */
  lapse?(): void;
  /**
   * The attempt was sent, and is over: with its outcome, also where a timeout or an abort has ended it. If a client below has judged
   * the outcome already, it is a failure of the kind `aborted`.
   */
  settle?(outcome: Outcome): void;
  /**
   * The connection of the attempt is free.
   *
   * @param once when it will be; now if it is left out
   */
  release?(once?: Promise<void>): void;
}

/** A limit that has nothing now. */
export interface Wait {
  /** True if it waits for a slot. */
  readonly isForSlot?: boolean;
  /** True if it ends by itself with the signal and the longest wait that it is given: the call does not watch it. */
  readonly endsItself?: boolean;
  /**
   * Waits for what is lacking.
   *
   * @throws the signal's own reason, or a NotSentError
   */
  acquire(options: AcquireOptions): Promise<Permit>;
}

/** A scheduled attempt that is not sent. */
export interface Skip {
  readonly skip: true;
  /**
   * How long until the next scheduled attempt, in milliseconds, which uses no retry. Without it, if the total timeout ends before, or with
   * the 1,000th skip, the call ends with the answer that was there, else with a `NotSentError` (`overload`).
   */
  readonly delayMs?: number | undefined;
}

/** A limit for which another one stands in each call, such as that of its key. */
export interface LimitPerCall {
  readonly name: string;
  /** @throws what the call is to fail with */
  forCall(call: CallView): BroughtLimit<Limit>;
}

/** A limit in a policy. */
export interface BroughtLimit<L = Limit | LimitPerCall> {
  readonly limit: L;
  /** True for one of the user's own: its results are checked. */
  readonly isOwn?: boolean | undefined;
}

/** The limit that a value brings or is; `undefined` for anything else. */
export function limitIn(value: unknown): BroughtLimit | undefined {
  const { limit, take, planRetry }: Partial<Limit> & { readonly limit?: BroughtLimit } = Object(value);
  if (Object(limit?.limit) === limit?.limit) return limit;
  return typeof (take ?? planRetry) === 'function' ? { limit: value as Limit, isOwn: true } : undefined;
}
