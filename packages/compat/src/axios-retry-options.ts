import type { PolicyOptions, RequestTraits } from '@ebb/core';
import {
  type Complete,
  callable,
  devText,
  flag,
  isObject,
  type OptionTable,
  readOptions,
  wallMs,
} from '@ebb/core/internal';

import {
  type AxiosConfigLike,
  type AxiosErrorLike,
  isNetworkOrIdempotentRequestError,
  retryAfter,
} from './axios-error.ts';
import { configOf } from './call-start.ts';
import { cannot, checkRetries, deciding, type Loose } from './shared-options.ts';

/** Options of {@link likeAxiosRetry}: those of axios-retry. `undefined` counts as not given. */
export interface LikeAxiosRetryOptions {
  /** @default 3 */
  readonly retries?: number | undefined;
  /**
   * It is asked at once: a promise is an error.
   * @default likeAxiosRetry.isNetworkOrIdempotentRequestError
   */
  readonly retryCondition?: Loose<(error: AxiosErrorLike) => boolean | Promise<boolean>> | undefined;
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
export class AxiosRetryOptions {
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

/** The state of the retries in the config, where a program may read it. */
export function stateOf(request: RequestTraits): { retryCount: number; lastRequestTime: number } | undefined {
  return configOf(request)?.[KEY] as ReturnType<typeof stateOf>;
}
