import { property } from '@ebb/core/adapter';

type NativeFetch = typeof globalThis.fetch;

/** Bun's `fetch.preconnect`, which opens a connection in advance; an empty type elsewhere. */
export type Preconnecting = Pick<NativeFetch, Extract<keyof NativeFetch, 'preconnect'>>;

function preconnectOf(fetch: object | undefined): unknown {
  return property(fetch, 'preconnect');
}

/** Gives a fetch the `preconnect` of its base fetch, or else of the runtime's fetch. */
export function withPreconnect<F extends object>(fetch: F, baseFetch: object): F & Preconnecting {
  const preconnect = preconnectOf(baseFetch) ?? preconnectOf(globalThis.fetch);
  return (preconnect === undefined ? fetch : Object.assign(fetch, { preconnect })) as F & Preconnecting;
}
