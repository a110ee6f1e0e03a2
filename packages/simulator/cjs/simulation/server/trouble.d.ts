import type { Trouble } from '../../scenario/server-options.ts';
/** The outcome of a request that gets no answer. */
export declare const SILENCE = -1;
/** The state of a server. */
export interface Health {
    /** The share of its workers that work. */
    readonly capacityShare: number;
    /** The share of its answers that are 503. */
    readonly errorShare: number;
    /** The outcome of every request during an outage; `undefined` without one. */
    readonly outage: number | undefined;
}
/** The state of a server at a time, under all its troubles. */
export declare function healthAt(troubles: readonly Trouble[], nowMs: number): Health;
/** The times at which {@link healthAt} changes. */
export declare function momentsOf(troubles: readonly Trouble[]): number[];
//# sourceMappingURL=trouble.d.ts.map