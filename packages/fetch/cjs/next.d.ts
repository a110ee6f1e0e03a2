import type { EbbRequestInit, FetchInput } from './init.ts';
/**
 * True in a server of Next.js. There all calls of one render with the same URL and headers get one response, unless the
 * init has a signal: `dedupe-fetch.js` of next 16. A retry would get the response that it follows.
 */
export declare function sharesResponses(method: string): boolean;
/**
 * The arguments of the same request that get a response of their own: a URL, and an init with a signal. A `Request` does not
 * do, not even beside such an init, because Next.js makes both into one `Request`. It keeps no `dispatcher` either.
 *
 * @param headers replace those of the init, if they can be read only once
 * @param signal the caller's signal; without one, a signal that never aborts
 */
export declare function unshared(input: FetchInput, init: EbbRequestInit | undefined, headers: Iterable<string[]> | undefined, signal: AbortSignal | undefined): [FetchInput, EbbRequestInit];
//# sourceMappingURL=next.d.ts.map