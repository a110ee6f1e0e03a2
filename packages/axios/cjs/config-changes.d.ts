import type { HeaderChanges } from '@ebb/core';
import type { InternalAxiosRequestConfig } from 'axios';
type Headers = InternalAxiosRequestConfig['headers'];
/** Headers of the same class, which may be another copy's, with these values. */
export declare function copyWith(headers: Headers, values: object | undefined): Headers;
/** A copy of the headers with the changes of an attempt. Adapters write into it too: the original stays as it is. */
export declare function changed(headers: Headers, changes: HeaderChanges): Headers;
/** The mark that an outer layer left in a config. */
export declare function outerLayerOf(config: InternalAxiosRequestConfig): unknown;
/**
 * Marks a config so that ebb layers below know that this one retries. The mark stands in the config, which another
 * axios instance receives as a copy, and in its `fetchOptions`, which are passed to fetch. The caller's `ebb`
 * options are for this layer alone and are hidden from those below.
 */
export declare class LayerMark {
    #private;
    constructor(config: InternalAxiosRequestConfig);
    set(layer: object): void;
    /** Restores the config, without the mark of an outer layer. */
    remove(): void;
}
/**
 * An attempt that has timed out, and whose custom adapter may go on with the config: it may have ignored its token, or
 * wait for something else. While ebb waits for the retry the config stays as it was in the attempt. Its token is
 * canceled, so that axios sends nothing more through another instance or its fetch adapter, and what is sent nevertheless
 * has the attempt's headers, an idempotency key for example.
 */
export declare class LateAttempt {
    #private;
    constructor(config: InternalAxiosRequestConfig);
    hold(): void;
    release(): void;
}
export {};
//# sourceMappingURL=config-changes.d.ts.map