import type { PolicyOptions } from '@ebb/core';
import { type Check, devText, type OptionTable, positive, readOptions, wrongType } from '@ebb/core/internal';
import { cannot } from './shared-options.ts';
import { windowBucket } from './window-bucket.ts';

/** Options of {@link likeAxiosRateLimit}: those of axios-rate-limit. `undefined` counts as not given. */
export interface LikeAxiosRateLimitOptions {
  /** How many requests are sent in each interval. */
  readonly maxRequests?: number | undefined;
  /** The interval, in milliseconds. */
  readonly perMilliseconds?: number | undefined;
  /** The interval: in milliseconds, or a text such as `'1s'`, with `ms`, `s`, `m` or `h`. It takes the place of `perMilliseconds`. */
  readonly duration?: string | number | undefined;
  /** How many requests are sent in each second. It takes the place of the others. */
  readonly maxRPS?: number | undefined;
  /** A list is an error: `quotaBucket({ limits })` has several limits. */
  readonly limits?: readonly object[] | undefined;
  /** An error: the bucket has a queue. */
  readonly queue?: object | undefined;
  /** A function is an error: each request counts. */
  readonly shouldCountRequest?: ((...args: never[]) => boolean) | undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `1s` in milliseconds; `NaN` for a text that is no duration. */
function millisecondsOf(duration: string | number): number {
  const [, count, unit = ''] = /^\s*([\d.]+)(ms|s|m|h)\s*$/.exec(String(duration)) ?? [];
  return typeof duration === 'number' ? duration : Number(count) * (UNITS[unit] ?? Number.NaN);
}

const checkDuration: Check = (name, value) => {
  if (typeof value === 'string' && millisecondsOf(value) > 0) return;
  if (typeof value === 'string')
    throw wrongType(name, devText("milliseconds, or a text such as '1s'"), value);
  positive(name, value);
};

const OPTIONS: OptionTable<LikeAxiosRateLimitOptions, keyof LikeAxiosRateLimitOptions> = {
  maxRequests: { check: positive },
  perMilliseconds: { check: positive },
  duration: { check: checkDuration },
  maxRPS: { check: positive },
  limits: { check: cannot(devText('left out: quotaBucket({ limits }) has several limits')) },
  queue: { check: cannot(devText('left out: a bucket has a queue')) },
  shouldCountRequest: { check: cannot(devText('left out: each request counts')) },
};

/** A client of axios, as far as it is used here. */
interface AxiosLike {
  readonly interceptors: { readonly request: { use(interceptor: never): unknown } };
}

/**
 * Limits a client as axios-rate-limit 1.9.0 does, for programs that come from it: so many requests are sent in each interval, and the others
 * wait. Returns the client. A client that also retries has one policy for both: `ebbInterceptor({ ...options, bucket })`.
 *
 * Differences: the intervals begin with the limiter, and not with the first request after a pause; the client has no `setMaxRPS`, `getMaxRPS`,
 * `setRateLimitOptions` and `getQueue`.
 *
 * Source: axios-rate-limit 1.9.0.
 * @param interceptor `ebbInterceptor` of `@ebb/axios`, or a function that gives it more options
 * @throws TypeError, RangeError for an option that ebb cannot follow
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/axios';
 * import { likeAxiosRateLimit } from '@ebb/compat';
 * import axios from 'axios';
 *
 * const http = likeAxiosRateLimit(axios.create(), { maxRPS: 5 }, ebbInterceptor);
 * const { data } = await http.get('https://api.example.com/');
 * ```
 */
export function likeAxiosRateLimit<Client extends AxiosLike>(
  client: Client,
  options: LikeAxiosRateLimitOptions,
  interceptor: (options: PolicyOptions) => unknown,
): Client {
  const {
    maxRPS,
    maxRequests,
    perMilliseconds,
    duration = perMilliseconds,
  } = readOptions('likeAxiosRateLimit', options, OPTIONS);
  const count = maxRPS ?? maxRequests;
  const interval = maxRPS === undefined ? duration : 1_000;
  if (count === undefined || interval === undefined)
    throw wrongType('likeAxiosRateLimit: options', devText('a number of requests, and an interval'), options);
  const bucket = windowBucket(count, millisecondsOf(interval));
  client.interceptors.request.use(interceptor({ maxRetries: 0, feedback: false, bucket }) as never);
  return client;
}
