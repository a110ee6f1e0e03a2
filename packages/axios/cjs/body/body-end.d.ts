import type { Clock } from '@ebb/core';
/**
 * Calls `ended` when the connection no longer needs to carry the body of a response: at once if axios has read it,
 * otherwise when it has arrived (read or not), has failed, or was cancelled. May call it more than once.
 */
export declare function whenBodyEnds(settled: unknown, clock: Clock, ended: () => void): void;
//# sourceMappingURL=body-end.d.ts.map