import type { CurrentAttempt, Outcome, PolicyOptions, Random, RequestTraits, WrapAttempt } from '@ebb/core';
import {
  type Complete,
  callable,
  devText,
  flag,
  isError,
  type OptionTable,
  property,
  readOptions,
} from '@ebb/core/internal';

import { AbortError, endsWithAbort } from './abort-error.ts';
import { axiosErrorOf, isAccepted } from './axios-error.ts';
import { askIn, callStartOf, configOf, elapsedMs, remember, tell } from './call-start.ts';
import { DELAY_OPTIONS, type DelayOptions } from './delay-options.ts';
import { isNetworkError } from './network-error.ts';
import {
  asTimer,
  cannot,
  checkRetries,
  ENDLESS,
  type Loose,
  mustBeThere,
  warnOfZero,
} from './shared-options.ts';

/** The argument of the functions of p-retry. Up to p-retry 6 it was the error itself: it has the members of that as well. */
export interface PRetryContext {
  readonly error: Error;
  /** From 1. */
  readonly attemptNumber: number;
  readonly retriesLeft: number;
  readonly retriesConsumed: number;
  /** In milliseconds; 0 if no retry follows. */
  readonly retryDelay: number;
}

/** Options of {@link likePRetry}: those of p-retry. `undefined` counts as not given. */
export interface LikePRetryOptions extends DelayOptions {
  /**
   * `Infinity` needs a `maxRetryTime`, or what a policy needs with it.
   * @default 10
   */
  readonly retries?: number | undefined;
  /**
   * Multiplies each delay by up to two.
   * @default false
   */
  readonly randomize?: boolean | undefined;
  /**
   * Called with each failure. The next attempt waits for it, and what it throws ends the call.
   * @default none
   */
  readonly onFailedAttempt?: Loose<(context: PRetryContext & Error) => unknown> | undefined;
  /**
   * Over a client it is asked at once: a promise is an error there.
   * @default () => true
   */
  readonly shouldRetry?: Loose<(context: PRetryContext & Error) => boolean | Promise<boolean>> | undefined;
  /** A function is an error: each retry counts. */
  readonly shouldConsumeRetry?: Loose<(context: PRetryContext & Error) => unknown> | undefined;
  /** Ends the call with its reason. An attempt under way is not interrupted. */
  readonly signal?: AbortSignal | undefined;
}

type Unset = 'shouldConsumeRetry' | 'signal' | 'unref';

const OPTIONS: OptionTable<LikePRetryOptions, Unset> = {
  retries: { check: checkRetries, default: 10 },
  ...DELAY_OPTIONS,
  randomize: { check: flag, default: false },
  onFailedAttempt: { check: callable, default: () => undefined },
  shouldRetry: { check: callable, default: () => true },
  shouldConsumeRetry: { check: cannot(devText('left out: each retry counts, and shouldRetry decides')) },
  signal: {
    check: cannot(devText('an AbortSignal of the runtime'), (value) => value instanceof AbortSignal),
  },
};

/** The delays are whole: p-retry rounds the curve, and rounds its cap up. */
function delayOf(
  { minTimeout, factor, maxTimeout, randomize }: Complete<LikePRetryOptions, Unset>,
  retry: number,
  random: Random,
): number {
  if (minTimeout === 0) return 0;
  const share = randomize ? random() + 1 : 1;
  const grown = Math.round(share * minTimeout * (factor || 1) ** (retry - 1));
  return Math.min(grown, Math.ceil(maxTimeout), 2 ** 31 - 1);
}

/** The error of the function, or the one that the client would throw; `undefined` after a success. */
function thrownBy(outcome: Outcome, request: RequestTraits): { readonly error: unknown } | undefined {
  if (outcome.type === 'failure' || 'error' in outcome) return { error: outcome.error };
  // Nothing but axios rejects because of a status.
  if (configOf(request) === undefined || isAccepted(outcome, request)) return undefined;
  return { error: axiosErrorOf(outcome, request) };
}

/** An abort by the caller. Within a function it may be a timeout; p-retry's own `AbortError` is told by its `originalError`. */
function isAbort(outcome: Outcome, request: RequestTraits): boolean {
  if (outcome.type === 'response' || outcome.kind !== 'aborted') return false;
  return request.url !== '' || property(outcome.error, 'originalError') !== undefined;
}

/** The counts of a failure, with the members of its error. */
function contextOf(context: PRetryContext): PRetryContext & Error {
  const { error } = context;
  const own = Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(error)), context));
  return new Proxy(own, {
    has: (_, key) => key in own || key in error,
    get(_, key) {
      if (Object.hasOwn(own, key)) return own[key];
      const value: unknown = Reflect.get(error, key);
      return typeof value === 'function' ? value.bind(error) : value;
    },
  });
}

