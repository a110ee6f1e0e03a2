import type * as node from './node.ts';

// Browsers say nothing of connections and hops, have no async context, no server framework that shares responses, and a fetch
// that takes their own signals alone. All of this is tested with `&&` and `if`, which bundlers fold.

type Maybe<T> = T | undefined;

/** A body is watched by a concurrency limit alone, which brings what it needs. */
export const whenBodyEnds: Maybe<typeof node.whenBodyEnds> = undefined;
export const Hops: Maybe<typeof node.Hops> = undefined;
export const recordConnectErrors: Maybe<typeof node.recordConnectErrors> = undefined;
export const failedToConnectTo: Maybe<typeof node.failedToConnectTo> = undefined;
export const hasAsyncContext: boolean = false;
export const sharesResponses: Maybe<typeof node.sharesResponses> = undefined;
export const unshared: Maybe<typeof node.unshared> = undefined;
export const followForeign: Maybe<typeof node.followForeign> = undefined;
export const keepsForeign: Maybe<typeof node.keepsForeign> = undefined;
/** Reading a body that was cancelled fails by itself; in Node the error says why. */
export const discard: Maybe<typeof node.discard> = undefined;
/** Bun's alone. */
export const withPreconnect: Maybe<typeof node.withPreconnect> = undefined;
