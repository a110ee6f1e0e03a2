import { outerCall, runWithin } from '#nested';
import { HookError } from '../base/errors.ts';
import { LONGEST_DISCARD_MS } from '../bodies/keep.ts';
import type { OpenedBody } from '../http/body.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { OuterCall, Way } from '../nested/outer-call.ts';
import { POLICY, type Policy, type PolicyOptions } from '../policy/options.ts';
import { overridePolicy } from '../policy/policy.ts';
import { Call } from './call.ts';
import { type Deadline, isReasonOf } from './deadline.ts';
import { hasHistory, setHistory, setHistoryOfReason } from './history.ts';
import type { CallClient } from './types.ts';

/** A client of promises: it sends one attempt, and reads how it ended. */
export interface Transport<T> extends CallClient {
  /** Sends the attempt. The call of the client itself goes through `sending`. */
  send(call: Call): Promise<T>;
  /** Reads the result of `send`. */
  outcome(result: T): Outcome;
  /** Reads the error of `send`. */
  failure(error: unknown): Outcome;
  /**
   * Discards the result or the error of `send` before a retry, so that its connection can be used again. `undefined` if there is
   * nothing to wait for.
   */
  setAside(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined;
  /**
   * Calls `ended` once the body of a settled `send` has ended, failed, or been cancelled, and returns the result that the caller
   * gets. Called only if a slot is held. Not needed by a client whose results have complete bodies.
   */
  whenBodyEnds?(settled: unknown, ended: () => void, call: Call): unknown;
  /**
   * Ends the body with `timeoutError` when the total timeout passes, even if the caller reads it then. Called only if the timeout
   * covers the body. Not needed by a client whose results have complete bodies.
   */
  boundBody?(settled: unknown, call: Call, deadline: Deadline): void;
  /**
   * Opens the body of a response for a look at its beginning; the caller gets the whole body afterwards. `settled` is the
   * response that `send` resolved with, or an error with a response. `undefined` if there is no body. Called only if the policy
   * inspects bodies, and only for an outcome of type `response`.
   *
   * @param replace takes the result for the caller in place of `settled`, if the body of `settled` cannot be replaced
   */
  peek?(settled: unknown, replace: (settled: unknown) => void): OpenedBody;
  /** The call has ended before its first attempt was sent: the upload will not be read. */
  unsent?(reason: unknown): void;
}

/** A result that a retry follows. */
export interface Aside {
  /** Resolves when the connection of the result can be used again, or is closed. Never rejects, and takes bounded time. */
  readonly released: Promise<void>;
  /**
   * Returns the result for the caller if the retry is not sent after all: the same result with its whole body. Reading a body
   * that was too long to keep fails. Without this method the caller gets the result itself.
   */
  restore?(): unknown;
}

/**
 * Sends the attempt in a context by which nested clients of ebb find this call. Nothing else belongs in this context: a request
 * of a hook or a body factory is a call of its own.
 *
 * @throws HookError if `wrapAttempt` throws before it sends
 */
export function sendWithin<T>(call: Call, send: () => T): T {
  const { attempt, request } = call;
  const { wrappers } = call.policy[POLICY];
  const inner = call.needsContext ? () => runWithin(call, send) : send;
  if (wrappers.length === 0) return inner();
  let isSent = false;
  const sendNow = (): T => {
    isSent = true;
    return inner();
  };
  const current = { attempt, request };
  const wrapped = wrappers.reduceRight((next, wrap) => () => wrap(next, current), sendNow);
  try {
    return wrapped();
  } catch (error) {
    if (isSent) throw error;
    // Nothing was sent: the permits go back.
    call.permits?.cancel();
    throw new HookError('wrapAttempt', error);
  }
}

/** How long an attempt may take until its response, in milliseconds. To be called once for each, when it is sent. */
export function timeoutOf(call: Call): number | undefined {
  const { attemptTimeoutMs, clock } = call.policy;
  const ownMs = attemptTimeoutMs && Math.max(0, attemptTimeoutMs - (call.hookMs ?? 0));
  const timeoutMs = call.deadline ? call.deadline.bound(ownMs) : ownMs;
  if (timeoutMs !== undefined && call.inspects) call.endsAtMs = clock.now() + timeoutMs;
  return timeoutMs;
}

/** The longest time for reading a response that is followed by a retry, in milliseconds. Leaves half of the remaining time for the retry. */
export function discardMsOf({ deadline }: Call): number {
  return Math.min(LONGEST_DISCARD_MS, Math.max(0, (deadline?.leftMs ?? Infinity) / 2));
}

/** For `LAYER` in the options of the client, if they reach the clients below; `undefined` if there can be no other client. */
export function layerOf(call: Call): OuterCall | undefined {
  return call.mayNest ? call : undefined;
}

/** Changes of the client's policy for one request; `false` sends the request without ebb. */
export type RequestOptions = PolicyOptions | false;

/**
 * The call of a request with its own `ebb` options.
 *
 * @param carried the value under `LAYER` in the options of the request
 * @param way the kind of client that sends the attempts
 * @throws TypeError, RangeError for wrong options
 */
export function startCall(
  policy: Policy,
  request: RequestTraits,
  options?: PolicyOptions,
  carried?: unknown,
  way: Way = 'client',
): Call {
  const outer = outerCall(carried);
  // The options of the request carry a call of the same request.
  const isInner = outer !== undefined && (outer === carried || outer.sends(request));
  // Options apply to the outermost client, which they were given to.
  const own = options === undefined || isInner ? policy : overridePolicy(policy, options);
  return new Call(own, request, outer, way, isInner);
}

/** How an attempt has settled, and its outcome; `aside` once a retry follows. */
export interface SettledAttempt {
  value: unknown;
  failed: boolean;
  outcome?: Outcome | undefined;
  aside?: Aside | undefined;
}

/**
 * Returns the result of a call. The slot of its last attempt is released once the body has ended.
 *
 * @param isBefore true for an attempt before a retry that was not sent, or has run into the total timeout
 * @throws the error of the attempt
 */
export function resultOf<T>(call: Call, transport: Transport<T>, at: SettledAttempt, isBefore = false): T {
  let { value } = at;
  if (!isBefore && call.bodyHolder) value = releasedAfter(call, transport, value);
  const { deadline, policy } = call;
  if (!isBefore && deadline && policy.totalTimeoutCovers === 'body')
    transport.boundBody?.(value, call, deadline);
  if (at.failed) throw errorOf(call, value);
  setHistory(value, call.historyRecord);
  return value as T;
}

function releasedAfter<T>(call: Call, transport: Transport<T>, value: unknown): unknown {
  const { permits } = call;
  // Hazard: the function must not hold the result, or the response could not be collected.
  const ended = (): void => permits?.release();
  if (transport.whenBodyEnds) return transport.whenBodyEnds(value, ended, call);
  ended();
  return value;
}

/** An error that a call ends with, with its history. */
function errorOf(call: Call, error: unknown): unknown {
  // Keep the history of a nested request that was retried.
  if (call.hasFailed && hasHistory(error)) return error;
  const note = isReasonOf(call.signal, error) ? setHistoryOfReason : setHistory;
  note(error, call.historyRecord);
  return error;
}
