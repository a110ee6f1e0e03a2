import { type Clock, type Random } from './base/clock.ts';
import { type RunUntilSettledOptions } from './base/settling.ts';
export type { Clock, Random } from './base/clock.ts';
export type { RunUntilSettledOptions } from './base/settling.ts';
/** A clock that only moves when a test moves it. */
export interface VirtualClock extends Clock {
    /** How far it has moved since it was made, in milliseconds. */
    readonly elapsedMs: number;
    /** The number of scheduled calls that were neither made nor cancelled. */
    readonly pending: number;
    /** When the next of them is due, in milliseconds of this clock; `undefined` if there is none. */
    readonly nextAtMs: number | undefined;
    /**
     * Moves the clock forward. Calls that become due are made in order of time, and at the same time in the order in which
     * they were scheduled. After each the event loop takes a turn, so that promises settle before the next.
     */
    advance(durationMs: number): Promise<void>;
    /** As {@link advance}, but synchronously: for code without promises. */
    tick(durationMs: number): void;
    /** Resolves when the clock has moved so far: for a mock that takes its time. */
    sleep(durationMs: number): Promise<void>;
    /**
     * Moves the clock from one scheduled call to the next until a promise settles, and no further. Before a call that may guard
     * a response, such as a timeout, sockets and mocks get `ioMs` of real time. If no call is left, it waits for them.
     *
     * @returns what the promise resolves to
     * @throws what the promise rejects with, and what a scheduled call throws; an error that says how many calls are pending, if
     * the promise does not settle within `realTimeoutMs` of real time
     */
    runUntilSettled<T>(promise: T | PromiseLike<T>, options?: RunUntilSettledOptions): Promise<T>;
}
/** Options of {@link virtualClock}. */
export interface VirtualClockOptions {
    /**
     * What the clock shows at first, in milliseconds since the epoch. A date that a mock sends, such as `Retry-After`, counts from
     * there.
     * @default 1_767_225_600_000, which is 2026-01-01T00:00:00Z
     */
    readonly startMs?: number | undefined;
}
/**
 * A {@link Clock} for tests: a day of backoff takes no time, and is exact to the millisecond. It starts at the same date in
 * each run.
 */
export declare function virtualClock({ startMs }?: VirtualClockOptions): VirtualClock;
/**
 * Pseudo-random numbers that are the same for the same seed. Not for secrets.
 *
 * Source: Mulberry32, with 32 bits of state.
 */
export declare function seededRandom(seed: number): Random;
//# sourceMappingURL=testing.d.ts.map