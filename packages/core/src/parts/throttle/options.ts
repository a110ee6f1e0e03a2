import { notNegative, oneOf, share } from '../../base/check.ts';
import type { OptionTable } from '../../base/options.ts';

/** Options of {@link throttle}. */
export interface ThrottleOptions {
  /**
   * The least share of new requests that is sent, above 0 and up to 1. They find out that the service is back.
   * @default 0.02
   */
  readonly floor?: number | undefined;
  /**
   * Retries for each request of the last ten seconds, before successes pay for more. A budget in the policy replaces it.
   * @default 2.5
   */
  readonly credit?: number | undefined;
  /**
   * Retries that a client may make however few requests it has made. Each client has them, and over a fleet they add up:
   * 0.3 for very many quiet clients. Below 1 it takes retries from clients that send less than about one request in ten seconds:
   * one in a minute then hardly has any. Busier ones, which have them from `credit`, lose nothing.
   * @default 3
   */
  readonly reserve?: number | undefined;
  /**
   * `'wait'`: a request whose chance is skipped goes on to its next one, after the next backoff. `'fail'`: it ends, with a
   * `ThrottledError` (`overload`) or the answer that was there.
   * @default 'wait'
   */
  readonly whenSkipped?: 'wait' | 'fail' | undefined;
}

export const THROTTLE_OPTIONS: OptionTable<ThrottleOptions> = {
  floor: { check: share, default: 0.02 },
  credit: { check: notNegative, default: 2.5 },
  reserve: { check: notNegative, default: 3 },
  whenSkipped: { check: oneOf('wait', 'fail'), default: 'wait' },
};
