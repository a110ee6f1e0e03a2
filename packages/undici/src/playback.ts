import type { Aside } from './aside.ts';
import type { Downstream } from './downstream.ts';
import type { RawHeaders } from './headers.ts';
import { Player } from './player.ts';

/** Gives the handler a response that was set aside. */
export class Playback extends Player {
  readonly rawHeaders: RawHeaders;
  readonly rawTrailers: RawHeaders;
  readonly #aside: Aside;
  readonly #downstream: Downstream;
  #at = 0;

  constructor(aside: Aside, downstream: Downstream) {
    super();
    this.#aside = aside;
    this.#downstream = downstream;
    this.rawHeaders = aside.head.rawHeaders;
    this.rawTrailers = aside.rawTrailers;
  }

  start(): void {
    const { head, error } = this.#aside;
    const { status, headers, message } = head;
    this.begin(() => this.#downstream.respond(this, status, headers, message), error !== undefined);
  }

  protected override next(): boolean {
    const downstream = this.#downstream;
    if (downstream.over) return false;
    const { chunks, error, trailers } = this.#aside;
    const chunk = chunks[this.#at];
    if (chunk === undefined && error !== undefined && this.delaysError()) return false;
    this.#at += 1;
    if (chunk !== undefined) downstream.data(chunk);
    else if (error !== undefined) downstream.fail(error);
    else downstream.end(this, trailers);
    return true;
  }

  protected override ended(error: unknown): void {
    // undici also reports what a handler throws as an error.
    this.#downstream.fail(error);
  }
}
