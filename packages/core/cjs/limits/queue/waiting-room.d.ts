import { ThrottledError, type ThrottledReason } from '../../base/errors.ts';
import type { AcquireOptions } from '../contracts.ts';
import type { WaitingSetup } from './options.ts';
import type { SteadyTime } from './time.ts';
/**
 * A queue with limits, deadlines, priorities and aborts, and one timer for all of it. Its owner decides when the first
 * request may go, in {@link serve}.
 */
export declare class WaitingRoom<T> {
    #private;
    /** Requests refused so far, aborted ones not included. */
    refused: number;
    /** @param onWake called when the first in the queue may have to be served */
    constructor(setup: WaitingSetup, time: SteadyTime, onWake: () => void);
    /** How many wait. */
    get size(): number;
    /** The sum of all costs in the queue. */
    get cost(): number;
    /** The cost of the first; 0 for an empty queue. */
    get firstCost(): number;
    /** The deadline of the first, in milliseconds of the room's time; `Infinity` if it has none. */
    get firstDeadlineMs(): number;
    /** The costs of the first and of those behind it in its lane. */
    costsInTurn(): Iterable<number>;
    /** Whether a request of this lane would be the first to go. */
    goesFirst(lane: number, { waitedMs }: AcquireOptions, nowMs: number): boolean;
    /**
     * The lane that a request waits in.
     * @throws TypeError, RangeError for a wrong option
     */
    laneFor({ maxWaitMs, priority, retry, waitedMs }: AcquireOptions): number;
    /**
     * The cost of everything that goes before a new request of this lane, if none of it leaves. A lower bound for a
     * request without a deadline, which needs no exact estimate: counting could take long.
     */
    costAhead(options: AcquireOptions, lane: number, nowMs: number): number;
    /**
     * Puts a request into the queue.
     *
     * @param waitMs how long until its turn comes, at least; `undefined` if that is unknown
     * @throws ThrottledError if the wait is too long, or the queue is full
     */
    join(options: AcquireOptions, lane: number, cost: number, waitMs: number | undefined, nowMs: number): Promise<T>;
    /** The error for a refused request, which is counted. */
    refusal(reason: ThrottledReason, message: string, waitMs?: number, cause?: unknown): ThrottledError;
    /**
     * Serves the first in the queue, one after the other, until `grant` returns `undefined`; what it returns is the
     * result of that request. Before that, refuses requests that are late or cost too much, and after it those
     * whose deadline is now. Does one slice; {@link arm} sets the timer for the next.
     *
     * @param grant takes the cost and how long the request has waited, in milliseconds
     */
    serve(nowMs: number, grant: (cost: number, waitedMs: number) => T | Promise<T> | undefined): void;
    /** Refuses requests with a deadline up to `untilMs`. Call {@link arm} after it. */
    giveUp(untilMs: number): void;
    /** A pause ended early: requests whose deadlines lay in it need not be refused any more. */
    pauseEnded(): void;
    /**
     * Sets the largest cost that can be granted. The next {@link serve} refuses larger ones, wherever they stand in the
     * queue.
     */
    limitCost(most: number): void;
    /** Refuses everything in the queue, now and later. Call {@link arm} after it. */
    dismiss(reason: ThrottledReason, message: string): void;
    /** Resolves when the queue is empty. It may be for a moment only: a displaced request is replaced at once. */
    idle(): Promise<void>;
    /**
     * Sets the timer for the first deadline, or for `firstAtMs` if that is earlier; stops it if the queue is empty.
     *
     * @param firstAtMs when the first in the queue is to be served
     */
    arm(nowMs: number, firstAtMs: number): void;
}
//# sourceMappingURL=waiting-room.d.ts.map