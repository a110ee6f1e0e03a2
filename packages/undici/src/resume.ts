import type { Dispatcher } from 'undici';
import { headerPairs, type RequestHeaders, type ResponseHeaders, responseHeader } from './headers.ts';

interface ContentRange {
  readonly first: number;
  readonly last: number;
  /** The length of the complete body; `undefined` if the server does not say. */
  readonly whole: number | undefined;
}

/** RFC 9110 §14.4. A response with several ranges (multipart/byteranges) does not have this header. */
function contentRange(headers: ResponseHeaders): ContentRange | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(
    responseHeader(headers, 'content-range') ?? '',
  );
  if (match === null) return undefined;
  const [first = 0, last = 0, whole] = match.slice(1).map(Number);
  return first <= last ? { first, last, whole: Number.isNaN(whole) ? undefined : whole } : undefined;
}

function contentLength(headers: ResponseHeaders): number | undefined {
  const text = responseHeader(headers, 'content-length');
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * The range of bytes in a response: all of a 200 that has a length, or the range of a 206. `undefined` if it is
 * unknown, or if the length contradicts the range.
 */
function bytesOf(status: number, headers: ResponseHeaders): ContentRange | undefined {
  const length = contentLength(headers);
  if (status === 200) {
    return length === undefined || length === 0 ? undefined : { first: 0, last: length - 1, whole: length };
  }
  const range = status === 206 ? contentRange(headers) : undefined;
  if (range === undefined || (length !== undefined && length !== range.last - range.first + 1))
    return undefined;
  return range.whole !== undefined && range.last >= range.whole ? undefined : range;
}

/** Headers that a request for the rest replaces. */
const REPLACED = new Set(['range', 'if-match', 'if-range']);

/** True if a response ended short of its length. undici reports this code after `Connection: close`. */
export function isCutOff({ code }: Error & { readonly code?: unknown }): boolean {
  return code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}

/** A response that can be resumed if its connection breaks. */
export class Download {
  readonly #bytes: ContentRange;
  readonly #etag: string;
  readonly #encoding: string | undefined;
  #received = 0;
  /** The error that last broke it. */
  brokenBy: Error | undefined;

  private constructor(bytes: ContentRange, etag: string, headers: ResponseHeaders) {
    this.#bytes = bytes;
    this.#etag = etag;
    this.#encoding = responseHeader(headers, 'content-encoding');
  }

  /**
   * `undefined` for a response that cannot be resumed. It must state its range and have a strong ETag: only that
   * guarantees that the rest has the same bytes, content coding included (RFC 9110 §8.8.1).
   */
  static of(
    { method }: Dispatcher.DispatchOptions,
    status: number,
    headers: ResponseHeaders,
  ): Download | undefined {
    const { etag } = headers;
    if (typeof etag !== 'string' || !/^"[^"]*"$/.test(etag)) return undefined;
    if (String(method).toUpperCase() !== 'GET') return undefined;
    if (responseHeader(headers, 'accept-ranges')?.trim().toLowerCase() === 'none') return undefined;
    const bytes = bytesOf(status, headers);
    return bytes && new Download(bytes, etag, headers);
  }

  /** Counts a chunk; returns false if the body is longer than stated. */
  take(chunk: Uint8Array): boolean {
    this.#received += chunk.byteLength;
    return this.#next <= this.#bytes.last + 1;
  }

  /** Offset of the first missing byte. */
  get #next(): number {
    return this.#bytes.first + this.#received;
  }

  get isComplete(): boolean {
    return this.#next === this.#bytes.last + 1;
  }

  /** The headers of a request for the rest, which fails (412) if the resource has changed. */
  changesForRest(headers: RequestHeaders): { readonly headers: unknown[] } {
    const kept = [...headerPairs(headers)].filter(([name]) => !REPLACED.has(name.toLowerCase()));
    const range = `bytes=${this.#next}-${this.#bytes.last}`;
    return { headers: [...kept.flat(1), 'range', range, 'if-match', this.#etag] };
  }

  /** True if a response is exactly the missing rest. */
  isContinuedBy(status: number, headers: ResponseHeaders): boolean {
    const bytes = status === 206 ? bytesOf(status, headers) : undefined;
    const { whole, last } = this.#bytes;
    return (
      bytes !== undefined &&
      bytes.first === this.#next &&
      bytes.last === last &&
      (bytes.whole === undefined || whole === undefined || bytes.whole === whole) &&
      headers.etag === this.#etag &&
      responseHeader(headers, 'content-encoding') === this.#encoding
    );
  }
}
