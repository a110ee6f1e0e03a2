import { detailsOf, type Outcome, type PolicyOptions, type RequestTraits } from '@ebb/core';
import { type Observer, property, wallMs } from '@ebb/core/internal';

import {
  type AxiosConfigLike,
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
import { AxiosRetryOptions, type LikeAxiosRetryOptions, stateOf } from './axios-retry-options.ts';
import { askIn, callStartOf, configOf, elapsedMs, remember, startOf, tellIn } from './call-start.ts';
import { changedHeaders, rememberHeaders } from './changed-headers.ts';
import { asTimer, mustBeThere, warnOfZero } from './shared-options.ts';

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

/** The retries that a call may have. */
function most(request: RequestTraits, retries: number): number {
  return startOf(request)?.policy.maxRetries ?? retries;
}

function optionsOf(given: LikeAxiosRetryOptions = {}): PolicyOptions {
  const options = new AxiosRetryOptions(given);
  const { retries } = options.of(NO_REQUEST);
  if (given.retryDelay === undefined) warnOfZero('likeAxiosRetry', 'retryDelay');
  const counts = new WeakMap<RequestTraits, number>();
  return {
    maxRetries: retries,
    methods: 'all',
    feedback: false,
    classify(outcome, request, attempt) {
      if (outcome.type === 'response' && isAccepted(outcome, request)) return 'success';
      if (!isErrorOfAxios(outcome)) return 'final';
      if (attempt > most(request, retries)) return 'transient';
      const { retryCondition } = options.of(request);
      const decide = (): unknown =>
        mustBeThere('retryCondition: its result', retryCondition(axiosErrorOf(outcome, request)));
      const said = askIn(request, decide, false);
      // Any object is a yes: one that was no promise was waited for all the same.
      return typeof said === 'object' || said ? 'transient' : 'final';
    },
    backoff({ retry, outcome, request = NO_REQUEST }) {
      const { retryDelay, shouldResetTimeout } = options.of(request);
      const state = stateOf(request);
      if (state !== undefined) {
        const before = counts.get(request) ?? state.retryCount;
        counts.set(request, before);
        state.retryCount = before + retry;
      }
      const count = state?.retryCount ?? retry;
      const delayOf = (): number => retryDelay(count, axiosErrorOf(outcome, request));
      const delayMs = askIn(request, delayOf, 0);
      if (startOf(request)?.thrown) return undefined;
      return shouldResetTimeout || isInTime(request, delayMs) ? asTimer(delayMs) : undefined;
    },
    plugins: [
      {
        ...remember({
          own: (request) => options.begin(request),
          headers(request) {
            const state = stateOf(request);
            if (state !== undefined) state.lastRequestTime = wallMs();
            return changedHeaders(request);
          },
        }),
        onEvent: observerOf(options),
      },
    ],
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
function observerOf(options: AxiosRetryOptions): Observer {
  return (event) => {
    const { outcome, request } = detailsOf(event) ?? {};
    if (outcome === undefined || request === undefined) return;
    const isEnd = event.type === 'end' && event.reason !== 'success';
    if (event.type !== 'retry' && !isEnd) return;
    const { retries, onRetry, onMaxRetryTimesExceeded } = options.of(request);
    const error = axiosErrorOf(outcome, request);
    if (event.type === 'retry') {
      rememberHeaders(request);
      const count = stateOf(request)?.retryCount ?? event.attempt;
      if (onRetry) tellIn(request, () => onRetry(count, error, error.config as AxiosConfigLike));
    } else if (onMaxRetryTimesExceeded && event.attempt > most(request, retries)) {
      tellIn(request, () =>
        onMaxRetryTimesExceeded(error, stateOf(request)?.retryCount ?? event.attempt - 1),
      );
    }
  };
}

/**
 * Does as axios-retry 4.5.0, for programs that come from it: three retries at once, or after the `Retry-After`, of lost connections
 * with any method, and of 429 and 5xx with idempotent ones. A zero delay is said once in development. Also for fetch and undici, where a
 * status that is not 2xx is an error.
 *
 * A request may have options of its own under `axios-retry`, where `retryCount` stands as well.
 *
 * Differences: the body of a response cannot be read, interceptors run once for all attempts, and a stream is not sent twice. Add the
 * `plugins` of the result to your own.
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
