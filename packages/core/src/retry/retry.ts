import { devText } from '#dev-text';
import { outerCall } from '#nested';
import { type Check, callable } from '../base/check.ts';
import { callHook, property } from '../base/errors.ts';
import { must, type OptionTable, readOptions } from '../base/options.ts';
import { Call } from '../call/call.ts';
import { namedTimeoutOf, timeoutError, withinBounds } from '../call/deadline.ts';
import { drive } from '../call/run.ts';
import { sendWithin, type Transport, timeoutOf } from '../call/transport.ts';
import { type Classify, checkVerdict, classifyHttp } from '../http/classify.ts';
import { failureKind, nameOf } from '../http/failure.ts';
import { headerIn } from '../http/headers.ts';
import type { FailureKind, Outcome, RequestTraits, Verdict } from '../http/outcome.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy, overridePolicy, policyOf } from '../policy/policy.ts';
import { isBrowserFailure } from './browser-errors.ts';

/** The argument of a function that is retried. */
export interface AttemptContext {
  /** From 1. */
  readonly attempt: number;
  /** Aborts with the caller's signal, and when the attempt has run into `attemptTimeoutMs`. */
  readonly signal: AbortSignal;
}

/** How an attempt of a function ended. */
export type AttemptResult<T> =
  | { readonly type: 'value'; readonly value: T }
  | { readonly type: 'error'; readonly error: unknown };

/** Options of {@link retry} for one call. */
export interface RetryOptions<T> {
  /**
   * Ends the call, at once and with the signal's own reason. With it `maxRetries` may be `Infinity`.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Judges a value or an error. By default a value is a success. An error that has a status is judged by `classify` as a response
   * would be. A `TypeError`, `RangeError`, `ReferenceError` or `SyntaxError` that is no lost connection is a mistake in a
   * program, and `final`; any other error is `transient`, but for an abort. `attempt` counts from 1.
   * @default none
   */
  readonly judge?: ((settled: AttemptResult<T>, attempt: number) => Verdict | undefined) | undefined;
}

/** A signal of another library may have no reason, and does not end work that takes native signals. */
const checkSignal: Check = (name, value) => {
  const isNative = value instanceof AbortSignal;
  must(name, devText('an AbortSignal of the runtime'), value, isNative, isNative);
};

const RETRY_OPTIONS: OptionTable<RetryOptions<never>, 'signal' | 'judge'> = {
  signal: { check: checkSignal },
  judge: { check: callable },
};

/** A function may be called again, or it should not be given to `retry`. Copied for each call, since hooks tell calls by it. */
const REQUEST: RequestTraits = { method: 'GET', url: '', replayable: true, header: () => undefined };

/**
 * Calls a function until the policy stops, and settles as its last call does. For work that is no HTTP request: a database
 * query, a queue, an SDK. Backoff, budget, bucket, slots, timeouts, events and history are those of the policy.
 *
 * An error with a `status`, as SDKs throw them, is read as a response would be: its `Retry-After` holds, and a 400 is not
 * called again. The error itself is unchanged.
 *
 * An ebb client in the function retries its own requests, and so does a nested `retry`. If such a request was retried and failed,
 * and the function then fails, the function is not called again: attempts do not multiply. Such a request does not wait for a
 * slot of a limit of which the function holds one, and the first request is paid for by the function's tokens.
 *
 * @param call the function. It must be safe to call again
 * @param policyOrOptions a policy, or the options of a new one
 * @throws the error of the last call; the signal's reason; NotSentError and HookError as all clients of ebb
 * @throws TypeError, RangeError if an option is invalid
 * @example
 * ```ts
 * import { retry } from '@ebb/core';
 *
 * const rows = await retry(() => db.query('select 1'), { maxRetries: 3 });
 * declare const db: { query(sql: string): Promise<unknown[]> };
 * ```
 */
export async function retry<T>(
  call: (context: AttemptContext) => T | PromiseLike<T>,
  policyOrOptions: PolicyOptions = {},
  options: RetryOptions<T> = {},
): Promise<T> {
  callable('retry: call', call);
  const { signal, judge } = readOptions(
    'retry',
    options,
    RETRY_OPTIONS as OptionTable<RetryOptions<T>, 'signal' | 'judge'>,
  );
  const policy = (signal === undefined ? createPolicy : policyOf)(policyOrOptions);
  const { classify } = policy;
  const judging: Classify = (outcome, request, attempt) =>
    verdictByJudge(client.settledIn(outcome), judge, attempt) ??
    (isKnown(outcome, classify) ? classify(outcome, request, attempt) : byDefault(outcome));
  const request = { ...REQUEST };
  const client = new FunctionClient(call, signal);
  const judgedBy = overridePolicy(policy, { classify: judging });
  return await drive(new Call(judgedBy, request, outerCall(), 'function'), client, signal);
}

