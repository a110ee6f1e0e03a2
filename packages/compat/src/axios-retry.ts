import { detailsOf, type Outcome, type PolicyOptions, type RequestTraits } from '@ebb/core';
import {
  callable,
  devText,
  flag,
  type Observer,
  type OptionTable,
  property,
  readOptions,
} from '@ebb/core/internal';

import {
  type AxiosErrorLike,
  axiosErrorOf,
  exponentialDelay,
  isAccepted,
  isIdempotentRequestError,
  isNetworkError,
  isNetworkOrIdempotentRequestError,
  isRetryableError,
  isSafeRequestError,
  linearDelay,
  retryAfter,
} from './axios-error.ts';
import { callStartOf, configOf, elapsedMs, remembering } from './call-start.ts';
import {
  asTimer,
  cannot,
  checkRetries,
  deciding,
  type Loose,
  mustBeThere,
  warnOfZero,
} from './shared-options.ts';

/** Options of {@link likeAxiosRetry}: those of axios-retry. `undefined` counts as not given. */
export interface LikeAxiosRetryOptions {
  /** @default 3 */
  readonly retries?: number | undefined;
  /**
   * It is asked at once, and returns no promise.
   * @default likeAxiosRetry.isNetworkOrIdempotentRequestError
   */
  readonly retryCondition?: Loose<(error: AxiosErrorLike) => boolean> | undefined;
  /** @default the `Retry-After`, and 0 ms without one */
  readonly retryDelay?: Loose<(retryCount: number, error: AxiosErrorLike) => number> | undefined;
  /**
   * Whether axios's `timeout` is one of each attempt, or of all together with the waits between them.
   * @default false
   */
  readonly shouldResetTimeout?: boolean | undefined;
  /** It only observes: nothing waits for it, and `beforeAttempt` changes headers. */
  readonly onRetry?:
    | Loose<(retryCount: number, error: AxiosErrorLike, config: AxiosErrorLike['config']) => unknown>
    | undefined;
  /** It only observes. */
  readonly onMaxRetryTimesExceeded?:
    | Loose<(error: AxiosErrorLike, retryCount: number) => unknown>
    | undefined;
  /** `validateStatus` of axios says what is rejected. */
  readonly validateResponse?: null | undefined;
}

/** The functions that axios-retry has besides. */
const HELPERS: {
  readonly isNetworkError: typeof isNetworkError;
  readonly isRetryableError: typeof isRetryableError;
  readonly isSafeRequestError: typeof isSafeRequestError;
  readonly isIdempotentRequestError: typeof isIdempotentRequestError;
  readonly isNetworkOrIdempotentRequestError: typeof isNetworkOrIdempotentRequestError;
  readonly exponentialDelay: typeof exponentialDelay;
  readonly linearDelay: typeof linearDelay;
  readonly retryAfter: typeof retryAfter;
} = {
  isNetworkError,
  isRetryableError,
  isSafeRequestError,
  isIdempotentRequestError,
  isNetworkOrIdempotentRequestError,
  exponentialDelay,
  linearDelay,
  retryAfter,
};

/** {@link likeAxiosRetry}. */
export type LikeAxiosRetry = ((options?: LikeAxiosRetryOptions) => PolicyOptions) & typeof HELPERS;

type Unset = 'onRetry' | 'onMaxRetryTimesExceeded' | 'validateResponse';

const OPTIONS: OptionTable<LikeAxiosRetryOptions, Unset> = {
  retries: { check: checkRetries, default: 3 },
  retryCondition: { check: deciding, default: isNetworkOrIdempotentRequestError },
  retryDelay: { check: callable, default: (_, error) => retryAfter(error) },
  shouldResetTimeout: { check: flag, default: false },
  onRetry: { check: callable },
  onMaxRetryTimesExceeded: { check: callable },
  validateResponse: {
    check: cannot(devText('left out: validateStatus of axios rejects, and retryCondition sees the status')),
  },
};

