import { property, type ReadHeader, type Resumable, responseHeader } from '@ebb/core/adapter';
import { haveCredentials, prose, type Resumed, type Resuming } from '@ebb/core/resuming';
import type { EbbFetch } from './create-fetch.ts';
import type { EbbRequestInit, FetchInput } from './init.ts';
import { changedHeaders, isRequest, withChanges } from './request.ts';

/** What a fetch is called with. */
export type Call = readonly [FetchInput, EbbRequestInit];

/** A request that may be resumed. */
export interface Asked extends Pick<Resumed<Call, Request>, 'request'> {
  readonly fetch: EbbFetch;
  readonly input: FetchInput;
  readonly init: EbbRequestInit | undefined;
  readonly options: Resuming<Request>;
}

export function readerOf({ headers }: Response): ReadHeader {
  return (name) => responseHeader(headers, name);
}

/** True if fetch has decoded the body: its offsets are not those of the bytes that the server sends. */
export function isCoded(header: ReadHeader): boolean {
  return (header('content-encoding') ?? 'identity') !== 'identity';
}

function headersOf(input: FetchInput, init: EbbRequestInit | undefined): Headers {
  return new Headers(init?.headers ?? (isRequest(input) ? input.headers : undefined));
}

/**
 * Says so if a request with credentials has ended at another origin than its own. It is not known what that origin was sent, and it
 * would be sent more.
 */
export function whyUnsafe(
  { input, init, request }: Asked,
  { redirected, url }: Response,
): string | undefined {
  if (!redirected || URL.parse(url)?.origin === URL.parse(request.url)?.origin) return undefined;
  const credentials = init?.credentials ?? property(input, 'credentials');
  const hasCredentials = credentials === 'include' || haveCredentials([...headersOf(input, init).keys()]);
  return hasCredentials ? (prose('a redirect of credentials to another origin') ?? '') : undefined;
}

/** The same request, with the headers for the rest, and without its own `ebb` options. */
export function requestAgain({ input, init }: Asked, { headers }: Resumable): Call {
  return withChanges(input, init, { headers: changedHeaders(headersOf(input, init), headers) });
}
