import type { ConcurrencyLimit, ObservableBucket, RetryBudget } from '@ebb/core';
import { type Attributes, type Meter } from '@opentelemetry/api';
/** What {@link observe} reads. Limits per key are observed one by one. */
export interface Observed {
    /**
     * Its tokens, its queue and its pause; of a bucket of `@ebb/valkey` also its mode.
     * @default none
     */
    readonly bucket?: Pick<ObservableBucket, 'stats'> | undefined;
    /**
     * Its slots and its queue.
     * @default none
     */
    readonly concurrency?: Pick<ConcurrencyLimit, 'stats'> | undefined;
    /**
     * Its balance; of a budget of `@ebb/valkey` also its mode.
     * @default none
     */
    readonly budget?: ObservableBudget | undefined;
    /**
     * Tell these limits from others: two calls with equal attributes overwrite each other's values.
     * @default none
     */
    readonly attributes?: Attributes | undefined;
    /**
     * Makes the gauges.
     * @default the global meter provider's, of the name `@ebb/opentelemetry`
     */
    readonly meter?: Meter | undefined;
}
/** A budget, or one that processes share. */
export interface ObservableBudget extends RetryBudget {
    stats?(): {
        readonly mode: string;
    };
}
/**
 * Observes limits: each time metrics are collected, gauges take the state of the bucket, the slots and the budget. Call it
 * after the SDK has been started. Returns a function that ends it: the limits are not read any more, and can be collected.
 * The SDK may go on reporting the last values.
 *
 * @throws TypeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, tokenBucket } from '@ebb/core';
 * import { observe, telemetry } from '@ebb/opentelemetry';
 *
 * const bucket = tokenBucket({ refillPerSecond: 100 });
 * const policy = createPolicy({ bucket, onEvent: telemetry() });
 * const stop = observe({ bucket, attributes: { 'peer.service': 'orders' } });
 * ```
 */
export declare function observe(observed: Observed): () => void;
//# sourceMappingURL=observe.d.ts.map