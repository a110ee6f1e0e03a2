import { layersFound, noteEnd } from '#layers';
import { HookError } from '../base/errors.ts';
import { LONGEST_DISCARD_MS } from '../bodies/keep.ts';
import type { FollowUpload, Opened } from '../http/body.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { Passage, Way } from '../layers/layer.ts';
import { Call } from './call.ts';
import { type Deadline, isReasonOf, OutOfTime, timeoutError } from './deadline.ts';
import { attemptsOf, setHistory, setHistoryOfReason } from './history.ts';
import type { Policy, PolicyOptions } from './options.ts';
import { overridePolicy } from './policy.ts';

/** Makes the body of an attempt. Its argument is `over` once the body is not needed any more. */
export type MakeBody = (state: { readonly over: boolean }) => PromiseLike<void> | undefined;

/** A client of promises: it sends one attempt, and reads how it ended. */
export interface ClientAdapter<T> {
  /**
   * Makes the body of the attempt before it is sent; `undefined` if the body does not come from user code. The adapter keeps
   * what it makes until `send`.
   */
  readonly makeBody?: MakeBody | undefined;
  /**
   * Follows an upload that can be sent once, while it waits to be sent; `undefined` for any other body. A call whose upload has failed is not
   * sent, and rejects with its error.
   */
  readonly followUpload?: FollowUpload | undefined;
  /** Sends the attempt. The call of the client itself goes through `sending`. */
  send(call: Call): Promise<T>;
  /** The client's own error for a timeout; without this a `TimeoutError` as `AbortSignal.timeout` makes it. */
  timeoutError?(timeoutMs: number): unknown;
  /** Reads what `send` resolved with. */
  outcome(result: T): Outcome;
  /** Reads what `send` rejected with. */
  failure(error: unknown): Outcome;
  /**
   * Discards what `send` settled with, because a retry follows, so that its connection can be used again. `undefined` if
   * there is nothing to wait for.
   */
  setAside(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined;
  /**
   * Calls `ended` once the body of a settled `send` has ended, failed, or been cancelled, and returns the result that the caller
   * gets. Called only if a slot is held. Not needed by a client whose results have complete bodies.
   */
  whenBodyEnds?(settled: unknown, ended: () => void, call: Call): unknown;
  /**
   * Ends the body that the caller reads with {@link timeoutError} when the total timeout passes, if that covers the body. A client whose
   * results have complete bodies needs it not.
   */
  boundBody?(settled: unknown, call: Call, deadline: Deadline): void;
  /**
   * Opens the body of the response that `send` resolved with, or that the error it rejected with carries, for a look at its
   * beginning; the caller gets all of it afterwards. `undefined` if there is none. Called only if the policy inspects bodies,
   * and only for an outcome of type `response`.
   *
   * @param replace takes what the caller gets in the place of `settled`, if that cannot be given another body
   */
  peek?(settled: unknown, replace: (settled: unknown) => void): Opened;
  /** The call has ended before its first attempt was sent: the upload will not be read. */
  unsent?(reason: unknown): void;
}

/** The class `Run`. */
export type Sends<T> = new (
  call: Call,
  client: ClientAdapter<T>,
  signal: AbortSignal | undefined,
) => { start(): Promise<T> };

/** Asks the parts that may answer a call. @param Run makes it go on as it would without them */
export type AsksParts<T> = (
  call: Call,
  client: ClientAdapter<T>,
  signal: AbortSignal | undefined,
  Run: Sends<T>,
) => Promise<T>;

/** A result that a retry follows. */
export interface Aside {
  /** Resolves when the connection of the result can be used again, or is closed. Never rejects, and takes bounded time. */
  readonly released: Promise<void>;
  /**
   * What the caller gets if the retry is not sent after all: the same result with its whole body, or with a body that
   * fails to be read if it was too long to keep. Without this, the result itself.
   */
  restore?(): unknown;
}

/**
 * Calls what sends the attempt, so that the layers of ebb below know that they are not the first. Nothing else belongs
 * in here: what a hook or a body factory sends is a call of its own.
 *
 * @throws HookError if `wrapAttempt` throws before it sends
 */
export function sending<T>(call: Call, send: () => T): T {
  const { place, attempt, request, parts } = call;
  const { wrapAttempt } = call.policy;
  const layered = place ? () => place.sending(send) : send;
  const inner = parts?.wraps ? parts.wrap(layered) : layered;
  if (!wrapAttempt) return inner();
  let isSent = false;
  const sendNow = (): T => {
    isSent = true;
    return inner();
  };
  try {
    return wrapAttempt(sendNow, { attempt, request });
  } catch (error) {
    if (isSent) throw error;
    // Nothing was sent: what was taken goes back.
    parts?.leave(undefined);
    throw new HookError('wrapAttempt', error);
  }
}

/** How long an attempt may take until its response, in milliseconds. To be called once for each, when it is sent. */
export function timeoutOf(call: Call): number | undefined {
  const { attemptTimeoutMs, clock } = call.policy;
  const ownMs = attemptTimeoutMs && Math.max(0, attemptTimeoutMs - (call.hookMs ?? 0));
  const timeoutMs = call.deadline ? call.deadline.bound(ownMs) : ownMs;
  if (call.parts?.reads && timeoutMs !== undefined) call.endsAtMs = clock.now() + timeoutMs;
  return timeoutMs;
}

/** The longest time for reading a response that is followed by a retry, in milliseconds. Leaves half of the remaining time for the retry. */
export function discardMsOf({ deadline }: Call): number {
  return Math.min(LONGEST_DISCARD_MS, Math.max(0, (deadline?.leftMs ?? Infinity) / 2));
}

/** For `LAYER` in the options of the client, if they reach the layers below; `undefined` if there is no other layer. */
export function layerOf({ place }: Call): Passage | undefined {
  return place?.passage;
}

/** What one request may change of its client's policy; `false` sends it without ebb. */
export type RequestOptions = PolicyOptions | false;

/**
 * The call of a request with its own `ebb` options.
 *
 * @param carried what the options of the request hold under `LAYER`
 * @param way what the attempts are sent with
 * @throws TypeError, RangeError for wrong options
 */
export function startCall(
  policy: Policy,
  request: RequestTraits,
  options?: PolicyOptions,
  carried?: unknown,
  way: Way = 'client',
): Call {
  const around = layersFound(request, carried, way === 'dispatcher');
  // Options apply to the outermost layer, which they were given to.
  const own = options === undefined || around.outer ? policy : overridePolicy(policy, options);
  return new Call(own, request, around, way);
}

/** How an attempt has settled, and its outcome; `aside` once a retry follows. */
export interface Settled {
  value: unknown;
  failed: boolean;
  outcome?: Outcome | undefined;
  aside?: Aside | undefined;
}

/**
 * What a call ends with: the last attempt, whose slot is released once its body has ended, or the answer before it.
 *
 * @param before the attempt before a retry that was not sent, or has run into the total timeout
 * @throws what the attempt has failed with
 */
export function resultOf<T>(
  call: Call,
  client: ClientAdapter<T>,
  before: Settled | undefined,
  at: Settled,
): T {
  let { value, failed } = before ?? at;
  if (before) value = before.aside?.restore?.() ?? value;
  else if (call.bodyHolder) {
    const { parts } = call;
    // Hazard: it must not hold what was settled, or the response could not be collected.
    const ended = (): void => parts?.free();
    if (client.whenBodyEnds) value = client.whenBodyEnds(value, ended, call);
    else ended();
  }
  const { deadline, policy } = call;
  if (!before && deadline && policy.totalTimeoutCovers === 'body') client.boundBody?.(value, call, deadline);
  if (!call.isInner && call.history.at(-1)?.reason !== 'success') noteEnd(value);
  if (failed) throw value;
  setHistory(value, call.historyRecord);
  return value as T;
}

/** An error that a call ends with, with its history. */
export function errorOf<T>(
  call: Call,
  client: ClientAdapter<T>,
  signal: AbortSignal | undefined,
  thrown: unknown,
): unknown {
  const error = lateBy(client, thrown);
  if (call.attempt === 0) client.unsent?.(error);
  // That of a request that a function has made, and that was repeated, stays.
  if (call.place?.failedBelow && attemptsOf(error).length > 0) return error;
  const note = isReasonOf(signal, error) ? setHistoryOfReason : setHistory;
  note(error, call.historyRecord);
  return error;
}

/** The client's own error for an attempt that ran out of time; any other error as it is. */
export function lateBy<T>(client: ClientAdapter<T>, error: unknown): unknown {
  if (!(error instanceof OutOfTime)) return error;
  const { timeoutMs } = error;
  return client.timeoutError?.(timeoutMs) ?? timeoutError(timeoutMs);
}
