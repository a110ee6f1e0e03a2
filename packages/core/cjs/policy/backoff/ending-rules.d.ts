import { type BackoffStrategy } from './strategy.ts';
/** Options of {@link binaryExponential}. */
export interface BinaryExponentialOptions {
    /** The length of a slot, in milliseconds. */
    readonly slotMs: number;
    /**
     * The number of collisions after which the range stops growing.
     * @default 10
     */
    readonly maxExponent?: number | undefined;
    /**
     * The most attempts, the first included.
     * @default 16
     */
    readonly attemptLimit?: number | undefined;
}
/**
 * After c collisions a whole number of slots, uniform over 0 … 2^min(c, maxExponent) − 1: (2^c − 1) / 2 slots on average.
 * Gives up at the attempt limit, which is also the default of the policy's `maxRetries`, plus one.
 *
 * Source: IEEE 802.3, truncated binary exponential backoff (Ethernet).
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { binaryExponential, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: binaryExponential({ slotMs: 50, attemptLimit: 8 }) });
 * console.log(policy.maxRetries); // 7
 * ```
 */
export declare function binaryExponential(options: BinaryExponentialOptions): BackoffStrategy;
/** Options of {@link connectRetry}. */
export interface ConnectRetryOptions {
    /**
     * Twice the longest delay, in milliseconds.
     * @default 128_000
     */
    readonly maxSleepMs?: number | undefined;
}
/**
 * 1, 2, 4 … s while that is at most half of the maximum, then gives up. With 128 s that is eight attempts, and the
 * policy's `maxRetries` is 7 by default.
 *
 * Source: Stevens and Rago, "Advanced Programming in the UNIX Environment", 3rd edition, §16.4.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { connectRetry, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: connectRetry({ maxSleepMs: 32_000 }) });
 * console.log(policy.maxRetries); // 5: after 1, 2, 4, 8 and 16 s
 * ```
 */
export declare function connectRetry(options?: ConnectRetryOptions): BackoffStrategy;
//# sourceMappingURL=ending-rules.d.ts.map