/** @throws HookError if `judge` throws, or returns an invalid value */
function verdictByJudge<T>(
  settled: AttemptResult<T> | undefined,
  judge: RetryOptions<T>['judge'],
  attempt: number,
): Verdict | undefined {
  if (judge === undefined || settled === undefined) return undefined;
  return callHook('judge', () => {
    const verdict = judge(settled, attempt);
    if (verdict !== undefined) checkVerdict('its result', verdict);
    return verdict;
  });
}

function kindOf(error: unknown): FailureKind {
  const kind = failureKind(error);
  return kind === 'unknown' && isBrowserFailure(error) ? 'network' : kind;
}

/** True for the errors that the language throws for a mistake in a program. */
function isMistake(error: unknown): boolean {
  return /^(Type|Range|Reference|Syntax)Error$/.test(nameOf(error) ?? '');
}

/** True if `classify` knows what an outcome means. */
function isKnown(outcome: Outcome, classify: Classify): boolean {
  if (outcome.type === 'response') return outcome.status !== 0;
  return outcome.kind === 'aborted' || classify !== classifyHttp;
}

function byDefault(outcome: Outcome): Verdict {
  if (outcome.type === 'response') return 'success';
  return outcome.kind === 'unknown' && isMistake(outcome.error) ? 'final' : 'transient';
}

/** A header of the response that an error carries. */
function headerOf(error: unknown, name: string): string | undefined {
  // `$response` is that of the AWS SDK.
  for (const holder of [error, property(error, 'response'), property(error, '$response')]) {
    const value = headerIn(property(holder, 'headers'), name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The status that an error carries: OpenAI, Anthropic, axios, octokit; `statusCode`: undici, AI SDK, Stripe, and got's response. */
function statusOf(error: unknown): number | undefined {
  const response = property(error, 'response');
  const found = [
    property(error, 'status'),
    property(error, 'statusCode'),
    property(response, 'status'),
    property(response, 'statusCode'),
    property(property(error, '$metadata'), 'httpStatusCode'),
  ];
  return found.find(
    (status): status is number => typeof status === 'number' && status >= 400 && status < 600,
  );
}

/** Calls a function once for each attempt. */
class FunctionClient<T> implements Transport<T> {
  readonly #call: (context: AttemptContext) => T | PromiseLike<T>;
  readonly #signal: AbortSignal | undefined;
  /** How the last call with a response as its outcome ended. */
  #settled: AttemptResult<T> | undefined;

  constructor(call: (context: AttemptContext) => T | PromiseLike<T>, signal: AbortSignal | undefined) {
    this.#call = call;
    this.#signal = signal;
  }

  async send(running: Call): Promise<T> {
    const { attempt, policy } = running;
    const leftMs = timeoutOf(running) ?? Infinity;
    const signal = this.#signal;
    if (signal?.aborted) throw signal.reason;
    const end = new AbortController();
    let timedOut = false;
    const late = (): Error => {
      timedOut = true;
      return timeoutError(namedTimeoutOf(running));
    };
    const call = this.#call;
    // Awaited here and above, so that the stack of its error names the caller.
    const called = sendWithin(running, async () => await call({ attempt, signal: end.signal }));
    try {
      // Unlike a client, a function need not look at its signal: it would do work that no one waits for, or never end.
      return await withinBounds(called, { clock: policy.clock, signal, leftMs, late });
    } catch (error) {
      if (timedOut || signal?.aborted) end.abort(error);
      throw error;
    }
  }

  outcome(value: T): Outcome {
    this.#settled = { type: 'value', value };
    // No status: the history shows none.
    return { type: 'response', status: 0, header: () => undefined };
  }

  failure(error: unknown): Outcome {
    const status = statusOf(error);
    if (status === undefined) return { type: 'failure', kind: kindOf(error), error };
    this.#settled = { type: 'error', error };
    return { type: 'response', status, header: (name) => headerOf(error, name), error };
  }

  /** How the call with this outcome ended; `undefined` if the caller aborted it. */
  settledIn(outcome: Outcome): AttemptResult<T> | undefined {
    if (outcome.type === 'response') return this.#settled;
    return outcome.kind === 'aborted' ? undefined : { type: 'error', error: outcome.error };
  }

  setAside(): undefined {
    return undefined;
  }
}
