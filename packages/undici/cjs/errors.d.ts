/** The error of undici if no response headers came in time. */
export declare function headersTimeoutError(afterMs: number): Error;
/** The error of undici for an abort without a reason. */
export declare function requestAbortedError(message?: string): Error;
/** True if the dispatcher was closed or destroyed before it took the request. */
export declare function isClosedError(error: unknown): boolean;
/** True if a proxy hung up before it opened a tunnel. */
export declare function isTunnelError(error: unknown): boolean;
/**
 * undici 6 and older take legacy handlers only, and report a missing method. Replaces that error with one that names the
 * versions.
 */
export declare function namingOldUndici(error: unknown): unknown;
//# sourceMappingURL=errors.d.ts.map