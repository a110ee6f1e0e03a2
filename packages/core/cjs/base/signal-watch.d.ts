/**
 * The waiters under one signal, by lane, with one listener for all of them. With a listener each, aborting n waiters would
 * take n² steps, and Node would warn of a leak from the eleventh.
 *
 * A waiter that leaves is only counted. Once half of the lists has left, they are filtered: finding each waiter at once
 * would need an index as large as the lists.
 */
export declare class SignalWatch<W> {
    #private;
    /**
     * @param listen registers a function for the abort of the signal, and returns a function that removes it
     * @param isMember false for a waiter that has left
     * @param onEnd called when the signal aborts, and when the last waiter has left
     */
    constructor(listen: (end: () => void) => () => void, isMember: (one: W, watch: SignalWatch<W>) => boolean, onEnd: (watch: SignalWatch<W>) => void);
    add(one: W, lane: number): void;
    /** To be called once for each waiter that leaves. */
    left(): void;
    /** True if all have left. */
    get isEmpty(): boolean;
    members(): Generator<[one: W, lane: number], undefined>;
}
//# sourceMappingURL=signal-watch.d.ts.map