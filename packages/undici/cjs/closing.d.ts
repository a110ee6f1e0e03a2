/** A request whose retry waits. */
export interface ClosingWatcher {
    /** The agent was closed; the error is undici's. */
    dispatcherClosed(error: Error): void;
}
/**
 * A place in the ring of watchers. Not a `Set`: it leaves its tables behind as it grows and shrinks, and an old table keeps
 * requests in memory that have ended, until the next full collection.
 */
export declare class Watch {
    #private;
    readonly watcher: ClosingWatcher | undefined;
    next: Watch;
    /** @param ring the first of the ring, which has no watcher; by default this one */
    constructor(watcher?: ClosingWatcher, ring?: Watch);
    stop(): void;
}
/**
 * Detects that an `Agent` of undici 8 was closed or destroyed while retries wait. undici does not tell an interceptor.
 * But a closed `Agent` refuses every dispatch with an error of its own, and an open one does nothing for a dispatch
 * without an origin.
 */
export declare class Closing {
    #private;
    private constructor();
    /**
     * `undefined` if probing would do harm: a `Pool` takes a failed dispatch for a sign that its client is busy, with
     * undici 7 a `Pool` cannot be told from an `Agent`, and another interceptor in between would see the probe.
     *
     * @param args the arguments of the interceptor: undici 8 passes the origin of a `Pool` or a `Client`
     */
    static of(args: readonly unknown[]): Closing | undefined;
    /** Tells the watcher, once, when the agent is closed, unless the watch is stopped before. */
    watch(watcher: ClosingWatcher): Watch;
}
//# sourceMappingURL=closing.d.ts.map