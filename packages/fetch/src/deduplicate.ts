import type { DeduplicateOptions, InnermostMiddleware } from '@ebb/core';
import { isNodeReadable, isWebReadable, MOST_READ_AHEAD_BYTES, onAbort } from '@ebb/core/adapter';
import { type DeduplicatePort, deduplicateWith, signature } from '@ebb/core/deduplicate';
import { withBody } from './attempt.ts';
import { FetchRequest } from './fetch-request.ts';
import { cloneResponse, drop } from './node-branches.ts';
import { isRequest, membersOf, withChanges } from './request.ts';

const ignore = (): void => undefined;

/** A response whose body ends with the signal of its caller: the send has another one. */
function endingWith(response: Response, signal: AbortSignal | undefined): Response {
  const body: unknown = response.body;
  if (signal === undefined) return response;
  if (isWebReadable(body)) return withBody(response, streamEndingWith(body, signal));
  if (isNodeReadable(body)) {
    // Without a listener its error would end the process.
    body.on('error', ignore);
    body.on(
      'close',
      onAbort(signal, () => drop(body, signal.reason)),
    );
  }
  return response;
}

/** Not a pipe: in Node one that is aborted closes its source only with the next part, or never if no one reads. */
function streamEndingWith(source: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream {
  const reader = source.getReader();
  let forget = ignore;
  const cancel = (reason: unknown): Promise<void> => {
    forget();
    return reader.cancel(reason);
  };
  return new ReadableStream(
    {
      start(controller) {
        forget = onAbort(signal, () => {
          controller.error(signal.reason);
          cancel(signal.reason).catch(ignore);
        });
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        forget();
        controller.close();
      },
      cancel,
    },
    // A short body arrives before it is read, which frees its slot.
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_READ_AHEAD_BYTES }),
  );
}

/** The type of `under` and others says `Transport`: `signatureOf` has seen that they are requests of fetch. */
const requests: DeduplicatePort<Response> = {
  signatureOf(client) {
    const request = client as FetchRequest;
    if (request.source === undefined)
      throw new TypeError('deduplicate of @ebb/fetch: for requests of fetch alone');
    const [base, input, init = {}] = request.source;
    // Neither a `Request` nor its copies show the dispatcher that it has.
    if (!/^(GET|HEAD)$/.test(request.method) || isRequest(input) || isRequest(init)) return undefined;
    const { headers: own, signal, body, ebb: _, ...others } = membersOf(init);
    if ((body ?? undefined) !== undefined || (signal ?? undefined) !== request.signal) return undefined;
    let headers: Headers;
    try {
      headers = new Headers(own);
    } catch {
      return undefined; // The base fetch throws for them.
    }
    return signature([base, request.url, { ...others, method: request.method }, [...headers]]);
  },

  under(client, signal) {
    const [base, input, init] = (client as FetchRequest).source;
    return new FetchRequest(base, ...withChanges(input, init, { signal })).keep();
  },

  last: (response, client) => endingWith(response, (client as FetchRequest).signal),

  copy(response, client) {
    try {
      return endingWith(cloneResponse(response), (client as FetchRequest).signal);
    } catch {
      return undefined; // A mock, or its body is being read.
    }
  },

  errorOf: (error) => error,
};

/**
 * Middleware for the policies of fetch clients: equal requests that are in flight at the same time share one send, and each gets a response
 * of its own. Requests are equal if they are GETs, or HEADs, of one client and policy, with the same URL and options, all headers included.
 * A request with a body, with `ebb` options, or given as a `Request`, is sent by itself.
 *
 * A caller that aborts ends its own wait, or its own body. Once all have aborted, the send is aborted.
 *
 * In Cloudflare Workers each request must make its own middleware: a request that uses the middleware of another request gets a TypeError.
 *
 * @throws TypeError for a wrong option
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { deduplicate } from '@ebb/fetch/deduplicate';
 *
 * const fetch = createFetch({ middleware: [deduplicate()] });
 * const [one, other] = await Promise.all([1, 2].map(() => fetch('https://api.example.com/items')));
 * ```
 */
export function deduplicate(options: DeduplicateOptions = {}): InnermostMiddleware {
  return deduplicateWith(requests, options);
}
