import type { Clock } from '@ebb/core';
import { MOST_DISCARDED_BYTES, nextTurn } from '@ebb/core/adapter';
import { requestAbortedError } from './errors.ts';
import type { RawHeaders, ResponseHeaders } from './headers.ts';

export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly message: string | undefined;
  readonly rawHeaders: RawHeaders;
}

/** Bounds for a response that is set aside. */
export interface AsideBounds {
  readonly clock: Clock;
  /** How long the response is read. */
  readonly longestMs: number;
  /** How much of the body is kept; it is read up to {@link MOST_DISCARDED_BYTES}. */
  readonly mostKeptBytes: number;
  /** The `Content-Length`, in bytes; `NaN` if there is none. */
  readonly contentLength: number;
}

/**
 * A response that is to be followed by a retry. It is read to its end, within bounds, so that the retry can use its
 * connection; and it is kept, because it becomes the result if the retry is not sent.
 */
export class Aside {
  readonly head: ResponseHead;
  /** The body as far as it came; empty if it is too long to keep. */
  chunks: Buffer[] = [];
  trailers: ResponseHeaders = {};
  rawTrailers: RawHeaders = null;
  /** Why the body is incomplete. */
  error: Error | undefined;
  /** Resolves when the connection can be used again, or is closed. */
  readonly released: Promise<void>;
  readonly #bounds: AsideBounds;
  readonly #abort: (reason: Error) => void;
  #bytes = 0;
  #release: () => void = () => undefined;

  /** @param abort aborts the connection, and then calls {@link break} */
  constructor(head: ResponseHead, bounds: AsideBounds, abort: (reason: Error) => void) {
    this.head = head;
    this.#bounds = bounds;
    this.#abort = abort;
    const over = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    // undici reuses a connection in the turn after its response has ended.
    this.released = over.then(nextTurn);
  }

  /**
   * Stops reading when the time is up, or at once if the `Content-Length` is too large.
   *
   * @returns a function that cancels the timer, if there is one
   */
  limit(): (() => void) | undefined {
    const { clock, longestMs, contentLength } = this.#bounds;
    if (contentLength <= MOST_DISCARDED_BYTES || Number.isNaN(contentLength)) {
      return clock.schedule(() => this.#giveUp(), longestMs);
    }
    this.#giveUp();
    return undefined;
  }

  take(chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= this.#bounds.mostKeptBytes) this.chunks.push(chunk);
    else this.chunks = [];
    if (this.#bytes > MOST_DISCARDED_BYTES) this.#giveUp();
  }

  end(rawTrailers: RawHeaders, trailers: ResponseHeaders): void {
    this.rawTrailers = rawTrailers;
    this.trailers = trailers;
    if (this.#bytes > this.#bounds.mostKeptBytes) this.error = notKept();
    this.#release();
  }

  /** The body ended early. */
  break(error: Error): void {
    this.error ??= error;
    this.#release();
  }

  #giveUp(): void {
    this.chunks = [];
    this.error = notKept();
    this.#abort(requestAbortedError('Response discarded'));
  }
}

function notKept(): Error {
  return new Error('The body of this response was discarded for a retry, which was then not sent');
}
