import { Download, downloadIn, property, type ReadHeader, type Resumable } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { headerPairs, type RequestHeaders, type ResponseHeaders, responseHeader } from './headers.ts';

/** True if a response ended short of its length. undici reports this code after `Connection: close`. */
export function isCutOff(error: unknown): boolean {
  return property(error, 'code') === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}

/** What a response can be resumed by if its connection breaks; `undefined` if it cannot. */
export function downloadOf(
  { method }: Dispatcher.DispatchOptions,
  status: number,
  headers: ResponseHeaders,
): Download | undefined {
  // Most responses have none.
  if (headers.etag === undefined || String(method).toUpperCase() !== 'GET') return undefined;
  const header = readerOf(headers);
  const bytes = downloadIn(status, header);
  return typeof bytes === 'string' ? undefined : new Download(bytes, header);
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
