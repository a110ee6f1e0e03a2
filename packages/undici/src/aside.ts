import { type AsideBounds, asideOf, type SetAside } from '@ebb/core/adapter';
import type { RawHeaders, ResponseHeaders } from './headers.ts';
import type { Held } from './held.ts';

export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly message: string | undefined;
  readonly rawHeaders: RawHeaders;
}

const NO_TRAILERS: ResponseHeaders = {};

/** A response that is to be followed by a retry. */
export class Aside {
  readonly head: ResponseHead;
  readonly body: SetAside<Buffer>;
  trailers: ResponseHeaders = NO_TRAILERS;
  rawTrailers: RawHeaders = null;

  /** @param attempt `giveUp` aborts its connection */
  constructor(head: ResponseHead, bounds: AsideBounds, attempt: { giveUp(): void }) {
    this.head = head;
    this.body = asideOf(bounds, () => attempt.giveUp(), true);
  }

  get isOver(): boolean {
    return this.body.isOver;
  }

  /** True if it has all of its body. */
  get isComplete(): boolean {
    return this.body.isWhole && this.body.parts !== undefined;
  }

  /** Takes what has arrived of a response that was held back. */
  takeOver({ chunks, isOver, error, rawTrailers, trailers }: Held): void {
    for (const chunk of chunks) this.take(chunk);
    if (error !== undefined) this.break(error);
    else if (isOver) this.end(rawTrailers, trailers);
  }

  take(chunk: Buffer): void {
    this.body.take(chunk);
  }

  end(rawTrailers: RawHeaders, trailers: ResponseHeaders): void {
    this.rawTrailers = rawTrailers;
    this.trailers = trailers;
    this.body.end(true);
  }

  /** The body ended early. */
  break(error: Error): void {
    this.body.end(false, error);
  }
}
