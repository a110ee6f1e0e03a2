import type { Clock } from '@ebb/core';
import { MOST_DISCARDED_BYTES, nextTurn } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { requestAbortedError } from './errors.ts';
import type { ResponseHeaders } from './headers.ts';

export type Raw = NonNullable<Dispatcher.DispatchController['rawHeaders']> | null;

export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly message: string | undefined;
  readonly rawHeaders: Raw;
}

/** How long a response is read that is followed by a retry, and how much of it is kept. */
export interface AsideBounds {
  readonly clock: Clock;
  readonly longestMs: number;
  /** In bytes. */
  readonly mostKept: number;
  /** What the response says of its length; `NaN` if it says nothing. */
  readonly contentLength: number;
}

/**
 * A response that a retry is to follow. It is read to its end, within bounds, so that its connection serves the
 * retry; and it is kept, since it is the result if the retry is not sent.
 */
export class Aside {
  readonly head: ResponseHead;
  /** What there is of its body; nothing of one that was too long to keep. */
  chunks: Buffer[] = [];
  trailers: ResponseHeaders = {};
  rawTrailers: Raw = null;
  /** Why its body is not whole. */
  error: Error | undefined;
  /** Resolves when its connection can be used again, or is gone. */
  readonly released: Promise<void>;
  readonly #bounds: AsideBounds;
  readonly #breakOff: (reason: Error) => void;
  #bytes = 0;
  #release: () => void = () => undefined;

  /** @param breakOff gives the connection up, and then calls {@link break} */
  constructor(head: ResponseHead, bounds: AsideBounds, breakOff: (reason: Error) => void) {
    this.head = head;
    this.#bounds = bounds;
    this.#breakOff = breakOff;
    const over = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    // undici takes up a connection again on the turn after a response has ended.
    this.released = over.then(nextTurn);
  }

  /** Gives it up when its time is over, or at once if it says that it is too long; returns what calls that off. */
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
    if (this.#bytes <= this.#bounds.mostKept) this.chunks.push(chunk);
    else this.chunks = [];
    if (this.#bytes > MOST_DISCARDED_BYTES) this.#giveUp();
  }

  end(rawTrailers: Raw, trailers: ResponseHeaders): void {
    this.rawTrailers = rawTrailers;
    this.trailers = trailers;
    if (this.#bytes > this.#bounds.mostKept) this.error = notKept();
    this.#release();
  }

  /** Its body ended before its time. */
  break(error: Error): void {
    this.error ??= error;
    this.#release();
  }

  #giveUp(): void {
    this.chunks = [];
    this.error = notKept();
    this.#breakOff(requestAbortedError('Response discarded'));
  }
}

function notKept(): Error {
  return new Error('The body of this response was let go of for a retry, which was then not sent');
}
