import type { ReadHeader, Resumable } from '@ebb/core/adapter';
import { Download } from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { headerPairs, type RequestHeaders, type ResponseHeaders, responseHeader } from './headers.ts';

/** What a response goes on by if its connection breaks; `undefined` for one that is no download. */
export function downloadOf(
  { method }: Dispatcher.DispatchOptions,
  status: number,
  headers: ResponseHeaders,
): Download | undefined {
  // Most responses have none.
  if (headers.etag === undefined || (status !== 200 && status !== 206)) return undefined;
  return String(method).toUpperCase() === 'GET' ? new Download(status, readerOf(headers)) : undefined;
}

export function readerOf(headers: ResponseHeaders): ReadHeader {
  return (name) => responseHeader(headers, name);
}

/** The headers of a request for the rest. */
export function changesForRest(
  course: Pick<Resumable, 'headers'>,
  headers: RequestHeaders,
): { readonly headers: unknown[] } {
  const changed = course.headers;
  const kept = [...headerPairs(headers)].filter(([name]) => !Object.hasOwn(changed, name.toLowerCase()));
  const set = Object.entries(changed).filter(([, value]) => value !== undefined);
  return { headers: [...kept, ...set].flat(1) };
}
