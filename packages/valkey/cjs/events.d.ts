import type { Clock } from '@ebb/core';
/** What requests get while the store is unreachable: a share of the quota, anything, or nothing. */
export type OnStoreError = 'local' | 'open' | 'closed';
/** A bucket or a budget lost its store, or reached it again. */
export type StoreEvent = {
    /** The key in the store, prefix included. */
    readonly key: string;
    /** Milliseconds since the epoch, on the bucket's clock. */
    readonly atMs: number;
} & ({
    /** The store returned an error or did not reply in time. `mode` applies from now on. */
    readonly type: 'lost';
    /** The client's own error, if it reported one. A failed login is reported without the password. */
    readonly error: unknown;
    readonly mode: OnStoreError;
    /** The part of the quota that this process has meanwhile, from 0 to 1. */
    readonly share: number;
} | {
    /** The bucket is shared again. */
    readonly type: 'back';
    /** How long it was not shared, in milliseconds. */
    readonly outageMs: number;
});
/** Called with every event, as it happens. */
export type StoreObserver = (event: StoreEvent) => void;
type WithoutOrigin<E extends StoreEvent = StoreEvent> = E extends StoreEvent ? Omit<E, 'key' | 'atMs'> : never;
/** Calls the observer, if there is one. An observer that throws is reported once. */
export declare function emitStoreEvent(setup: {
    readonly onStoreEvent?: StoreObserver | undefined;
    readonly key: string;
}, clock: Clock, event: WithoutOrigin): void;
export {};
//# sourceMappingURL=events.d.ts.map