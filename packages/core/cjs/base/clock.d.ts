/** Returns random numbers that are uniform in [0, 1), as `Math.random` does. */
export type Random = () => number;
/** Where ebb reads the time and waits. Replace it in tests: see `virtualClock` of `@ebb/core/testing`. */
export interface Clock {
    /** Milliseconds since the Unix epoch, on a clock that never steps back. */
    now(): number;
    /**
     * Calls `wake` once, no earlier than `delayMs` milliseconds from now. Returns a function that cancels the call.
     * A pending call keeps the process alive unless it is `inBackground`.
     *
     * `isWait`: it ends a wait of ebb. Unlike a timeout it guards nothing real, such as a response on its way, so a virtual clock
     * may move to it at once. The clock of the system ignores it.
     */
    schedule(wake: () => void, delayMs: number, inBackground?: boolean, isWait?: boolean): () => void;
}
/** Marks the clock of the system, which each copy of this package in a program has of its own. */
export declare const OF_SYSTEM: unique symbol;
/**
 * The clock of the system. It is monotonic (`performance.now`): setting the wall clock does not change a wait.
 *
 * A stub of `setTimeout` that calls back early ends the wait, and moves the clock by it. A timeout waits for its response in
 * real time then, as it would with a virtual clock. Nothing is called back before `schedule` has returned.
 */
export declare const systemClock: Clock & {
    readonly [OF_SYSTEM]: true;
};
/** Calls `call` in another turn of the event loop, also beside fake timers. */
export declare function inNextTurn(call: () => void): void;
/**
 * Calls `call` after this many milliseconds of real time, also beside fake timers. Returns a function that cancels it.
 *
 * @param inBackground lets the process end meanwhile
 */
export declare function inRealTime(call: () => void, delayMs: number, inBackground?: boolean): () => void;
/**
 * Resolves in another turn of the event loop. Some clients free a connection only in the turn after its response has ended,
 * and a request that is sent earlier opens another connection.
 */
export declare function nextTurn(): Promise<void>;
/** Keeps the process alive until a promise settles, in runtimes that have processes. Returns the same promise. */
export declare function keepAlive<T>(promise: Promise<T>): Promise<T>;
/** What changes when fake timers come or go. A timer of those that are gone may never fire. */
export declare function timersId(): unknown;
/** `Math.random`. */
export declare const systemRandom: Random;
//# sourceMappingURL=clock.d.ts.map