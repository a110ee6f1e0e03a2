import type { RequestTraits } from '../../http/outcome.ts';
import type { CloseOptions, ObservableBucket } from '../contracts.ts';
import type { Quota } from './gcra.ts';
/** What the gates need of the bucket behind them. */
export interface Behind<B> {
    /** In milliseconds of the bucket. */
    now(): number;
    /** The rate of a gate. */
    rate(): Quota;
    /** Makes a gate that has so many tokens. */
    make(tokens: number): B;
}
/**
 * A bucket for each origin that asked for a pause: closed for that time, empty when it opens, and dropped when it is full
 * again. What a server says of its quota holds for its own origin; others that share the tokens go on.
 */
export declare class OriginGates<B extends ObservableBucket = ObservableBucket> {
    #private;
    /** @param waiting counts the requests at all gates, which add and subtract themselves */
    constructor(behind: Behind<B>, waiting?: {
        waiting: number;
    }, most?: number);
    /** Pauses an origin. Never shortens a pause. */
    pause(origin: string, durationMs: number): void;
    /** The gate of a request's origin. Usually there is none, and the URL is not parsed. */
    for(request: RequestTraits): B | undefined;
    /** All gates that were made. */
    all(): Generator<B>;
    /** Ends the pauses of all gates. */
    resume(): void;
    /** Closes all gates for good, and those that are made later. */
    close(options: CloseOptions): void;
    /** Resolves when no request waits at a gate: with `true` if one did. */
    idle(): Promise<boolean>;
    /** How many gates are closed or not full yet, the longest pause in milliseconds, and how many requests wait at them. */
    stats(): {
        readonly count: number;
        readonly pausedMs: number;
        readonly waiting: number;
    };
}
//# sourceMappingURL=origin-gates.d.ts.map