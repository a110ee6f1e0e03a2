import type { Clock, Random } from '@ebb/core';
import { type OptionTable } from '@ebb/core/bucket';
import type { StoreObserver } from './events.ts';
import { type ValkeyClient } from './store-client.ts';
/** The options that {@link valkeyBucket} and {@link valkeyBudget} have in common. */
export interface StoreOptions {
    /** A client of iovalkey, ioredis, redis or @valkey/valkey-glide, or any object with `evalsha` and `eval`. */
    readonly client: ValkeyClient;
    /** The name, without braces. */
    readonly key: string;
    /**
     * What the key in the store begins with.
     * @default 'ebb:'
     */
    readonly prefix?: string | undefined;
    /**
     * How long the store may take to reply, in milliseconds. A longer call counts as an error.
     * @default 250
     */
    readonly timeoutMs?: number | undefined;
    /**
     * The longest delay between two attempts to reach a lost store, in milliseconds.
     * @default 500
     */
    readonly retryMs?: number | undefined;
    /**
     * Called when the store is lost and when it is used again. An observer that throws or rejects is reported once and
     * changes nothing.
     * @default none
     */
    readonly onStoreEvent?: StoreObserver | undefined;
    /**
     * The source of time, for tests.
     * @default that of the policy; without a policy that of the system
     */
    readonly clock?: Clock | undefined;
    /**
     * The source of randomness, for tests.
     * @default Math.random
     */
    readonly random?: Random | undefined;
}
/** How the common options are read. */
export declare const STORE_OPTIONS: OptionTable<StoreOptions, 'onStoreEvent'>;
//# sourceMappingURL=store-options.d.ts.map