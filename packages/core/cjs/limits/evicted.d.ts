/**
 * A bucket or a limit that reports its use. If it was evicted from its map, the map takes it back then, so that the change
 * is not lost. Without `beforeUse` an evicted value is lost, with its changes, once nothing refers to it.
 */
export interface CallsBeforeUse {
    /** Set by the map on eviction, and called before every change; `undefined` while the value is in the map. */
    beforeUse: (() => void) | undefined;
}
/**
 * Values that were evicted from a map because they are as good as new. A caller may still hold one, so it is found again
 * as long as it is in memory, and no key ever has two. The time of garbage collection does not matter: a value that
 * nothing refers to behaves like a new one.
 */
export declare class Evicted<T extends object> {
    #private;
    /** @param onUse called when an evicted value is used */
    constructor(onUse: (key: string, value: T) => void);
    get size(): number;
    add(key: string, value: T): void;
    /** The values that are still in memory. */
    values(): Generator<T>;
    /** Removes and returns the value of a key, if it is still in memory. */
    recall(key: string): T | undefined;
}
//# sourceMappingURL=evicted.d.ts.map