import type * as node from './node.ts';

// Browsers say nothing of connections and hops, have no async context, and no server framework that shares responses.

type Maybe<T> = T | undefined;

/** A body is watched by a concurrency limit alone, which brings what it needs. */
export const whenBodyEnds: Maybe<typeof node.whenBodyEnds> = undefined;
export const Hops: Maybe<typeof node.Hops> = undefined;
export const recordConnectErrors: Maybe<typeof node.recordConnectErrors> = undefined;
export const failedToConnectTo: Maybe<typeof node.failedToConnectTo> = undefined;
export const hasAsyncContext: boolean = false;
export const sharesResponses: Maybe<typeof node.sharesResponses> = undefined;
export const unshared: Maybe<typeof node.unshared> = undefined;
