import type { RequestTraits } from '@ebb/core';
import { isWebReadable } from '@ebb/core/adapter';
import { devText } from '@ebb/core/internal';
import type { BaseFetch, EbbFetch, EbbRequestInit, FetchInput } from '@ebb/fetch';
import {
  absoluteUrl,
  copyArguments,
  headerIn,
  isRequest,
  withBody,
  withRereadableBody,
} from '@ebb/fetch/internal';
import { Download, type ResumeFormat } from './download.ts';
import { EventStream, isCoded, isEventStream } from './event-stream.ts';
import { type ResumableRequest, readerOf, resumedBody } from './fetch/resumed-body.ts';
import { type ResumeOptions, readResumeOptions } from './options.ts';
import { copyHistory } from './resumer.ts';

/** Options of {@link resumable}. `resumeWith` returns the `Request` for the rest. */
export type ResumableOptions = ResumeOptions<Request>;

/** Marks responses that are resumed already. Known to all copies of this package in a program. */
const RESUMED = Symbol.for('@ebb/fetch resumed');

/**
 * A `fetch` whose event streams and downloads go on after their connection has broken. The rest is asked for with a separate request, which
 * `fetch` sends as any other, and the reader of the body notices nothing but the time. A body is not resumed if there is a doubt: the
 * reader gets the error of the break, whose `cause` says why.
 *
 * - Event streams (200, `text/event-stream`): whole events are passed on, in the same bytes, and an unfinished one is kept back. The
 *   same GET is sent again with `Last-Event-ID`, after the `retry` of the stream or the backoff of the policy.
 * - Downloads: a GET whose 200 or 206 has a length, a strong ETag and no content coding. `Range` and `If-Match` ask for the rest. Send
 *   `accept-encoding: identity`, since a runtime asks for gzip by itself.
 *
 * Other responses are passed on as they are, and so are those of node-fetch, whose bodies are streams of Node. The signal of the request ends everything at once, with its own reason.
 *
 * @param fetch what `createFetch` has made, or another fetch
 * @throws TypeError, RangeError if an option is invalid, or `fetch` is not a function
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 * import { resumable } from '@ebb/resume/fetch';
 *
 * const policy = createPolicy({ maxRetries: 3 });
 * const fetch = resumable(createFetch(policy), { policy, idleTimeoutMs: 60_000 });
 *
 * const response = await fetch('https://api.example.com/events');
 * ```
 */
export function resumable(fetch: BaseFetch, options: ResumableOptions = {}): EbbFetch {
  if (typeof fetch !== 'function') {
    throw new TypeError(`resumable: fetch must be a function, got ${typeof fetch}`);
  }
  const read = readResumeOptions(options);

  // A fetch that is not of ebb ignores unknown options.
  const send = fetch as EbbFetch;

  async function resumableFetch(
    input: FetchInput,
    init: EbbRequestInit | undefined = undefined,
  ): Promise<Response> {
    const own = withRereadableBody(init);
    const sent = send(input, own);
    const given = copyArguments(input, own);
    const response = await sent;
    if (own?.ebb === false || RESUMED in response) return response;
    const request = traitsOf(...given);
    return withResumedBody(
      { fetch: send, input: given[0], init: given[1], request, options: read },
      response,
    );
  }

  return Object.defineProperty(resumableFetch, 'name', { value: 'fetch' }) as EbbFetch;
}

function traitsOf(input: FetchInput, init: EbbRequestInit | undefined): RequestTraits {
  const request = isRequest(input) ? input : undefined;
  return {
    method: String(init?.method ?? request?.method ?? 'GET').toUpperCase(),
    get url() {
      return request?.url ?? absoluteUrl(input);
    },
    replayable: true,
    header: (name) => headerIn(init?.headers ?? request?.headers, name),
  };
}

/** The response itself if there is nothing to resume. */
function withResumedBody(asked: ResumableRequest, response: Response): Response {
  const format = formatOf(asked, response);
  if (format === undefined || !isWebReadable(response.body)) return response;
  const made: Response = withBody(
    response,
    resumedBody(asked, response, format, () => made),
  );
  copyHistory(made, response);
  return Object.defineProperty(made, RESUMED, { value: true });
}

/** How the body can be resumed, or why it cannot; `undefined` for a response that is neither an event stream nor a download. */
function formatOf({ request, options }: ResumableRequest, response: Response): ResumeFormat | undefined {
  const { status } = response;
  const header = readerOf(response);
  if (isEventStream(status, header)) return new EventStream(request.header('last-event-id'), options);
  const { method } = request;
  if (method !== 'GET' || (status !== 200 && status !== 206) || header('etag') === undefined)
    return undefined;
  const lost = isCoded(header) ? (devText('a content coding') ?? '') : undefined;
  return new Download(status, header, lost);
}
