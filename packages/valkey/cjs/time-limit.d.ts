import type { Clock } from '@ebb/core';
/**
 * Calls `onLate` after `limitMs` in which the event loop ran. A plain timer also counts the time in which the event
 * loop is blocked, and fires before the socket is read that may hold the reply.
 *
 * @param inBackground whether the process may exit meanwhile
 * @returns a function that cancels it
 */
export declare function timeLimit(clock: Clock, limitMs: number, onLate: () => void, inBackground?: boolean): () => void;
//# sourceMappingURL=time-limit.d.ts.map