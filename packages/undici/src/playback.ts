import type { Dispatcher } from 'undici';
import type { Aside } from './aside.ts';
import type { Downstream } from './downstream.ts';
import { requestAbortedError } from './errors.ts';
import type { RawHeaders } from './headers.ts';

/** Gives the handler a response that was set aside, in place of a connection: it stops while the handler is paused. */
export class Playback implements Dispatcher.DispatchController {
  readonly rawHeaders: RawHeaders;
  readonly rawTrailers: RawHeaders;
  aborted = false;
  paused = false;
  reason: Error | null = null;
  readonly #aside: Aside;
  readonly #downstream: Downstream;
  #at = 0;
  #isPlaying = false;

  constructor(aside: Aside, downstream: Downstream) {
    this.#aside = aside;
    this.#downstream = downstream;
    this.rawHeaders = aside.head.rawHeaders;
    this.rawTrailers = aside.rawTrailers;
  }

  start(): void {
    const { status, headers, message } = this.#aside.head;
    this.#play(() => this.#downstream.respond(this, status, headers, message));
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    if (!this.#isPlaying) this.#play();
  }

  abort(reason?: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason ?? requestAbortedError();
    this.#downstream.fail(this.reason);
  }

  #play(first?: () => void): void {
    this.#isPlaying = true;
    try {
      first?.();
      while (!this.paused && !this.#downstream.over) this.#next();
    } catch (error) {
      // undici also reports what a handler throws as an error.
      this.#downstream.fail(error);
    } finally {
      this.#isPlaying = false;
    }
  }

  #next(): void {
    const { chunks, error, trailers } = this.#aside;
    const chunk = chunks[this.#at];
    this.#at += 1;
    if (chunk !== undefined) this.#downstream.data(chunk);
    else if (error !== undefined) this.#downstream.fail(error);
    else this.#downstream.end(this, trailers);
  }
}
