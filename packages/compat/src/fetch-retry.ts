import type { Outcome, PolicyOptions, RequestTraits } from '@ebb/core';
import {
  type Complete,
  callable,
  devText,
  isObject,
  must,
  type OptionTable,
  property,
  readOptions,
  wholeNumber,
} from '@ebb/core/internal';

import { askIn, remember } from './call-start.ts';
import { asTimer, deciding, ENDLESS, type Loose, mustBeThere, strict, warnOfZero } from './shared-options.ts';

/** A response of fetch, as far as a program may read it between two attempts. Whatever else is read of it throws. */
export interface FetchResponseLike {
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
}

type FetchResult = [error: Error | null, response: FetchResponseLike | null];

/** Options of {@link likeFetchRetry}: those of fetch-retry. `undefined` counts as not given. */
export interface LikeFetchRetryOptions {
  /**
   * Does not matter with a function as `retryOn`, which ends the retries itself.
   * @default 3
   */
  readonly retries?: number | undefined;
  /**
   * In milliseconds. A function is given the number of the attempt, from 0.
   * @default 1_000
   */
  readonly retryDelay?: number | Loose<(attempt: number, ...settled: FetchResult) => number> | undefined;
  /**
   * Statuses to retry besides lost connections; or a function that decides on both at once: a promise is an error.
   * @default []
   */
  readonly retryOn?:
    | readonly number[]
    | Loose<(attempt: number, ...settled: FetchResult) => boolean | Promise<boolean>>
    | undefined;
}

/** A fetch whose requests may have the options in their `init`. */
export type LikeFetch = (
  input: Parameters<typeof fetch>[0],
  init?: RequestInit & LikeFetchRetryOptions,
) => Promise<Response>;

const OPTIONS: OptionTable<LikeFetchRetryOptions> = {
  retries: { check: wholeNumber, default: 3 },
  retryDelay: {
    check: (name, value) => (typeof value === 'function' ? callable : wholeNumber)(name, value),
    default: 1_000,
  },
  retryOn: {
    check(name, value) {
      if (typeof value === 'function') deciding(name, value);
      else must(name, devText('a list of statuses, or a function'), value, Array.isArray(value));
    },
    default: [],
  },
};

function settledBy(outcome: Outcome | undefined, request: RequestTraits | undefined): FetchResult {
  if (outcome?.type !== 'response') return [outcome?.error as Error, null];
  const { status, redirected = false, url = request?.url ?? '' } = outcome;
  const headers = {
    get: (name: string) => outcome.header(name.toLowerCase()) ?? null,
    has: (name: string) => outcome.header(name.toLowerCase()) !== undefined,
  };
  return [null, strict('response', { status, ok: status >= 200 && status <= 299, url, redirected, headers })];
}

/** The options that a request has in its `init`: those of fetch-retry have no key of their own. */
function ownOf(request: RequestTraits): LikeFetchRetryOptions | undefined {
  // `FetchRequest` has what the call was given.
  const source = property(request, 'source');
  const init: unknown = Array.isArray(source) ? source[2] : undefined;
  if (!isObject(init)) return undefined;
  const own = Object.entries(init).filter(([key, value]) => key in OPTIONS && value !== undefined);
  return own.length > 0 ? Object.fromEntries(own) : undefined;
}

/**
 * Does the same as fetch-retry 6.0.0, for programs that come from it: three retries, each after a second, of lost connections alone, with
 * any method. The statuses in `retryOn` are retried as well. `Retry-After` is not read. A request may have the three options in its `init`.
 *
 * Differences: an abort ends the call at once, the body of a response cannot be read, and a stream is not sent twice. Add the `plugins` of
 * the result to your own.
 *
 * Source: fetch-retry 6.0.0.
 * @throws TypeError for an option that ebb cannot follow, such as an asynchronous `retryOn`
 * @example
 * ```ts
 * import { likeFetchRetry } from '@ebb/compat';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fetch = createFetch(likeFetchRetry({ retryOn: [429, 503] }));
 * ```
 */
export function likeFetchRetry(options: LikeFetchRetryOptions = {}): PolicyOptions {
  const ofAll = readOptions('likeFetchRetry', options, OPTIONS);
  if (ofAll.retryDelay === 0) warnOfZero('likeFetchRetry', 'retryDelay');
  const own = new WeakMap<RequestTraits, typeof ofAll>();
  const setupOf = (request: RequestTraits | undefined): typeof ofAll =>
    (request && own.get(request)) ?? ofAll;
  return {
    maxRetries: mostRetries(ofAll),
    methods: 'all',
    feedback: false,
    classify(outcome, request, attempt) {
      if (outcome.type === 'failure' && outcome.kind === 'aborted') return 'final';
      const { retryOn } = setupOf(request);
      const decide = (): unknown =>
        typeof retryOn === 'function'
          ? mustBeThere('retryOn: its result', retryOn(attempt - 1, ...settledBy(outcome, request)))
          : outcome.type === 'failure' || retryOn.includes(outcome.status);
      if (askIn(request, decide, false)) return 'transient';
      return outcome.type === 'failure' || outcome.status >= 400 ? 'final' : 'success';
    },
    backoff({ retry, outcome, request }) {
      const { retryDelay } = setupOf(request);
      if (typeof retryDelay !== 'function') return asTimer(retryDelay);
      return asTimer(askIn(request, () => retryDelay(retry - 1, ...settledBy(outcome, request)), 0));
    },
    plugins: [
      remember({
        own(request) {
          const given = ownOf(request);
          if (given === undefined) return undefined;
          const setup = readOptions('fetch: init', { ...options, ...given }, OPTIONS);
          own.set(request, setup);
          return { maxRetries: mostRetries(setup) };
        },
      }),
    ],
  };
}

/** A function decides alone: no number ends the retries. */
function mostRetries({ retries, retryOn }: Complete<LikeFetchRetryOptions>): number {
  return typeof retryOn === 'function' ? ENDLESS : retries;
}
