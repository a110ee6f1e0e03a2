import type { EbbRequestInit, FetchInput } from './init.ts';
import { isPlainInit, isRequest, membersOf } from './request.ts';

/** Next.js sets it when it replaces the global fetch: `patch-fetch-symbol.js` of next 16. */
const PATCHED = Symbol.for('next-patch');

/**
 * True in a server of Next.js. There all calls of one render with the same URL and headers get one response, unless the
 * init has a signal: `dedupe-fetch.js` of next 16. A retry would get the response that it follows.
 */
export function sharesResponses(method: string): boolean {
  const isNext = (globalThis as { [PATCHED]?: unknown })[PATCHED] === true;
  return isNext && (method === 'GET' || method === 'HEAD');
}

/**
 * The arguments of the same request that get a response of their own: a URL, and an init with a signal. A `Request` does not
 * do, not even beside such an init, because Next.js makes both into one `Request`. It keeps no `dispatcher` either.
 *
 * @param headers replace those of the init, if they can be read only once
 * @param signal the caller's signal; without one, a signal that never aborts
 */
export function unshared(
  input: FetchInput,
  init: EbbRequestInit | undefined,
  headers: [string, string][] | undefined,
  signal: AbortSignal | undefined,
): [FetchInput, EbbRequestInit] {
  const request = isRequest(input) ? input : undefined;
  const own = init && !isPlainInit(init) ? membersOf(init) : init;
  const members = request === undefined ? own : { ...membersOf(request), ...own };
  const copy: EbbRequestInit = { ...members, signal: signal ?? new AbortController().signal };
  if (headers !== undefined) copy.headers = headers;
  return [request?.url ?? input, copy];
}
