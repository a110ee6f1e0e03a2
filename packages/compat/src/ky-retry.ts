import type { Classify, Outcome, PolicyOptions, Random } from '@ebb/core';
import {
  type Check,
  type Complete,
  callable,
  devText,
  flag,
  must,
  type OptionTable,
  readOptions,
  wholeNumber,
} from '@ebb/core/internal';
import { orInfinite } from './delay-options.ts';
import { asTimer, cannot, LONGEST_TIMER_MS } from './shared-options.ts';

/** The `retry` of ky. `undefined` counts as not given. */
export interface KyRetryOptions {
  /** @default 2 */
  readonly limit?: number | undefined;
  /** @default ['get', 'put', 'head', 'delete', 'options', 'trace', 'query'] */
  readonly methods?: readonly string[] | undefined;
  /** @default [408, 413, 429, 500, 502, 503, 504] */
  readonly statusCodes?: readonly number[] | undefined;
  /**
   * The longest wait that a server may ask for, in milliseconds.
   * @default Infinity
   */
  readonly maxRetryAfter?: number | undefined;
  /**
   * The longest delay, in milliseconds.
   * @default Infinity
   */
  readonly backoffLimit?: number | undefined;
  /** By the number of the retry, in milliseconds. @default 300, 600, 1,200 … */
  readonly delay?: ((attemptCount: number) => number) | undefined;
  /**
   * `true` draws each delay from 0 to what it would be; a function changes it.
   * @default none
   */
  readonly jitter?: boolean | ((delay: number) => number) | undefined;
  /** @default false */
  readonly retryOnTimeout?: boolean | undefined;
  /** An error: the statuses for which ebb reads a `Retry-After` are those that it retries. */
  readonly afterStatusCodes?: readonly number[] | undefined;
  /** An error: `classify` of a policy decides. */
  readonly shouldRetry?: ((state: never) => unknown) | undefined;
}

type Unset = 'jitter' | 'afterStatusCodes' | 'shouldRetry';
export type KyRetry = Complete<KyRetryOptions, Unset>;

const list: Check = (name, value) => must(name, devText('a list'), value, Array.isArray(value));

const OPTIONS: OptionTable<KyRetryOptions, Unset> = {
  limit: { check: wholeNumber, default: 2 },
  methods: { check: list, default: ['get', 'put', 'head', 'delete', 'options', 'trace', 'query'] },
  statusCodes: { check: list, default: [408, 413, 429, 500, 502, 503, 504] },
  maxRetryAfter: { check: orInfinite, default: Infinity },
  backoffLimit: { check: orInfinite, default: Infinity },
  delay: { check: callable, default: (attemptCount) => 300 * 2 ** (attemptCount - 1) },
  jitter: { check: (name, value) => (typeof value === 'function' ? callable : flag)(name, value) },
  retryOnTimeout: { check: flag, default: false },
  afterStatusCodes: { check: cannot(devText('left out: a Retry-After counts with each retried status')) },
  shouldRetry: { check: cannot(devText('left out: `classify` of a policy decides')) },
};

/** A number is the limit. */
export function readRetry(given: number | KyRetryOptions | undefined): KyRetry {
  return readOptions('ky: retry', typeof given === 'number' ? { limit: given } : (given ?? {}), OPTIONS);
}

/** Retries lost connections and some statuses: a 413 if it says when. */
function classifyBy(
  { statusCodes, retryOnTimeout }: KyRetry,
  throwsFor: (status: number) => boolean,
): Classify {
  return (outcome: Outcome) => {
    if (outcome.type === 'failure') {
      const isLost = outcome.kind === 'connect' || outcome.kind === 'network';
      return isLost || (outcome.kind === 'timeout' && retryOnTimeout) ? 'transient' : 'final';
    }
    const { status } = outcome;
    const isOk = status >= 200 && status <= 299;
    if (isOk || !throwsFor(status)) return 'success';
    const isAskedFor = status !== 413 || outcome.header('retry-after') !== undefined;
    return isAskedFor && statusCodes.includes(status) ? 'transient' : 'final';
  };
}

function delayOf({ delay, jitter, backoffLimit }: KyRetry, retry: number, random: Random): number {
  const delayMs = delay(retry);
  if (typeof jitter !== 'function') return Math.min(backoffLimit, jitter ? random() * delayMs : delayMs);
  const drawn = jitter(delayMs);
  return Math.min(backoffLimit, drawn >= 0 && drawn < Infinity ? drawn : delayMs);
}

/**
 * The options of a policy that retries as ky does.
 *
 * @param throwsFor whether a client throws for a status that is not 2xx
 */
export function policyOf(retry: KyRetry, throwsFor: (status: number) => boolean): PolicyOptions {
  const { limit, methods, maxRetryAfter } = retry;
  return {
    maxRetries: limit,
    methods: methods.map((method) => method.toUpperCase()),
    classify: classifyBy(retry, throwsFor),
    backoff: ({ retry: count, random }) => asTimer(delayOf(retry, count, random)),
    retryAfter: { maxMs: Math.min(maxRetryAfter, LONGEST_TIMER_MS), then: 'cap' },
  };
}
