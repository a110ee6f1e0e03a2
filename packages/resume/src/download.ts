import type { ReadHeader } from '@ebb/core/adapter';
import { devText } from '@ebb/core/internal';

/** Where the body of a response has got to, so that another response can go on from there. No I/O. */
export interface ResumeFormat {
  /**
   * Takes a part that has arrived, and returns the bytes to pass on, unchanged. `undefined` if the part cannot belong to the requested
   * rest: the body of this response must not be passed on. May return views of the part.
   */
  take(part: Uint8Array): readonly Uint8Array[] | undefined;
  /** True if nothing more has to come. */
  readonly isDone: boolean;
  /** True if the body is whole when its response ends without an error. */
  readonly mayEnd: boolean;
  /** Returns the bytes that were kept back, once the body has ended. */
  left(): readonly Uint8Array[];
  /** The delay that the server asks for before the request for the rest, in milliseconds. */
  readonly retryMs?: number | undefined;
  /** The id of the last event of a stream; `undefined` before the first. */
  readonly lastId?: string | undefined;
  /** Why the rest cannot be asked for; `undefined` if it can. */
  readonly lost: string | undefined;
  /** The headers of a request for the rest, in lower case. `undefined` removes one. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Why a response is not the rest; `undefined` if it is. */
  mismatch(status: number, header: ReadHeader): string | undefined;
  /** Begins the body of the rest, which repeats the bytes that were kept back of the body before. */
  begin(): void;
}

/** A range of bytes of a resource. */
export interface Bytes {
  readonly first: number;
  readonly last: number;
  /** The length of the resource; NaN, which differs from nothing, if the server does not say. */
  readonly whole: number;
}

function differ(one: number, other: number): boolean {
  return one < other || one > other;
}

/**
 * The range of bytes in a response: all of a 200 that has a length, or the range of a 206. `undefined` if it is
 * unknown, or if the length contradicts the range.
 */
function bytesOf(status: number, header: ReadHeader): Bytes | undefined {
  const length = Number(/^\d{1,15}$/.exec(header('content-length') ?? '')?.[0]);
  if (status === 200) return length > 0 ? { first: 0, last: length - 1, whole: length } : undefined;
  // RFC 9110 §14.4. A response with several ranges (multipart/byteranges) does not have this header.
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(header('content-range') ?? '');
  if (match === null || status !== 206) return undefined;
  const [, first = 0, last = 0, whole = 0] = match.map(Number);
  if (first > last || last >= whole || differ(length, last - first + 1)) return undefined;
  return { first, last, whole };
}

/**
 * The bytes of a response to a GET that can be resumed if its connection breaks, or why it cannot. The response must state its range and
 * have a strong ETag: only a strong ETag guarantees the same bytes in the rest, content coding included (RFC 9110 §8.8.1).
 */
export function downloadIn(status: number, header: ReadHeader): Bytes | string {
  if (!/^"[^"]*"$/.test(header('etag') ?? '')) return devText('no strong ETag') ?? '';
  if (header('accept-ranges')?.trim().toLowerCase() === 'none') return devText('Accept-Ranges: none') ?? '';
  return bytesOf(status, header) ?? devText('no length') ?? '';
}

/**
 * A response whose rest is requested by its range if its connection breaks. A response that cannot be resumed is passed on, and the error
 * of its break says why.
 */
export class Download implements ResumeFormat {
  readonly #bytes: Bytes;
  readonly #header: ReadHeader;
  /** How much has arrived, in bytes. */
  receivedBytes = 0;
  lost: string | undefined;
  /** True once a part of the rest is to come. */
  #isRest = false;

  /** @param lost why it cannot be resumed, if not for its headers */
  constructor(status: number, header: ReadHeader, lost?: string) {
    const bytes = lost ?? downloadIn(status, header);
    const isLost = typeof bytes === 'string';
    this.#bytes = isLost ? { first: 0, last: Infinity, whole: Number.NaN } : bytes;
    this.#header = header;
    this.lost = isLost ? bytes : undefined;
  }

  take(part: Uint8Array): readonly Uint8Array[] | undefined {
    this.receivedBytes += part.byteLength;
    if (this.#next > this.#bytes.last + 1) {
      // Something changes the body on its way, so offsets in it are not those of the server.
      this.lost = devText('longer than its length') ?? '';
      if (this.#isRest) return undefined;
    }
    return [part];
  }

  /** Offset of the first missing byte. */
  get #next(): number {
    return this.#bytes.first + this.receivedBytes;
  }

  get isDone(): boolean {
    return this.#next === this.#bytes.last + 1;
  }

  get mayEnd(): boolean {
    return this.isDone || this.lost !== undefined;
  }

  left(): readonly Uint8Array[] {
    return [];
  }

  /** The request fails (412) if the resource has changed. */
  get headers(): Readonly<Record<string, string | undefined>> {
    const range = `bytes=${this.#next}-${this.#bytes.last}`;
    return { range, 'if-match': this.#header('etag'), 'if-range': undefined };
  }

  mismatch(status: number, header: ReadHeader): string | undefined {
    if (status !== 206) return devText(`status ${status}`) ?? '';
    const { whole, last } = this.#bytes;
    const bytes = bytesOf(status, header);
    if (bytes?.first !== this.#next || bytes.last !== last) return devText('another range') ?? '';
    if (differ(bytes.whole, whole)) return devText('another length') ?? '';
    if (header('etag') !== this.#header('etag')) return devText('another ETag') ?? '';
    if (header('content-encoding') === this.#header('content-encoding')) return undefined;
    return devText('another content coding') ?? '';
  }

  begin(): void {
    this.#isRest = true;
  }
}
