import type { Clock } from '@ebb/core';
import { inNextTurn, MOST_DISCARDED_BYTES } from '@ebb/core/adapter';
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

/** What has arrived of a response. */
interface Arrived {
  readonly chunks: readonly Buffer[];
  readonly trailers: ResponseHeaders;
  readonly rawTrailers: RawHeaders;
  readonly error: Error | undefined;
  readonly isOver: boolean;
}

const SOON: Promise<void> = Promise.resolve();
const NONE: Buffer[] = [];
const NO_TRAILERS: ResponseHeaders = {};

/**
 * A response that is to be followed by a retry. It is read to its end, within bounds, so that the retry can use its
 * connection; and it is kept, because it becomes the result if the retry is not sent.
 */
export class Aside {
  readonly head: ResponseHead;
  /** The body as far as it came; empty if it is too long to keep. */
  chunks: Buffer[] = NONE;
  trailers: ResponseHeaders = NO_TRAILERS;
  rawTrailers: RawHeaders = null;
  /** Why the body is incomplete. */
  error: Error | undefined;
  /** True once nothing more of it will come. */
  isOver = false;
  /** Resolves when the connection can be used again, or is closed. */
  readonly released: Promise<void>;
  readonly #bounds: AsideBounds;
  readonly #attempt: { abort(reason: Error): void };
  #bytes = 0;
  #cancelTimer: (() => void) | undefined;
  #release: () => void = () => undefined;

  /** @param attempt `abort` aborts its connection, and then calls {@link break} */
  constructor(head: ResponseHead, bounds: AsideBounds, attempt: { abort(reason: Error): void }) {
    this.head = head;
    this.#bounds = bounds;
    this.#attempt = attempt;
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  /** Stops reading when the time is up, or at once if the `Content-Length` is too large. */
  limit(): void {
    const { clock, longestMs, contentLength } = this.#bounds;
    if (contentLength > MOST_DISCARDED_BYTES) this.#giveUp();
    SOON.then(() => {
      // Most responses end in the turn of their headers, and need no timer.
      if (this.isOver) this.#releaseInNextTurn();
      else this.#cancelTimer = clock.schedule(() => this.#giveUp(), longestMs);
    });
  }

  /** Takes what has arrived of a response that was held back. */
  takeOver({ chunks, isOver, error, rawTrailers, trailers }: Arrived): void {
    for (const chunk of chunks) this.take(chunk);
    if (error !== undefined) this.break(error);
    else if (isOver) this.end(rawTrailers, trailers);
  }

  take(chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#bounds.mostKeptBytes) this.chunks = NONE;
    // A literal has no room for more chunks, which most of these responses do not have.
    else if (this.chunks === NONE) this.chunks = [chunk];
    else this.chunks.push(chunk);
    if (this.#bytes > MOST_DISCARDED_BYTES) this.#giveUp();
  }

  end(rawTrailers: RawHeaders, trailers: ResponseHeaders): void {
    this.rawTrailers = rawTrailers;
    this.trailers = trailers;
    if (this.#bytes > this.#bounds.mostKeptBytes) this.error = notKept();
    this.#finish();
  }

  /** The body ended early. */
  break(error: Error): void {
    this.error ??= error;
    this.#finish();
  }

  #finish(): void {
    this.isOver = true;
    if (this.#cancelTimer === undefined) return;
    this.#cancelTimer();
    SOON.then(() => this.#releaseInNextTurn());
  }

  /** undici reuses a connection in the turn after its response has ended, and asks for that turn after its last event. */
  #releaseInNextTurn(): void {
    inNextTurn(this.#release);
  }

  #giveUp(): void {
    this.chunks = NONE;
    this.error = notKept();
    this.#attempt.abort(requestAbortedError('Response discarded'));
  }
}

function notKept(): Error {
  return new Error('The body of this response was discarded for a retry, which was then not sent');
}
