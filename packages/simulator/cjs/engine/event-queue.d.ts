/**
 * Called with the events of a day before they happen: a stretch of an array. Reading their subjects here fetches
 * them from memory in parallel, instead of one after the other when each event happens.
 */
export type Touch = (events: Int32Array, from: number, to: number) => void;
/**
 * Events in order of time, and at equal times in the order in which they were added. An event is two whole numbers
 * whose meaning is the caller's.
 *
 * A heap holds the events of the current day only, a short stretch of time. Events of later days lie unsorted on the
 * pages of a calendar: they move to the page of their day when their month begins, and into the heap when their day
 * does. So an event costs the same with a thousand pending events as with a million. One large heap would cost three
 * times as much, most of it cache misses.
 *
 * Source: Brown, "Calendar Queues", 1988.
 */
export declare class EventQueue {
    #private;
    size: number;
    /** The two numbers of the event that {@link pop} removed. */
    event: number;
    stamp: number;
    /** A day should hold a few dozen events: the heap is slow with many more, and finding the next day with many fewer. */
    constructor(dayMs?: number, touch?: Touch);
    /** The time of the next event; `Infinity` if there is none. */
    get nextAtMs(): number;
    /** `atMs` must not be negative. */
    push(atMs: number, event: number, stamp?: number): void;
    /** Removes the next event and sets {@link event} and {@link stamp} to its numbers. */
    pop(): void;
}
//# sourceMappingURL=event-queue.d.ts.map