import { type Aside, type Session } from '@ebb/core/adapter';
/**
 * Reads a response that is followed by a retry to its end, within bounds. Does nothing for an error, which has no body. If the
 * retry may not be sent, a clone is read, so that the response can still become the result.
 */
export declare function setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined;
//# sourceMappingURL=aside.d.ts.map