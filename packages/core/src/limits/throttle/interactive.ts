import { fullJitter } from '../../backoff/curves.ts';
import type { PolicyOptions } from '../../policy/options.ts';
import { adaptiveThrottle } from './throttle.ts';

/**
 * Options for a person who waits for the result: three seconds in all, the body included, in attempts of a second each, and retries after
 * up to 100 ms at first. A throttle of its own sends less while little succeeds, since short timeouts add load to an overload.
 *
 * A POST that timed out is not repeated without an `Idempotency-Key`. For long answers, such as event streams, set
 * `totalTimeoutCovers: 'headers'`.
 *
 * @example
 * ```ts
 * import { createPolicy, interactive } from '@ebb/core';
 *
 * const policy = createPolicy({ ...interactive(), maxRetries: 3 });
 * ```
 */
export function interactive(): PolicyOptions {
  return {
    backoff: fullJitter({ baseMs: 100, capMs: 1_000 }),
    attemptTimeoutMs: 1_000,
    totalTimeoutMs: 3_000,
    totalTimeoutCovers: 'body',
    throttle: adaptiveThrottle(),
  };
}
