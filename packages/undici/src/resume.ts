import { headerPairs, type RequestHeaders, type ResponseHeaders, responseHeader } from './headers.ts';

interface ContentRange {
  readonly first: number;
  readonly last: number;
  /** The length of the whole; `undefined` where the server does not tell. */
  readonly whole: number | undefined;
}

/** Source: RFC 9110 §14.4. Of several ranges (multipart/byteranges) there is no such header. */
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
 * Which bytes a response has, when it says so itself: all of a 200 with its length, or those of a 206. A
 * length that contradicts the range makes it worth nothing.
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

const REPLACED = new Set(['range', 'if-match', 'if-range']);

/** Whether a response ended short of its length: so undici calls it when the server had said it would close. */
export function isCutOff({ code }: Error & { readonly code?: unknown }): boolean {
  return code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}

/** A response on its way to the handler that could be taken up again, should its connection break. */
export class Download {
  readonly #bytes: ContentRange;
  readonly #etag: string;
  readonly #encoding: string | undefined;
  #received = 0;
  /** What last broke it. */
  brokenBy: Error | undefined;

  private constructor(bytes: ContentRange, etag: string, headers: ResponseHeaders) {
    this.#bytes = bytes;
    this.#etag = etag;
    this.#encoding = responseHeader(headers, 'content-encoding');
  }

  /**
   * Nothing, unless the response names its bytes and has a strong ETag: only that promises that the rest will
   * be of the same bytes, content coding included (RFC 9110 §8.8.1).
   */
  static of(method: string, status: number, headers: ResponseHeaders): Download | undefined {
    const { etag } = headers;
    if (method !== 'GET' || typeof etag !== 'string' || !/^"[^"]*"$/.test(etag)) return undefined;
    if (responseHeader(headers, 'accept-ranges')?.trim().toLowerCase() === 'none') return undefined;
    const bytes = bytesOf(status, headers);
    return bytes && new Download(bytes, etag, headers);
  }

  /** Counts what came; `false` when that is more than there can be. */
  take(chunk: Uint8Array): boolean {
    this.#received += chunk.byteLength;
    return this.#next <= this.#bytes.last + 1;
  }

  /** Where the rest begins. */
  get #next(): number {
    return this.#bytes.first + this.#received;
  }

  get isComplete(): boolean {
    return this.#next === this.#bytes.last + 1;
  }

  /** What a request for the rest has in place of the request's own: for the same thing's rest, and no other's. */
  changesForRest(headers: RequestHeaders): { readonly headers: unknown[] } {
    const kept = [...headerPairs(headers)].filter(([name]) => !REPLACED.has(name.toLowerCase()));
    const range = `bytes=${this.#next}-${this.#bytes.last}`;
    return { headers: [...kept.flat(1), 'range', range, 'if-match', this.#etag] };
  }

  /** Whether a response is the rest, exactly. */
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
