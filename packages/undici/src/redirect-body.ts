import type { Clock } from '@ebb/core';
import { LONGEST_DISCARD_MS, MOST_DISCARDED_BYTES } from '@ebb/core/adapter';
import type { ResponseHead } from './aside.ts';
import type { Connection } from './controller.ts';
import { requestAbortedError } from './errors.ts';
import type { RawHeaders, ResponseHeaders } from './headers.ts';
import type { Held, HeldListener } from './held.ts';
import { Player } from './player.ts';

/** The statuses that a `fetch` follows or refuses. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** True for a response that a reader may leave unread. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

export interface RedirectBodyListener extends HeldListener {
  /** Aborts the connection. What was kept of the body can still be played. */
  discard(reason: Error): void;
}

/**
 * The body of a redirect. The `fetch` of undici 7, and so that of Node 24, follows a redirect without reading its body: once a
 * buffer is full it pauses the connection for ever, and with it would keep a slot. This reads on while the handler is paused,
 * and keeps what arrives for a reader who wants it after all (`redirect: 'manual'`, `request`). A longer body has some time to
 * be asked for; then its connection is closed, and a late reader gets an error after what was kept.
 */
export class RedirectBody extends Player {
  readonly head: ResponseHead;
  rawTrailers: RawHeaders = null;
  /** True once nothing more of it will come. */
  isOver = false;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #listener: RedirectBodyListener;
  #chunks: Buffer[] = [];
  /** How many chunks were played, and how many bytes are to be. */
  #played = 0;
  #unreadBytes = 0;
  #trailers: ResponseHeaders = {};
  #error: Error | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(head: ResponseHead, connection: Connection, clock: Clock, listener: RedirectBodyListener) {
    super();
    this.head = head;
    this.#connection = connection;
    this.#clock = clock;
    this.#listener = listener;
  }

  get rawHeaders(): RawHeaders {
    return this.head.rawHeaders;
  }

  /** Takes what has arrived of a response that was held back. */
  takeOver({ chunks, isOver, error, rawTrailers, trailers }: Held): void {
    for (const chunk of chunks) this.#keep(chunk);
    this.#error = error;
    this.rawTrailers = rawTrailers;
    this.#trailers = trailers;
    this.isOver = isOver;
  }

  /** @param respond plays the headers */
  start(respond: () => void): void {
    this.begin(respond, !this.isOver || this.#error !== undefined);
  }

  take(chunk: Buffer): void {
    if (this.isOver) return;
    this.#keep(chunk);
    this.playMore();
    if (this.#unreadBytes > MOST_DISCARDED_BYTES) this.#halt();
  }

  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unreadBytes += chunk.byteLength;
  }

  end(rawTrailers: RawHeaders, trailers: ResponseHeaders): void {
    if (this.isOver) return;
    this.rawTrailers = rawTrailers;
    this.#trailers = trailers;
    this.#finish();
  }

  /** The body ended early. */
  break(error: Error): void {
    if (this.isOver) return;
    this.#error = error;
    this.#finish();
  }

  #finish(): void {
    this.isOver = true;
    this.#cancelTimer?.();
    this.playMore();
  }

  /** Pauses the connection, and closes it unless the handler goes on in time. */
  #halt(): void {
    if (this.#cancelTimer !== undefined || this.isOver) return;
    this.#connection?.pause();
    this.#cancelTimer = this.#clock.schedule(() => this.#giveUp(), LONGEST_DISCARD_MS);
  }

  #letGo(): void {
    if (this.#cancelTimer === undefined || this.isOver) return;
    this.#cancelTimer();
    this.#cancelTimer = undefined;
    this.#connection?.resume();
  }

  #giveUp(): void {
    this.isOver = true;
    this.#error = new Error(
      'The rest of the body of this redirect was discarded, because it was not read in time',
    );
    this.#listener.discard(requestAbortedError('Redirect not read'));
  }

  protected override next(): boolean {
    const listener = this.#listener;
    if (listener.over) return false;
    const chunk = this.#chunks[this.#played];
    if (chunk !== undefined) {
      this.#played += 1;
      this.#unreadBytes -= chunk.byteLength;
      listener.played(chunk);
      return true;
    }
    if (this.#error !== undefined && this.delaysError()) return false;
    this.#chunks = [];
    this.#played = 0;
    if (!this.isOver) {
      // The connection may deliver at once.
      this.#letGo();
      return this.#chunks.length > 0 || this.isOver;
    }
    if (this.#error === undefined) listener.playedEnd(this.#trailers);
    else listener.playedError(this.#error);
    return false;
  }

  protected override ended(error: unknown): void {
    this.#listener.abort(error as Error);
  }
}