/**
 * Does as p-retry 9.0.0, for programs that come from it: ten retries after 1, 2, 4 … s of whatever a function throws but a mistake. Made
 * for `retry`; a client of axios throws for a status, and those of fetch and undici for a lost connection alone. It does not read `Retry-After`.
 *
 * Differences: every retry counts, an abort in a wait fails with the last error, and over a client `shouldRetry` decides at once. Add the `plugins` of the result to your own.
 *
 * Source: p-retry 9.0.0.
 * @throws TypeError for an option that ebb cannot follow, such as an asynchronous `shouldRetry`
 * @example
 * ```ts
 * import { retry } from '@ebb/core';
 * import { likePRetry } from '@ebb/compat';
 *
 * const rows = await retry(() => db.query('select 1'), likePRetry({ retries: 5 }));
 * declare const db: { query(sql: string): Promise<unknown[]> };
 * ```
 */
export function likePRetry(options: LikePRetryOptions = {}): PolicyOptions {
  const setup = readOptions('likePRetry', options, OPTIONS);
  const { retries, maxRetryTime, onFailedAttempt, shouldRetry, signal } = setup;
  if (setup.minTimeout === 0 || setup.maxTimeout === 0) warnOfZero('likePRetry', 'minTimeout');
  const ends = maxRetryTime < Infinity;

  /** The argument of the functions, and whether the failure may be retried. */
  const failed = (thrown: unknown, request: RequestTraits, attempt: number) => {
    const call = callStartOf(request);
    const error = isError(thrown) ? thrown : nonError(thrown);
    const leftMs = maxRetryTime - elapsedMs(call);
    const retriesLeft = retries + 1 - attempt;
    const isRetriable = (!(error instanceof TypeError) || isNetworkError(error)) && leftMs > 0;
    const mayFollow = isRetriable && retriesLeft > 0;
    const retryDelay = mayFollow ? delayOf(setup, attempt, call.policy.random) : 0;
    call.delayMs = Math.min(retryDelay, leftMs);
    const counts = { attemptNumber: attempt, retriesLeft, retriesConsumed: attempt - 1, retryDelay };
    return { call, context: contextOf({ error, ...counts }), isRetriable, mayFollow };
  };

  /**
   * Waits for the functions, before an attempt of `retry` fails: with what they throw, if they do. The signal is looked at after each of
   * them, and its reason comes before any result.
   */
  const wrapAttempt = (async (send: () => unknown, { request, attempt }: CurrentAttempt) => {
    const isOfClient = request.url !== '';
    try {
      const result = await send();
      if (!isOfClient) signal?.throwIfAborted();
      return result;
    } catch (thrown) {
      if (isOfClient) throw thrown;
      callStartOf(request).verdict = { attempt, verdict: 'final' };
      signal?.throwIfAborted();
      if (thrown instanceof AbortError) throw thrown;
      const original = property(thrown, 'originalError');
      if (isError(original)) throw original;
      const { call, context, isRetriable, mayFollow } = failed(thrown, request, attempt);
      const leftMs = (): number => maxRetryTime - elapsedMs(call);
      await onFailedAttempt(context);
      signal?.throwIfAborted();
      const isWanted = isRetriable && leftMs() > 0 && (!mayFollow || (await shouldRetry(context)));
      signal?.throwIfAborted();
      if (isWanted && leftMs() > 0) {
        call.verdict = { attempt, verdict: 'transient' };
        call.delayMs = Math.min(context.retryDelay, leftMs());
      }
      throw context.error;
    }
  }) as WrapAttempt;

  return {
    maxRetries: ends ? Math.min(retries, ENDLESS) : retries,
    methods: 'all',
    feedback: false,
    ...(signal && { stopSignal: signal }),
    classify(outcome, request, attempt) {
      const thrown = thrownBy(outcome, request);
      if (thrown === undefined) return 'success';
      if (isAbort(outcome, request) || endsWithAbort(thrown.error)) return 'final';
      const { verdict } = callStartOf(request);
      if (verdict?.attempt === attempt) return verdict.verdict;
      const { call, context, isRetriable, mayFollow } = failed(thrown.error, request, attempt);
      if (!tell(call, () => onFailedAttempt(context)) || !isRetriable) return 'final';
      const decide = (): unknown => mustBeThere('shouldRetry: its result', shouldRetry(context));
      return mayFollow && !askIn(request, decide, false) ? 'final' : 'transient';
    },
    // After a scheduled attempt that was skipped there is no error.
    backoff: ({ retry, random, outcome, request }) =>
      asTimer((outcome && request && callStartOf(request).delayMs) ?? delayOf(setup, retry, random)),
    plugins: [
      remember({
        wrapAttempt,
        own({ url }) {
          if (url === '') signal?.throwIfAborted();
          return undefined;
        },
      }),
    ],
  };
}

function nonError(thrown: unknown): TypeError {
  return new TypeError(`Non-error was thrown: "${String(thrown)}". You should only throw errors.`);
}
