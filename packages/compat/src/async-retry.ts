import type { AttemptContext, CurrentAttempt, PolicyOptions, Random, WrapAttempt } from '@ebb/core';
import { type Complete, callable, flag, type OptionTable, property, readOptions } from '@ebb/core/internal';

import { callStartOf, elapsedMs, remember } from './call-start.ts';
import { DELAY_OPTIONS, type DelayOptions, orInfinite } from './delay-options.ts';
import { asTimer, ENDLESS, type Loose, warnOfZero } from './shared-options.ts';

/** Options of {@link likeAsyncRetry}: those of async-retry. `undefined` counts as not given. */
export interface LikeAsyncRetryOptions extends DelayOptions {
  /** @default 10 */
  readonly retries?: number | undefined;
  /**
   * Multiplies each delay by up to two.
   * @default true
   */
  readonly randomize?: boolean | undefined;
  /**
   * Retries without an end, with the last delay.
   * @default false
   */
  readonly forever?: boolean | undefined;
  /**
   * Called with each error before a retry, and with the number of the attempt.
   * @default none
   */
  readonly onRetry?: Loose<(error: Error, attempt: number) => unknown> | undefined;
}

const OPTIONS: OptionTable<LikeAsyncRetryOptions, 'unref' | 'onRetry'> = {
  retries: { check: orInfinite, default: 10 },
  ...DELAY_OPTIONS,
  randomize: { check: flag, default: true },
  forever: { check: flag, default: false },
  onRetry: { check: callable },
};

/** A function that is called with `bail` and the number of the attempt. */
export type CallWithBail<T, E = unknown> = (bail: (error: E) => void, attempt: number) => T | PromiseLike<T>;

/** Carries the argument of `bail`, which may be no object. */
class Bail {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/**
 * A function for `retry` that is called as async-retry calls it: with `bail`, which ends the call with an error at once, and the number of
 * the attempt.
 *
 * Source: async-retry 1.3.3.
 * @example
 * ```ts
 * import { retry } from '@ebb/core';
 * import { likeAsyncRetry, withBail } from '@ebb/compat';
 *
 * const load = withBail(async (bail) => {
 *   const response = await fetch('https://api.example.com/');
 *   if (response.status === 403) return bail(new Error('forbidden'));
 *   return response.json();
 * });
 * await retry(load, likeAsyncRetry({ retries: 3 }));
 * ```
 */
export function withBail<T>(
  call: (bail: (error?: unknown) => void, attempt: number) => T | PromiseLike<T>,
): (context: Pick<AttemptContext, 'attempt'>) => Promise<T> {
  return ({ attempt }) =>
    new Promise((resolve, reject) => {
      const bail = (error?: unknown): void => reject(new Bail(error || new Error('Aborted')));
      // Not resolved with its promise: `bail` would come too late then.
      Promise.resolve(call(bail, attempt)).then(resolve, reject);
    });
}

function delayOf(
  { minTimeout, factor, maxTimeout, randomize }: Complete<LikeAsyncRetryOptions, 'unref' | 'onRetry'>,
  retry: number,
  random: Random,
): number {
  const share = randomize ? random() + 1 : 1;
  return Math.min(maxTimeout, Math.round(share * Math.max(minTimeout, 1) * factor ** (retry - 1)));
}

/** The error whose message came most often, and the last of those. */
function mainError(errors: readonly unknown[]): unknown {
  const counts = new Map<unknown, number>();
  let [main, most]: [unknown, number] = [undefined, 0];
  for (const error of errors) {
    const message = property(error, 'message');
    const count = (counts.get(message) ?? 0) + 1;
    counts.set(message, count);
    if (count >= most) [main, most] = [error, count];
  }
  return main;
}

/**
 * Does as async-retry 1.3.3, for programs that come from it: ten retries after 1, 2, 4 … s, each up to twice as long, of whatever a function
 * throws. Made for `retry`; {@link withBail} gives the function its `bail`.
 *
 * Differences: the delays are drawn one by one, and not sorted. Add the `plugins` of the result to your own.
 *
 * Source: async-retry 1.3.3.
 * @throws TypeError for an option that ebb cannot follow
 * @example
 * ```ts
 * import { retry } from '@ebb/core';
 * import { likeAsyncRetry } from '@ebb/compat';
 *
 * const rows = await retry(() => db.query('select 1'), likeAsyncRetry({ retries: 5 }));
 * declare const db: { query(sql: string): Promise<unknown[]> };
 * ```
 */
export function likeAsyncRetry(options: LikeAsyncRetryOptions = {}): PolicyOptions {
  const setup = readOptions('likeAsyncRetry', options, OPTIONS);
  const { retries, forever, maxRetryTime, onRetry } = setup;
  if (setup.minTimeout === 0 || setup.maxTimeout === 0) warnOfZero('likeAsyncRetry', 'minTimeout');
  /** Remembers the errors, of which the call fails with one. */
  const wrapAttempt = (async (send: () => unknown, { request, attempt }: CurrentAttempt) => {
    try {
      return await send();
    } catch (thrown) {
      const call = callStartOf(request);
      const isLate = elapsedMs(call) >= maxRetryTime;
      const isEnd = isLate || thrown instanceof Bail || Boolean(property(thrown, 'bail'));
      call.verdict = { attempt, verdict: isEnd ? 'final' : 'transient' };
      if (thrown instanceof Bail) throw thrown.error;
      if (isEnd && !isLate) throw thrown;
      call.errors.push(thrown);
      if (isLate) call.errors.unshift(new Error('RetryOperation timeout occurred'));
      if (isLate || (!forever && attempt > retries)) throw mainError(call.errors);
      onRetry?.(thrown as Error, attempt);
      throw thrown;
    }
  }) as WrapAttempt;

  return {
    maxRetries: forever ? ENDLESS : Math.min(retries, ENDLESS),
    methods: 'all',
    feedback: false,
    classify(outcome, request, attempt) {
      if (outcome.type === 'response' && !('error' in outcome)) return 'success';
      const { verdict } = callStartOf(request);
      // A timeout of the policy comes before the function has failed.
      return verdict?.attempt === attempt ? verdict.verdict : 'transient';
    },
    backoff: ({ retry, random }) =>
      asTimer(delayOf(setup, forever ? Math.min(retry, retries) : retry, random)),
    plugins: [remember({ wrapAttempt })],
  };
}
