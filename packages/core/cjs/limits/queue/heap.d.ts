/** An entry of a heap. */
export interface Heaped {
    /** Its index, set by the heap; -1 while it is in no heap. */
    heapIndex: number;
}
/** A binary heap from which any entry can be removed. */
export declare class Heap<E extends Heaped> {
    #private;
    constructor(isBefore: (one: E, other: E) => boolean);
    get size(): number;
    get first(): E | undefined;
    add(entry: E): void;
    /** Does nothing if the entry is not in the heap. */
    remove(entry: E): void;
}
//# sourceMappingURL=heap.d.ts.map