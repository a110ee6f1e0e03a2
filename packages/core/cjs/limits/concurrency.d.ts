import type { Clock } from '../base/clock.ts';
import type { ConcurrencyLimit, PerKey } from './contracts.ts';
import { type KeyOf, type MakePerKey, type PerKeyOptions } from './per-key-options.ts';
import { type WaitingOptions } from './queue/options.ts';
/** Options of {@link concurrencyLimit}. */
export interface ConcurrencyOptions extends WaitingOptions {
    /** The most requests in flight at a time. */
    readonly maxConcurrent: number;
    /** @default that of the policy; without a policy that of the system */
    readonly clock?: Clock | undefined;
}
/**
 * Limits how many requests are in flight at a time, as App Engine's `max_concurrent_requests` does. A token bucket limits
 * how many start per second; a policy may have both. A request then takes its slot and its tokens together, and holds
 * neither while it waits for the other.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { concurrencyLimit, createPolicy } from '@ebb/core';
 *
 * const concurrency = concurrencyLimit({ maxConcurrent: 20, maxQueue: 1_000 });
 * const policy = createPolicy({ concurrency });
 * ```
 */
export declare function concurrencyLimit(options: ConcurrencyOptions): ConcurrencyLimit;
/**
 * A {@link concurrencyLimit} per key: by default per origin. `make` is the options that all of them share, or a function
 * that returns the limit of a key.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { concurrencyPerKey, createPolicy } from '@ebb/core';
 *
 * // Six requests at once to each origin, as browsers do over HTTP/1.1.
 * const policy = createPolicy({ concurrency: concurrencyPerKey({ maxConcurrent: 6 }) });
 * ```
 */
export declare function concurrencyPerKey(keyOf: KeyOf, make: MakePerKey<ConcurrencyLimit, ConcurrencyOptions>, options?: PerKeyOptions): PerKey<ConcurrencyLimit>;
export declare function concurrencyPerKey(make: MakePerKey<ConcurrencyLimit, ConcurrencyOptions>, options?: PerKeyOptions): PerKey<ConcurrencyLimit>;
//# sourceMappingURL=concurrency.d.ts.map