import { SignalWatch } from '../../base/signal-watch.ts';
import { type Heaped } from './heap.ts';
import { type Linked } from './lane.ts';
import type { Tally } from './options.ts';
/** A request that waits. */
export interface Waiter<T> extends Linked<Waiter<T>> {
    /** Rejects with a rejected promise: a second function would cost memory for every waiter. */
    readonly resolve: (value: T | Promise<T>) => void;
    /** Since when it waits, in whole milliseconds: a small integer needs less memory than a double. */
    readonly sinceMs: number;
    /** A signal, or a deadline with or without a signal; `undefined` for neither. */
    bound: SignalWatch<Waiter<T>> | Deadline<T> | undefined;
}
/** Stored apart from the waiter, because most waiters have none. */
interface Deadline<T> extends Heaped {
    readonly waiter: Waiter<T>;
    readonly lane: number;
    readonly atMs: number;
    readonly watch: SignalWatch<Waiter<T>> | undefined;
}
/** The deadline of a waiter, in milliseconds of the bucket's time; `Infinity` if it has none. */
export declare function deadlineOf<T>({ bound }: Waiter<T>): number;
/** The lane of a request: each priority has two, the higher one for retries. */
export declare function laneOf(priority: number, retry: boolean): number;
/**
 * A queue with priorities: first in, first out within a lane. Each lane is worth a head start over the lane below it, so
 * that a low priority waits longer but is never starved.
 */
export declare class WaitingLine<T> {
    #private;
    size: number;
    /**
     * @param headStartMs what a lane is worth over the lane below it, in milliseconds
     * @param onAbort called when a signal has aborted: its waiters are ended by {@link endAborted}
     * @param tally counts the waiters of several lines
     */
    constructor(headStartMs: number, onAbort: () => void, tally?: Tally);
    /** The sum of all costs. */
    get cost(): number;
    /**
     * The cost of everything that goes before a new waiter of this lane, if none of it leaves: its own lane, higher lanes,
     * and in lower lanes what has waited longer than the head start. Takes time for each of the latter.
     */
    costAhead(lane: number, nowMs: number): number;
    /** A lower bound of {@link costAhead}, without lower lanes, in constant time. */
    leastCostAhead(lane: number): number;
    /**
     * The cost of what goes before a waiter of this lane that keeps its place, in higher lanes and in its own. Takes time for
     * each member of the latter.
     */
    costBefore(lane: number, sinceMs: number): number;
    /** Whether a waiter of this lane would be the next to go, if it has waited since `sinceMs`. */
    goesFirst(lane: number, sinceMs: number): boolean;
    /** The next waiter to go. */
    peek(): Waiter<T> | undefined;
    /** The costs of the next waiter and of those behind it in its lane. */
    costsInTurn(): Generator<number>;
    /** Removes and returns the next waiter to go. */
    shift(): Waiter<T> | undefined;
    /** Removes and returns the last waiter of the lowest lane, if that is lower than `lane`. */
    popBelow(lane: number): Waiter<T> | undefined;
    /** Removes and returns the waiter that has waited longest. */
    shiftOldest(): Waiter<T> | undefined;
    /** The earliest deadline; `Infinity` if there is none. */
    get nextDeadlineMs(): number;
    /** Removes and returns a waiter whose deadline is `nowMs` or earlier. */
    shiftExpired(nowMs: number): Waiter<T> | undefined;
    /** Starts a search of the whole queue with {@link shiftAbove}. */
    startSearch(): void;
    /** Inspects up to `looks.left` waiters; removes and returns the first that costs more than `cost`. */
    shiftAbove(cost: number, looks: {
        left: number;
    }): Waiter<T> | undefined;
    /** Calls `callback` once, when the queue becomes empty. */
    onceEmpty(callback: () => void): void;
    /** @param since when it began to wait; earlier than now for a waiter that keeps its place */
    join(lane: number, cost: number, since: number, deadlineMs: number, signal: AbortSignal | undefined): Promise<T>;
    /** True while waiters of an aborted signal are left: see {@link endAborted}. */
    get hasAborted(): boolean;
    /** Removes and rejects a waiter whose signal has aborted; false if there is none. */
    endAborted(): boolean;
}
export {};
//# sourceMappingURL=waiting-line.d.ts.map