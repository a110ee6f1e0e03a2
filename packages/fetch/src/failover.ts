import { type Failover, type FailoverOptions, failoverWith } from '@ebb/core/failover';
import type { BaseFetch } from './create-fetch.ts';
import { FetchRequest } from './fetch-request.ts';
import { isRequest, membersOf } from './request.ts';

/** A request whose attempts may go to another URL. */
class MovedRequest extends FetchRequest {
  /** `undefined` for the URL of the caller. */
  moved: string | undefined;

  override get url(): string {
    return this.moved ?? super.url;
  }
}

/**
 * A plugin for the policies of fetch clients: a retry goes to the next of several origins that serve the same requests. An origin that
 * fails several times in a row is left out for a while, and returns once a single request, the probe, has succeeded there. If none is left,
 * requests go to the one that is back first.
 *
 * A request goes to the origin of its URL, or to the next one in the list if the first is left out. The policy decides whether it is sent
 * again, and after which delay, as for a single origin; only a wait that one origin asks for does not hold for another. An origin that asks
 * for one, or whose quota is used up, gets no requests until then while another one is free. Limits per key take from the limit of the origin
 * that each attempt goes to. Requests to origins that are not in the list stay as they are.
 *
 * The listed origins are trusted: each gets all headers of a request, credentials included, but for a `Host` of the caller.
 *
 * Source of the ejections: Envoy, "Outlier detection".
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { failover } from '@ebb/fetch/failover';
 *
 * const origins = ['https://eu.example.com', 'https://us.example.com'];
 * const fetch = createFetch({ attemptTimeoutMs: 2_000, plugins: [failover({ origins })] });
 * const response = await fetch('https://eu.example.com/items');
 * ```
 */
export function failover(options: FailoverOptions): Failover {
  return failoverWith<Response>((client) => {
    const given = client as FetchRequest;
    if (given.source === undefined)
      throw new TypeError('failover of @ebb/fetch: for requests of fetch alone');
    const [base, input, init] = given.source;
    // A `Request` cannot get another URL, nor can one that was sent be read.
    const send: BaseFetch = (own, more) => {
      const { moved } = request;
      if (moved === undefined) return base(own, more);
      return base(moved, isRequest(own) ? { ...membersOf(own), ...more } : more);
    };
    const request = new MovedRequest(send, input, init).keep();
    // The client ends the request that it has made.
    given.end = (settled, failed) => request.end(settled, failed);
    const moveTo = (url: string | undefined): void => {
      request.moved = url;
    };
    return [request, moveTo];
  }, options);
}
