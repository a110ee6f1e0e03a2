import type { WaitingQueue } from '@ebb/core/bucket';
/** What the requests in the queue need, in millionths of a token. */
export interface Backlog {
    /** How many requests wait. */
    readonly count: number;
    /** The cost of the first request; 0 if none waits. */
    readonly firstCost: number;
    /** When the first request gives up; `Infinity` if never. */
    readonly firstDeadlineMs: number;
    /** The cost of all requests. */
    readonly totalCost: number;
    /**
     * The cost of the first requests: those that `covered` tokens pay for, and then at least one and at most `more`
     * others, while all of them cost at most `covered + most`.
     */
    through(covered: number, more: number, most: number): number;
}
/** No request waits. */
export declare const EMPTY_BACKLOG: Backlog;
/** Millionths of a token, rounded up. */
export declare const micro: (tokens: number) => number;
/** The backlog of a queue. */
export declare function backlogOf(queue: WaitingQueue): Backlog;
//# sourceMappingURL=backlog.d.ts.map