import type * as node from './node.ts';
type Maybe<T> = T | undefined;
/** A body is watched by a concurrency limit alone, which brings what it needs. */
export declare const whenBodyEnds: Maybe<typeof node.whenBodyEnds>;
export declare const Hops: Maybe<typeof node.Hops>;
export declare const recordConnectErrors: Maybe<typeof node.recordConnectErrors>;
export declare const failedToConnectTo: Maybe<typeof node.failedToConnectTo>;
export declare const hasAsyncContext: boolean;
export declare const sharesResponses: Maybe<typeof node.sharesResponses>;
export declare const unshared: Maybe<typeof node.unshared>;
export {};
//# sourceMappingURL=web.d.ts.map