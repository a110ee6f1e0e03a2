import type { Clock } from '@ebb/core';
import { type Aside, type Session } from '@ebb/core/adapter';
/**
 * Discards a response before a retry, so that its connection can be reused. A streamed body is read within the
 * bounds of the session, or broken off. It is kept if the session may still refuse the retry.
 *
 * @returns `undefined` if the adapter settled without a response
 */
export declare function discardForRetry(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined;
/** Discards a response that arrives after its attempt has timed out. Never rejects. */
export declare function discardLate(settled: unknown, clock: Clock): Promise<void>;
/** Destroys a request whose upload is unfinished: a server that has already responded may never read the rest. */
export declare function abortUpload(request: unknown): void;
//# sourceMappingURL=discard.d.ts.map