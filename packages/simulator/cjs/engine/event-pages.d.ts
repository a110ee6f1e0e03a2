/** Events in a chunk. A page takes memory chunk by chunk. */
export declare const CHUNK = 32;
export declare const NONE = -1;
/**
 * Pages of unsorted events. Each page is a chain of chunks, and all chunks share a few typed arrays, so that an
 * event makes no garbage.
 */
export declare class EventPages {
    #private;
    /** The numbers of each event, at `chunk * CHUNK` and after. Replaced when they grow. */
    times: Float64Array;
    orders: Float64Array;
    events: Int32Array;
    stamps: Int32Array;
    constructor(pages: number);
    isEmpty(page: number): boolean;
    put(page: number, atMs: number, order: number, event: number, stamp: number): void;
    /** How many events the last chunk of a page holds. */
    filled(page: number): number;
    /** Empties a page and returns its last chunk, from which {@link free} leads to the others. */
    detach(page: number): number;
    /** Frees a detached chunk and returns the one before it, which is full; below 0 after the first. */
    free(chunk: number): number;
}
//# sourceMappingURL=event-pages.d.ts.map