import { createPolicy, retry } from '@ebb/core';
import { type LikePRetryOptions, likePRetry } from './p-retry.ts';

/**
 * A function whose calls are retried as those of `makeRetriable` of p-retry 9.0.0, for programs that come from it: with the options of
 * {@link likePRetry}.
 *
 * Source: p-retry 9.0.0.
 * @throws TypeError for an option that ebb cannot follow
 * @example
 * ```ts
 * import { makeRetriable } from '@ebb/compat';
 *
 * const fetchOrRetry = makeRetriable(fetch, { retries: 5 });
 * const response = await fetchOrRetry('https://api.example.com/');
 * ```
 */
export function makeRetriable<Args extends readonly unknown[], Result, This = unknown>(
  call: (this: This, ...args: Args) => PromiseLike<Result> | Result,
  options: LikePRetryOptions = {},
): (this: This, ...args: Args) => Promise<Result> {
  const policy = createPolicy(likePRetry(options));
  return function (this: This, ...args: Args) {
    return retry(() => call.apply(this, args as never), policy) as Promise<Result>;
  };
}
