import type { Clock } from '@ebb/core';
import { type Aside, type Session } from '@ebb/core/adapter';
/**
 * Discards a response before a retry, so that its connection can be reused. A streamed body is read within the
 * bounds of the session, or broken off. It is kept if the session may still refuse the retry.
 *
 * @returns `undefined` if the adapter settled without a response
 */
export declare function discardForRetry(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined;
/** Discards a response that arrives after its attempt has timed out. */
export declare function discardLate(settled: unknown, clock: Clock): void;
/** Destroys a request whose upload is unfinished: a server that has already responded may never read the rest. */
export declare function abortUpload(request: unknown): void;
/**
 * Calls `ended` when the connection no longer needs to carry the body of a response: at once if axios has read it,
 * otherwise when it has arrived (read or not), has failed, or was cancelled. May call it more than once.
 */
export declare function whenBodyEnds(settled: unknown, clock: Clock, ended: () => void): void;
//# sourceMappingURL=response-body.d.ts.map