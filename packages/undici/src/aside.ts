import { type AsideBounds, MOST_DISCARDED_BYTES, SetAside } from '@ebb/core/adapter';
import type { RawHeaders, ResponseHeaders } from './headers.ts';
import type { Held } from './held.ts';

export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly message: string | undefined;
  readonly rawHeaders: RawHeaders;
}

const SOON: Promise<void> = Promise.resolve();
const NO_TRAILERS: ResponseHeaders = {};

/** A response that is to be followed by a retry. */
export class Aside extends SetAside<Buffer> {
  readonly head: ResponseHead;
  trailers: ResponseHeaders = NO_TRAILERS;
  rawTrailers: RawHeaders = null;

  /** @param attempt `giveUp` aborts its connection */
  constructor(head: ResponseHead, bounds: AsideBounds, attempt: { giveUp(): void }) {
    super(bounds, attempt);
    this.head = head;
  }

  /** True if it has all of its body. */
  get isComplete(): boolean {
    return this.isWhole && this.parts !== undefined;
  }

  override limit(): void {
    // A connection that is not wanted is closed at once. Most responses end in the turn of their headers, and need no timer.
    if (this.bounds.contentLength > MOST_DISCARDED_BYTES) super.limit();
    else SOON.then(() => super.limit());
  }

  /** Takes what has arrived of a response that was held back. */
  takeOver({ chunks, isOver, error, rawTrailers, trailers }: Held): void {
    for (const chunk of chunks) this.take(chunk);
    if (error !== undefined) this.end(false, error);
    else if (isOver) this.arrived(rawTrailers, trailers);
  }

  /** All of it has arrived. */
  arrived(rawTrailers: RawHeaders, trailers: ResponseHeaders): void {
    this.rawTrailers = rawTrailers;
    this.trailers = trailers;
    this.end(true);
  }

  /** The body ended early. */
  break(error: Error): void {
    this.end(false, error);
  }
}
