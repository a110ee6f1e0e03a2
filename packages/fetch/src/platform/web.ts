import type * as node from './node.ts';

// Browsers say nothing of connections and hops, have no async context, and no server framework that shares responses. Nothing is
// imported but types: bundlers then fold what is tested here.

type Maybe<T> = T | undefined;

export type { Hops } from './node.ts';

/** A body is watched by a concurrency limit alone, which brings what it needs. */
export const whenBodyEnds: Maybe<typeof node.whenBodyEnds> = undefined;
export const whenRead: Maybe<typeof node.whenRead> = undefined;
export const hopsOf: Maybe<typeof node.hopsOf> = undefined;
export const recordConnectErrors: Maybe<typeof node.recordConnectErrors> = undefined;
export const copyForAttempt: Maybe<typeof node.copyForAttempt> = undefined;
/** Bun's alone. */
export const withPreconnect: Maybe<typeof node.withPreconnect> = undefined;

/** Nothing proves that the first hop has failed: the first server may have carried the request out. */
export function wasRedirected(
  _error: unknown,
  _request: object,
  _hops: unknown,
  isIdempotent: boolean,
): true | undefined {
  return isIdempotent ? undefined : true;
}

export { isLostConnection } from '../lost-connection.ts';
