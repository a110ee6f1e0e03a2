import type { Clock } from '@ebb/core';
/** What the end of a body depends on besides the response. */
export interface BodyContext {
    /** Upper case. */
    readonly method: string;
    readonly status: number;
    readonly signal: AbortSignal | undefined;
    readonly clock: Clock;
}
/**
 * Calls `ended` once the body of a response no longer uses its connection: when it has ended, failed, was cancelled or
 * garbage-collected; at once if there is no body. The response stays the same object.
 */
export declare function whenBodyEnds(settled: unknown, context: BodyContext, ended: () => void): void;
//# sourceMappingURL=body-end.d.ts.map