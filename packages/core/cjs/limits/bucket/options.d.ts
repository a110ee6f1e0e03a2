import { type Complete, type OptionTable } from '../../base/options.ts';
import type { Quota } from './gcra.ts';
import { type WaitingBucketOptions } from './waiting-bucket-options.ts';
/** A limit that applies in addition to the bucket's own, with the same bounds. */
interface FurtherLimit {
    /** Tokens per second. */
    readonly refillPerSecond: number;
    /** The most tokens that can accumulate. */
    readonly capacity: number;
}
/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions extends WaitingBucketOptions {
    /** Tokens per second: above 0, and at most 1e9, which is one per nanosecond. */
    readonly refillPerSecond: number;
    /**
     * The most tokens that can accumulate, and thus the largest burst: above 0, at most 1e9, and no more than
     * `refillPerSecond` fills in 1e12 seconds. Tokens that arrive at a full bucket are lost, so choose enough to outlast a
     * stall of the event loop. Source of the default: App Engine, `queue.yaml`, which recommends a fifth of the rate.
     * @default a fifth of `refillPerSecond`, rounded up
     */
    readonly capacity?: number | undefined;
    /**
     * Tokens arrive in steps, one step in this many milliseconds, to match a service that refills that way: 0.001 to 1e11.
     * 0 refills continuously. A step never adds more than the capacity.
     * @default 0
     */
    readonly refillIntervalMs?: number | undefined;
    /**
     * Tokens at the start, at most the capacity. A fleet that starts with full buckets sends all of them at once.
     * @default capacity
     */
    readonly initialTokens?: number | undefined;
    /**
     * Limits that apply in addition, such as one per day. A request takes its tokens from all of them or from none.
     * @default []
     */
    readonly furtherLimits?: readonly FurtherLimit[] | undefined;
}
/** Validated options with all defaults applied. */
export type BucketSetup = Complete<TokenBucketOptions>;
/** The capacity of a bucket without one: a fifth of a second of refill, at least one token. */
export declare function defaultCapacity({ refillPerSecond }: {
    readonly refillPerSecond: number;
}): number;
/**
 * @param name of the option that is the rate, with its caller
 * @throws RangeError if the capacity takes too long to fill
 */
export declare function checkFill(name: string, { refillPerSecond, capacity }: Quota): void;
/** @throws TypeError, RangeError for a rate or a capacity that is out of bounds */
export declare function checkRate(caller: string, rate: Quota): void;
/** How the options of a token bucket are read. */
export declare const BUCKET_OPTIONS: OptionTable<TokenBucketOptions>;
/** @throws RangeError if options that are valid by themselves contradict each other */
export declare function checkedTogether<S extends BucketSetup>(caller: string, setup: S): S;
/**
 * Validates the options of a token bucket, and applies the defaults.
 *
 * @param caller the name of the function in error messages
 * @throws TypeError, RangeError for a wrong option
 */
export declare function bucketSetup(options: TokenBucketOptions, caller?: string): BucketSetup;
export {};
//# sourceMappingURL=options.d.ts.map