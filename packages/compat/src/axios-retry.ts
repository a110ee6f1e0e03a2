import { detailsOf, type Outcome, type PolicyOptions, type RequestTraits } from '@ebb/core';
import {
  type Complete,
  callable,
  devText,
  flag,
  isObject,
  type Observer,
  type OptionTable,
  property,
  readOptions,
  wallMs,
} from '@ebb/core/internal';

import {
  type AxiosConfigLike,
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
import { askIn, callStartOf, configOf, elapsedMs, remember, startOf, tellIn } from './call-start.ts';
import { changedHeaders, rememberHeaders } from './changed-headers.ts';
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
  /** The attempt that follows waits for it, and has what it changes in the config. */
  readonly onRetry?:
    | Loose<(retryCount: number, error: AxiosErrorLike, config: AxiosConfigLike) => unknown>
    | undefined;
  /** The end of the call waits for it. */
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

/** The key under which a request has options of its own, and the state of its retries. */
const KEY = 'axios-retry';

/** The options of all requests of a client, in which those of one request may stand above them. */
class AxiosRetryOptions {
  readonly #given: LikeAxiosRetryOptions;
  readonly #setup: Complete<LikeAxiosRetryOptions, Unset>;

  constructor(given: LikeAxiosRetryOptions) {
    this.#given = given;
    this.#setup = readOptions('likeAxiosRetry', given, OPTIONS);
  }

  /** @throws TypeError for an option of the request that ebb cannot follow */
  of(request: RequestTraits): Complete<LikeAxiosRetryOptions, Unset> {
    const own = configOf(request)?.[KEY];
    if (!isObject(own)) return this.#setup;
    const known = Object.entries(own).filter(([key, value]) => key in OPTIONS && value !== undefined);
    return readOptions(KEY, { ...this.#given, ...Object.fromEntries(known) }, OPTIONS);
  }

  /** Writes the state into the config, where programs read it. Returns how many retries are left. */
  begin(request: RequestTraits): PolicyOptions | undefined {
    const config = configOf(request);
    if (config === undefined) return undefined;
    const { retryCount = 0 } = (config[KEY] ?? {}) as { readonly retryCount?: number };
    const isOwn = isObject(config[KEY]);
    const setup = this.of(request);
    config[KEY] = { ...setup, retryCount, lastRequestTime: wallMs() };
    return isOwn ? { maxRetries: Math.max(0, setup.retries - retryCount) } : undefined;
  }
}

/** The state of the retries in the config, of which a program may read `retryCount`. */
function stateOf(request: RequestTraits): { retryCount: number } | undefined {
  return configOf(request)?.[KEY] as { retryCount: number } | undefined;
}

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
        ...remember({ own: (request) => options.begin(request), headers: changedHeaders }),
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
