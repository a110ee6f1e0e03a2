import type { ServerLimit } from '../../scenario/server-options.ts';
/** The token bucket in front of a server. It starts full. */
export declare class ServerBucket {
    #private;
    constructor(limit: ServerLimit);
    take(nowMs: number): boolean;
    /** The Retry-After of a 429, rounded up: the header takes whole seconds only. */
    retryAfterSeconds(nowMs: number): number | undefined;
}
//# sourceMappingURL=server-bucket.d.ts.map