/** Bounds of real time, while virtual time runs until a promise settles. */
export interface RunUntilSettledOptions {
    /**
     * After this many milliseconds of real time the run ends with an error.
     * @default 4_000, a second less than a test of vitest or jest may take
     */
    readonly realTimeoutMs?: number | undefined;
    /**
     * The most milliseconds of real time that a response gets before a timer that may guard it, such as `attemptTimeoutMs`,
     * fires. The waits of ebb itself do not take this time.
     * @default 250
     */
    readonly ioMs?: number | undefined;
}
/** A scheduled call. */
interface Call {
    readonly atMs: number;
    /** It ends a wait of ebb, and guards nothing. */
    readonly isWait: boolean;
}
/** A virtual clock. */
interface VirtualTime {
    now(): number;
    /** How far it has moved, in milliseconds. */
    readonly elapsedMs: number;
    readonly pending: number;
    /** The next call; `undefined` if there is none. */
    next(): Call | undefined;
    /** Moves the clock to the next call, and makes it. */
    callNext(): void;
}
/** Makes the calls of a clock one by one, while promises are waited for. */
export declare class Settling {
    #private;
    constructor(time: VirtualTime);
    /** To be called when a call was scheduled or cancelled. */
    changed(): void;
    run<T>(promise: T | PromiseLike<T>, options: RunUntilSettledOptions): Promise<T>;
}
export {};
//# sourceMappingURL=settling.d.ts.map