import type { Grant } from '../contracts.ts';
/** Takes back what a grant did not need, and charges what it needs more. */
export interface Settles<Held> {
    settleGrant(surplus: number, held: Held): void;
}
/** Tokens from a bucket. Without a bucket to settle with, they do not conform: they came from nowhere. */
export declare class TokenGrant<Held> implements Grant {
    #private;
    readonly cost: number;
    readonly waitedMs: number;
    readonly grantedAtMs: number;
    readonly conforming: boolean;
    constructor(cost: number, waitedMs: number, grantedAtMs: number, held: Held, bucket: Settles<Held> | undefined);
    settle(actualCost: number): void;
}
//# sourceMappingURL=grant.d.ts.map