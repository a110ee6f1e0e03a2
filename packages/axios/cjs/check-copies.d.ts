import type { PolicyOptions } from '@ebb/core';
/**
 * Rejects a bucket, limit or budget that axios has cloned into the config of a request. A clone has state of its
 * own, so each request would silently get a full bucket. A clock has no state.
 *
 * @throws TypeError that names the option
 */
export declare function checkShared(options: PolicyOptions): void;
//# sourceMappingURL=check-copies.d.ts.map