function optionsOf(options: LikeAxiosRetryOptions = {}): PolicyOptions {
  const setup = readOptions('likeAxiosRetry', options, OPTIONS);
  const { retries, retryCondition, retryDelay, shouldResetTimeout } = setup;
  if (options.retryDelay === undefined) warnOfZero('likeAxiosRetry', 'retryDelay');
  return {
    maxRetries: retries,
    methods: 'all',
    feedback: false,
    classify(outcome, request, attempt) {
      if (outcome.type === 'response' && isAccepted(outcome, request)) return 'success';
      if (!isErrorOfAxios(outcome)) return 'final';
      if (attempt > retries) return 'transient';
      const said: unknown = mustBeThere(
        'retryCondition: its result',
        retryCondition(axiosErrorOf(outcome, request)),
      );
      // Any object is a yes: one that was no promise was waited for all the same.
      return typeof said === 'object' || said ? 'transient' : 'final';
    },
    backoff({ retry, outcome, request = NO_REQUEST }) {
      const delayMs = retryDelay(retry, axiosErrorOf(outcome, request));
      return shouldResetTimeout || isInTime(request, delayMs) ? asTimer(delayMs) : undefined;
    },
    ...(shouldResetTimeout ? {} : { plugins: [remembering] }),
    ...((setup.onRetry ?? setup.onMaxRetryTimesExceeded) && { onEvent: observerOf(retries, setup) }),
  };
}

/** Stands for the request of a client that passes none to `backoff`. */
const NO_REQUEST: RequestTraits = { method: 'GET', url: '', replayable: true, header: () => undefined };

/** False for an abort, and for what is no failure of a request. */
function isErrorOfAxios(outcome: Outcome): boolean {
  if (outcome.type === 'response') return true;
  return (
    outcome.kind !== 'aborted' &&
    (outcome.kind !== 'unknown' || property(outcome.error, 'config') !== undefined)
  );
}

/** Leaves the next attempt what is left of the request's `timeout`. False if that is nothing. */
function isInTime(request: RequestTraits, delayMs: number): boolean {
  const config = configOf(request);
  if (!config?.timeout) return true;
  const call = callStartOf(request);
  const leftMs = call.timeoutMs - elapsedMs(call) - delayMs;
  if (leftMs <= 0) return false;
  config.timeout = leftMs;
  return true;
}

/** Calls the functions that axios-retry called. */
function observerOf(
  retries: number,
  { onRetry, onMaxRetryTimesExceeded }: Pick<LikeAxiosRetryOptions, Unset>,
): Observer {
  return (event) => {
    const { outcome, request } = detailsOf(event) ?? {};
    if (outcome === undefined || request === undefined) return undefined;
    const error = axiosErrorOf(outcome, request);
    if (event.type === 'retry') return onRetry?.(event.attempt, error, error.config);
    const isOver = event.type === 'end' && event.attempt > retries;
    if (!isOver || event.reason === 'success') return undefined;
    return onMaxRetryTimesExceeded?.(error, event.attempt - 1);
  };
}

/**
 * Does as axios-retry 4.5.0, for programs that come from it: three retries at once, or after the `Retry-After`, of lost connections
 * with any method, and of 429 and 5xx with idempotent ones. A zero delay is said once in development. Also for fetch and undici, where a
 * status that is not 2xx is an error.
 *
 * Differences: the body of a response cannot be read, an error that an option throws is the cause of a `HookError`, the result of `onRetry`
 * is not waited for, and a stream is not sent twice. Add the `use` and the `onEvent` of the result to your own.
 *
 * Source: axios-retry 4.5.0.
 * @throws TypeError for an option that ebb cannot follow, such as an asynchronous `retryCondition`
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/axios';
 * import { likeAxiosRetry } from '@ebb/compat';
 * import axios from 'axios';
 *
 * const options = likeAxiosRetry({ retries: 5, retryDelay: likeAxiosRetry.exponentialDelay });
 * axios.interceptors.request.use(ebbInterceptor(options));
 * ```
 */
export const likeAxiosRetry: LikeAxiosRetry = /* @__PURE__ */ Object.assign(optionsOf, HELPERS);
