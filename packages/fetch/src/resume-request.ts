import type { RequestTraits } from '@ebb/core';
import { callHook, property, type ReadHeader, type Resumable, responseHeader } from '@ebb/core/adapter';
import { EventStream, prose } from '@ebb/core/resuming';
import type { EbbFetch } from './create-fetch.ts';
import type { EbbRequestInit, FetchInput } from './init.ts';
import { membersOf } from './request.ts';
import type { Resuming } from './resume-options.ts';

/** A request that may be resumed. */
export interface Asked {
  readonly fetch: EbbFetch;
  readonly input: FetchInput;
  readonly init: EbbRequestInit | undefined;
  readonly request: RequestTraits;
  readonly options: Resuming;
}

export function readerOf({ headers }: Response): ReadHeader {
  return (name) => responseHeader(headers, name);
}

/** True if fetch has decoded the body: what it gives has other offsets than what the server sends. */
export function isCoded(header: ReadHeader): boolean {
  return (header('content-encoding') ?? 'identity') !== 'identity';
}

/** The names of headers that a server tells callers apart by. */
const CREDENTIALS = /auth|cookie|token|api-?key/i;

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
  const names = [...headersOf(input, init).keys()];
  const hasCredentials = credentials === 'include' || names.some((name) => CREDENTIALS.test(name));
  return hasCredentials ? (prose('a redirect of credentials to another origin') ?? '') : undefined;
}

function headersOf(input: FetchInput, init: EbbRequestInit | undefined): Headers {
  return new Headers(init?.headers ?? (property(input, 'headers') as HeadersInit | undefined));
}

/** The arguments of a request for the rest of a body, or why there is none. @throws HookError if `resumeWith` throws */
export function requestForRest(
  asked: Asked,
  course: Resumable,
  response: Response,
): readonly [FetchInput, EbbRequestInit] | string {
  const { input, init, request, options } = asked;
  const why = course.lost ?? whyUnsafe(asked, response);
  if (why !== undefined) return why;
  const { resumeWith } = options;
  const id = course instanceof EventStream ? course.lastId : undefined;
  const given =
    resumeWith && id !== undefined ? callHook('resumeWith', () => resumeWith(id, request)) : undefined;
  if (given !== undefined) return [given, {}];
  if (request.method !== 'GET') return prose(`a ${request.method} is not sent again`) ?? '';
  const headers = headersOf(input, init);
  for (const [name, value] of Object.entries(course.headers)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return [input, { ...membersOf(init ?? {}), headers }];
}
