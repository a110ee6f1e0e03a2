import { prose } from '#prose';
import type { ReadHeader, Resumable } from './resumable.ts';

interface ContentRange {
  readonly first: number;
  readonly last: number;
  /** The length of the complete body; `undefined` if the server does not say. */
  readonly whole: number | undefined;
}

/** RFC 9110 §14.4. A response with several ranges (multipart/byteranges) does not have this header. */
function contentRange(header: ReadHeader): ContentRange | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(header('content-range') ?? '');
  if (match === null) return undefined;
  const [first = 0, last = 0, whole] = match.slice(1).map(Number);
  return first <= last ? { first, last, whole: Number.isNaN(whole) ? undefined : whole } : undefined;
}

/**
 * The range of bytes in a response: all of a 200 that has a length, or the range of a 206. `undefined` if it is
 * unknown, or if the length contradicts the range.
 */
function bytesOf(status: number, header: ReadHeader): ContentRange | undefined {
  const text = header('content-length') ?? '';
  const length = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (status === 200) return length ? { first: 0, last: length - 1, whole: length } : undefined;
  const range = status === 206 ? contentRange(header) : undefined;
  if (range === undefined || (length !== undefined && length !== range.last - range.first + 1))
    return undefined;
  return range.whole !== undefined && range.last >= range.whole ? undefined : range;
}

/**
 * Why a response to a GET cannot be resumed if its connection breaks; `undefined` if it can. It must state its range and have a strong ETag:
 * only that guarantees that the rest has the same bytes, content coding included (RFC 9110 §8.8.1).
 */
export function whyNoDownload(status: number, header: ReadHeader): string | undefined {
  if (!/^"[^"]*"$/.test(header('etag') ?? '')) return prose('no strong ETag') ?? '';
  if (header('accept-ranges')?.trim().toLowerCase() === 'none') return prose('Accept-Ranges: none') ?? '';
  return bytesOf(status, header) === undefined ? (prose('no length') ?? '') : undefined;
}

/** A response whose rest is asked for by its range if its connection breaks. */
export class Download implements Resumable {
  readonly #bytes: ContentRange;
  readonly #header: ReadHeader;
  #received = 0;
  #isRest = false;
  lost: string | undefined;

  /** @param lost see {@link whyNoDownload} */
  constructor(status: number, header: ReadHeader, lost?: string) {
    this.#bytes = bytesOf(status, header) ?? { first: 0, last: Number.POSITIVE_INFINITY, whole: undefined };
    this.#header = header;
    this.lost = lost;
  }

  take(part: Uint8Array): readonly Uint8Array[] | undefined {
    this.#received += part.byteLength;
    if (this.#next > this.#bytes.last + 1) {
      if (this.#isRest) return undefined;
      // Something changes the body on its way, so offsets in it are not those of the server.
      this.lost = prose('longer than its length') ?? '';
    }
    return [part];
  }

  /** Offset of the first missing byte. */
  get #next(): number {
    return this.#bytes.first + this.#received;
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
    if (status !== 206) return prose(`status ${status}`) ?? '';
    const { whole, last } = this.#bytes;
    const bytes = bytesOf(status, header);
    if (bytes?.first !== this.#next || bytes.last !== last) return prose('another range') ?? '';
    if (bytes.whole !== undefined && whole !== undefined && bytes.whole !== whole)
      return prose('another length') ?? '';
    if (header('etag') !== this.#header('etag')) return prose('another ETag') ?? '';
    const isSame = header('content-encoding') === this.#header('content-encoding');
    return isSame ? undefined : (prose('another content coding') ?? '');
  }

  begin(): void {
    this.#isRest = true;
  }
}
