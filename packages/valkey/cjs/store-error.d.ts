/** The message of any thrown value. */
export declare function messageOf(error: unknown): string;
/** The reply does not come from the script. */
export declare class InvalidReply extends Error {
}
/**
 * Whether an error is permanent, so that waiting is useless. A refused or broken connection is not permanent: the
 * store, or a proxy in front of it, may be starting. An unknown error is not either, because every wait is bounded.
 */
export declare function isPermanent(error: unknown): boolean;
/** Errors of ioredis and iovalkey contain the failed command. For a login that includes the password. */
export declare function withoutSecrets(error: unknown): unknown;
/** The error for a call without a reply in time. `connectionError`: the last error of its connection, if any. */
export declare function noReply(waitedMs: number, connectionError: unknown): unknown;
//# sourceMappingURL=store-error.d.ts.map