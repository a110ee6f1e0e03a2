import type { InternalAxiosRequestConfig } from 'axios';
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
//# sourceMappingURL=layer-mark.d.ts.map