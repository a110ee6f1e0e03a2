/** What sleepers need of a clock. */
interface Time {
    now(): number;
    schedule(wake: () => void, delayMs: number, inBackground: boolean, isWait: boolean): () => void;
}
/**
 * Wakes sleepers in slices, a turn of the event loop each, so that 100,000 retries that are due at once do not block the
 * program until all of them are sent. None wakes early. In a crowd each is late by the time that those before it take.
 *
 * The first hundred have a timer each, so that none depends on another. Only in a crowd is a timer shared, by those that are
 * due in the same millisecond.
 *
 * For promises only: a wake-up runs in the async context of another sleeper. What awaits a promise keeps its own.
 */
export declare class Sleepers {
    #private;
    /** @param nextTurn resolves in another turn of the event loop */
    constructor(time: Time, nextTurn: () => Promise<void>);
    /**
     * Calls `wake` once, no earlier than `delayMs` milliseconds from now. Returns a function that cancels the call; it must not
     * be called again, or after `wake`.
     */
    schedule(wake: () => void, delayMs: number): () => void;
}
export {};
//# sourceMappingURL=sleepers.d.ts.map