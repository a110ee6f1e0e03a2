import { property } from '@ebb/core/adapter';
import type { EbbRequestInit, FetchInput, Preconnecting } from '../init.ts';
import { isRequest, membersOf } from '../request.ts';

export { whenBodyEnds } from '../arrival.ts';
export { type Hops, hopsOf, recordConnectErrors, wasRedirected } from '../hops.ts';
export { hasAsyncContext } from '../node.ts';

/** Gives a fetch the `preconnect` of its base fetch, or else of the runtime's fetch. */
export function withPreconnect<F extends object>(fetch: F, baseFetch: object): F & Preconnecting {
  const preconnect = property(baseFetch, 'preconnect') ?? property(globalThis.fetch, 'preconnect');
  return (preconnect === undefined ? fetch : Object.assign(fetch, { preconnect })) as F & Preconnecting;
}

/** Next.js sets it when it replaces the global fetch: `patch-fetch-symbol.js` of next 16. */
const PATCHED = Symbol.for('next-patch');

/**
 * The arguments of the same request that get a response of their own; `undefined` if they do already. In a server of Next.js all
 * calls of one render with the same URL and headers get one response, unless the init has a signal (`dedupe-fetch.js` of next
 * 16): a retry would get the response that it follows. So they are a URL, and an init with a signal. A `Request` does not do,
 * not even beside such an init, because Next.js makes both into one `Request`. It keeps no `dispatcher` either.
 *
 * @param signal the caller's signal; without one, a signal that never aborts
 */
export function unshared(
  method: string,
  input: FetchInput,
  init: EbbRequestInit | undefined,
  signal: AbortSignal | undefined,
): [FetchInput, EbbRequestInit] | undefined {
  const isNext = property(globalThis, PATCHED) === true;
  if (!isNext || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const request = isRequest(input) ? input : undefined;
  const members = { ...(request && membersOf(request)), ...(init && membersOf(init)) };
  return [request?.url ?? input, { ...members, signal: signal ?? new AbortController().signal }];
}
