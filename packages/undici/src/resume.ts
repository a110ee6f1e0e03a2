import { Download, type ReadHeader, type Resumable, whyNoDownload } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { headerPairs, type RequestHeaders, type ResponseHeaders, responseHeader } from './headers.ts';

/** What the body of a response can be resumed by if its connection breaks; `undefined` if it cannot. Passes Buffers on. */
export type Resume = (
  options: Dispatcher.DispatchOptions,
  status: number,
  headers: ResponseHeaders,
) => Resumable | undefined;

/** True if a response ended short of its length. undici reports this code after `Connection: close`. */
export function isCutOff({ code }: Error & { readonly code?: unknown }): boolean {
  return code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}

/** The {@link Resume} of downloads. */
export function downloadOf(
  { method }: Dispatcher.DispatchOptions,
  status: number,
  headers: ResponseHeaders,
): Resumable | undefined {
  // Most responses have none.
  if (headers.etag === undefined || String(method).toUpperCase() !== 'GET') return undefined;
  const header = readerOf(headers);
  return whyNoDownload(status, header) === undefined ? new Download(status, header) : undefined;
}

export function readerOf(headers: ResponseHeaders): ReadHeader {
  return (name) => responseHeader(headers, name);
}

/** The headers of a request for the rest. */
export function changesForRest(course: Resumable, headers: RequestHeaders): { readonly headers: unknown[] } {
  const changed = course.headers;
  const kept = [...headerPairs(headers)].filter(([name]) => !Object.hasOwn(changed, name.toLowerCase()));
  const set = Object.entries(changed).filter(([, value]) => value !== undefined);
  return { headers: [...kept, ...set].flat(1) };
}
