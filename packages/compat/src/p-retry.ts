import type { Outcome, PolicyOptions, Random, RequestTraits } from '@ebb/core';
import {
  type Check,
  type Complete,
  devText,
  flag,
  isError,
  notNegative,
  type OptionTable,
  property,
  readOptions,
} from '@ebb/core/internal';

import { axiosErrorOf, isAccepted } from './axios-error.ts';
import { callStartOf, configOf, elapsedMs, remembering } from './call-start.ts';
import { isNetworkError } from './network-error.ts';
import {
  asTimer,
  cannot,
  checkRetries,
  deciding,
  ENDLESS,
  type Loose,
  mustBeThere,
  warnOfZero,
} from './shared-options.ts';

/** The argument of the functions of p-retry. */
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
export interface LikePRetryOptions {
  /**
   * `Infinity` needs a `maxRetryTime`, or what a policy needs with it.
   * @default 10
   */
  readonly retries?: number | undefined;
  /**
   * The factor by which the delay grows.
   * @default 2
   */
  readonly factor?: number | undefined;
  /**
   * The first delay, in milliseconds.
   * @default 1_000
   */
  readonly minTimeout?: number | undefined;
  /**
   * The longest delay, in milliseconds.
   * @default Infinity
   */
  readonly maxTimeout?: number | undefined;
  /**
   * Multiplies each delay by up to two.
   * @default false
   */
  readonly randomize?: boolean | undefined;
  /**
   * In milliseconds. A failure after this time is not retried; no attempt is interrupted.
   * @default Infinity
   */
  readonly maxRetryTime?: number | undefined;
  /**
   * Called with each failure. It returns no promise.
   * @default none
   */
  readonly onFailedAttempt?: Loose<(context: PRetryContext) => void> | undefined;
  /**
   * It is asked at once, and returns no promise.
   * @default () => true
   */
  readonly shouldRetry?: Loose<(context: PRetryContext) => boolean> | undefined;
  /** Not supported: each retry counts. */
  readonly shouldConsumeRetry?: undefined;
  /** Not supported: the `signal` of `retry` ends a call. */
  readonly signal?: undefined;
  /** `true` is not supported: use a `clock` whose timers let the process end. */
  readonly unref?: false | undefined;
}

type Unset = 'shouldConsumeRetry' | 'signal' | 'unref';

const orInfinite: Check = (name, value) => value === Infinity || notNegative(name, value);

const OPTIONS: OptionTable<LikePRetryOptions, Unset> = {
  retries: { check: checkRetries, default: 10 },
  factor: { check: notNegative, default: 2 },
  minTimeout: { check: notNegative, default: 1_000 },
  maxTimeout: { check: orInfinite, default: Infinity },
  randomize: { check: flag, default: false },
  maxRetryTime: { check: orInfinite, default: Infinity },
  onFailedAttempt: { check: deciding, default: () => undefined },
  shouldRetry: { check: deciding, default: () => true },
  shouldConsumeRetry: { check: cannot(devText('left out: each retry counts, and shouldRetry decides')) },
  signal: { check: cannot(devText('left out: it belongs in the options of retry')) },
  unref: {
    check: cannot(
      devText('left out: a clock of your own may let the process end'),
      (value) => value === false,
    ),
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

/**
 * Does as p-retry 9.0.0, for programs that come from it: ten retries after 1, 2, 4 … s of whatever a function throws but a mistake. Made
 * for `retry`; a client of axios throws for a status, and those of fetch and undici for a lost connection alone. It does not read `Retry-After`.
 *
 * Differences: an error that an option throws is the cause of a `HookError`, and so `onFailedAttempt` cannot replace the error; what was
 * thrown is not wrapped; an `AbortError` of p-retry ends the call as it is. Add the `use` of the result to your own.
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
  const { retries, maxRetryTime, onFailedAttempt, shouldRetry } = setup;
  if (setup.minTimeout === 0 || setup.maxTimeout === 0) warnOfZero('likePRetry', 'minTimeout');
  const ends = maxRetryTime < Infinity;
  return {
    maxRetries: ends ? Math.min(retries, ENDLESS) : retries,
    methods: 'all',
    feedback: false,
    classify(outcome, request, attempt) {
      const thrown = thrownBy(outcome, request);
      if (thrown === undefined) return 'success';
      if (isAbort(outcome, request)) return 'final';
      const call = callStartOf(request);
      const error = isError(thrown.error)
        ? thrown.error
        : new TypeError(`Non-error was thrown: "${String(thrown.error)}". You should only throw errors.`);
      const leftMs = maxRetryTime - elapsedMs(call);
      const retriesLeft = retries + 1 - attempt;
      const isRetriable = (!(error instanceof TypeError) || isNetworkError(error)) && leftMs > 0;
      const mayFollow = isRetriable && retriesLeft > 0;
      const retryDelay = mayFollow ? delayOf(setup, attempt, call.policy.random) : 0;
      const counts = { attemptNumber: attempt, retriesLeft, retriesConsumed: attempt - 1, retryDelay };
      const context: PRetryContext = Object.freeze({ error, ...counts });
      mustBeThere('onFailedAttempt: its result', onFailedAttempt(context));
      if (!isRetriable) return 'final';
      call.delayMs = Math.min(retryDelay, leftMs);
      if (mayFollow && !mustBeThere('shouldRetry: its result', shouldRetry(context))) return 'final';
      return 'transient';
    },
    // After a scheduled attempt that was skipped there is no error.
    backoff: ({ retry, random, outcome, request }) =>
      asTimer((outcome && request && callStartOf(request).delayMs) ?? delayOf(setup, retry, random)),
    plugins: [remembering],
  };
}
