import { MOST_DISCARDED_BYTES, missing, type Session, SetAside } from '@ebb/core/adapter';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { Held, type HeldListener } from './held.ts';

/** How much of a response is kept in case its dispatcher is closed before the retry, in bytes. */
const KEPT_FOR_CLOSE_BYTES = 16 * 1024;

const SOON: Promise<void> = Promise.resolve();
const NO_TRAILERS: ResponseHeaders = {};

/** A response that is to be followed by a retry. */
export class Aside extends SetAside<Buffer> {
  readonly head: ResponseHead;
  trailers: ResponseHeaders = NO_TRAILERS;
  rawTrailers: RawHeaders = null;

  /** @param attempt `giveUp` aborts its connection */
  constructor(head: ResponseHead, session: Session, attempt: { giveUp(): void }) {
    const bounds = {
      clock: session.policy.clock,
      longestMs: session.discardMs,
      mostKeptBytes: session.keepsAnswer ? MOST_DISCARDED_BYTES : KEPT_FOR_CLOSE_BYTES,
      contentLength: session.request.method === 'HEAD' ? 0 : Number(head.headers['content-length']),
    };
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

  /** Plays it after all. */
  held(listener: HeldListener): Held {
    const held = new Held(this.head, undefined, listener);
    held.chunks = this.parts ?? [];
    held.error = missing(this) as Error | undefined;
    held.rawTrailers = this.rawTrailers;
    held.trailers = this.trailers;
    held.isOver = true;
    return held;
  }
}
