/** A binary heap of events by time and order, on typed arrays, so that an event makes no garbage. */
export declare class EventHeap {
    #private;
    size: number;
    /** The two numbers of the event that {@link pop} removed. */
    event: number;
    stamp: number;
    constructor(capacity?: number);
    /** The time of the next event; `Infinity` if there is none. */
    get nextAtMs(): number;
    /** Of two events at one time the one with the lower order comes first. */
    push(atMs: number, order: number, event: number, stamp: number): void;
    /** Removes the next event and sets {@link event} and {@link stamp} to its numbers. */
    pop(): void;
}
//# sourceMappingURL=event-heap.d.ts.map