import { type Complete, type WaitingBucketOptions } from '@ebb/core/bucket';
import type { OnStoreError } from './events.ts';
import { type StoreClient } from './store-client.ts';
import { type StoreOptions } from './store-options.ts';
/** How a process leases tokens or retries. */
export interface LeaseOptions {
    /**
     * How far ahead a process leases, in milliseconds. A longer time makes fewer calls, and leaves more tokens idle in
     * one process while another could use them. At least 1 for a bucket, and at most half the time in which it fills.
     * @default 100
     */
    readonly aheadMs?: number | undefined;
}
/** Options of {@link valkeyBucket}. Every process of the fleet passes the same key, rate and capacity. */
export interface ValkeyBucketOptions extends WaitingBucketOptions, StoreOptions {
    /** The name of the bucket, without braces. The key in the store is `prefix{key}`. */
    readonly key: string;
    /** Tokens per second for the whole fleet: above 0, at most 1e9, and enough to fill the capacity within 1e8 s. */
    readonly refillPerSecond: number;
    /**
     * The most tokens that accumulate, for the whole fleet: above 0, at most 1e9.
     * @default a fifth of `refillPerSecond`, rounded up
     */
    readonly capacity?: number | undefined;
    /**
     * How a process leases tokens.
     * @default { aheadMs: 100 }
     */
    readonly lease?: LeaseOptions | undefined;
    /**
     * What requests get while the store is unreachable. `'local'`: each process spends its share of the rate, starting
     * from empty. `'open'`: every request gets a grant, which does not conform. `'closed'`: every request is
     * rejected.
     * @default 'local'
     */
    readonly onStoreError?: OnStoreError | undefined;
    /**
     * The part of the quota that this process has without the store, above 0 and at most 1. Without it a process that
     * never reached the store rejects every request.
     * @default 1 / the highest number of processes that the store counted in the last minute
     */
    readonly localShare?: number | undefined;
    /**
     * How long requests wait for a store that was never reached, from the first call on, in milliseconds, but never
     * longer than their own `maxWaitMs`. If requests can go without the store (`'open'`, and `'local'` with a
     * `localShare`), or the error is permanent, such as a wrong password, `timeoutMs` applies instead.
     * @default 10_000, or the longest that the first request in the queue may wait, if that is longer
     */
    readonly connectTimeoutMs?: number | undefined;
    /**
     * The longest delay between two attempts to reach a lost store, in milliseconds. The first delays are shorter, and
     * each is random within its second half.
     * @default 500
     */
    readonly retryMs?: number | undefined;
    /**
     * What a pause applies to that a response asks for. `'origin'`: requests of this process to the origin that asked; those to other
     * origins go on, and other processes get the server's response themselves. `'bucket'`: all requests of the fleet,
     * for one quota behind the bucket.
     * @default 'origin'
     */
    readonly feedbackScope?: WaitingBucketOptions['feedbackScope'];
}
/** Options without a default. */
type Unset = 'localShare' | 'connectTimeoutMs' | 'onStoreEvent';
/** Validated options with all defaults applied. `key` is the whole key in the store. */
export interface FleetSetup extends Omit<Complete<ValkeyBucketOptions, Unset>, 'lease' | 'prefix'> {
    readonly storeClient: StoreClient;
    readonly aheadMs: number;
    /** How far ahead waiting requests lease, all processes together, in milliseconds. */
    readonly queueAheadMs: number;
    /**
     * How late waiting requests may spend their lease, in milliseconds: as long as the bucket would have kept the
     * tokens.
     */
    readonly graceMs: number;
}
/** @throws TypeError, RangeError if an option is invalid; the message names it */
export declare function fleetSetup(options: ValkeyBucketOptions): FleetSetup;
export {};
//# sourceMappingURL=options.d.ts.map