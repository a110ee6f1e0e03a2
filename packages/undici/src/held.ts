import type { Clock } from '@ebb/core';
import {
  LONGEST_DISCARD_MS,
  MOST_DISCARDED_BYTES,
  MOST_READ_AHEAD_BYTES,
  type Peek,
} from '@ebb/core/adapter';
import type { Connection } from './controller.ts';
import { requestAbortedError } from './errors.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { Player } from './player.ts';

/** Gets what a held response plays. */
export interface HeldListener {
  /** True once nothing more is to be played. */
  readonly over: boolean;
  data(chunk: Buffer): void;
  end(held: Held, trailers: ResponseHeaders): void;
  fail(error: unknown): void;
  /** The handler has aborted, or thrown. */
  abort(error: Error): void;
  /** All that was held has been played. The rest comes from the connection. */
  playedAll?(): void;
  /** Aborts the connection of a redirect. What was kept of its body can still be played. */
  discard?(reason: Error): void;
}

/** A `read` that waits for the next chunk. */
interface Reader {
  resolve(chunk: Buffer | undefined): void;
  reject(error: Error): void;
}

/**
 * A response that is held back until it has been judged. It keeps what arrives, and pauses the connection when that is more
 * than a look at the body asks for. Then it plays what it has kept, in place of a connection: it stops while the handler is
 * paused. What follows comes from the connection itself; the handler still pauses it through this.
 */
export class Held extends Player implements Peek {
  readonly head: ResponseHead;
  /** What has arrived of the body, encoded as it came. */
  chunks: Buffer[] = [];
  trailers: ResponseHeaders = {};
  rawTrailers: RawHeaders = null;
  /** Why the body is incomplete. */
  error: Error | undefined;
  /** True once nothing more of it will come. */
  isOver = false;
  readonly #connection: Connection;
  readonly #listener: HeldListener;
  #reader: Reader | undefined;
  /** How many chunks were read. */
  #read = 0;
  /** Bytes that were neither read by a look nor played. */
  #unreadBytes = 0;
  #isHalted = false;
  /** Set for the body of a redirect. */
  #clock: Clock | undefined;
  #cancelTimer: (() => void) | undefined;
  /** How many chunks were played. */
  #played = 0;
  #isPlayingError = false;

  /** @param listener without `playedAll` and `discard` for a response that is over */
  constructor(head: ResponseHead, connection: Connection, listener: HeldListener) {
    super();
    this.head = head;
    this.#connection = connection;
    this.#listener = listener;
  }

  get rawHeaders(): RawHeaders {
    return this.head.rawHeaders;
  }

  take(chunk: Buffer): void {
    if (this.isOver) return;
    this.chunks.push(chunk);
    this.#unreadBytes += chunk.byteLength;
    this.#goOn();
    // Most bodies are short, and arrive with their headers: pausing for each would cost a turn.
    const most = this.#clock === undefined ? MOST_READ_AHEAD_BYTES : MOST_DISCARDED_BYTES;
    if (this.#unreadBytes > most) this.#halt();
  }

  /** All of it has arrived. */
  arrived(rawTrailers: RawHeaders, trailers: ResponseHeaders): void {
    if (this.isOver) return;
    this.rawTrailers = rawTrailers;
    this.trailers = trailers;
    this.#finish();
  }

  /** The body ended early. */
  break(error: Error): void {
    if (this.isOver) return;
    this.error = error;
    this.#finish();
  }

  #finish(): void {
    this.isOver = true;
    this.#cancelTimer?.();
    this.#goOn();
  }

  read(): Promise<Buffer | undefined> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#serve();
      if (this.#reader !== undefined) this.letGo();
    });
  }

  stop(): void {
    this.#reader?.resolve(undefined);
    this.#reader = undefined;
  }

  /** Something has arrived. */
  #goOn(): void {
    this.#serve();
    this.playMore();
  }

  /** Settles the read that waits, if it need not wait. */
  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const chunk = this.chunks[this.#read];
    if (chunk === undefined && !this.isOver) return;
    this.#reader = undefined;
    if (chunk !== undefined) {
      this.#read += 1;
      this.#unreadBytes -= chunk.byteLength;
      reader.resolve(chunk);
    } else if (this.error !== undefined) {
      reader.reject(this.error);
    } else {
      reader.resolve(undefined);
    }
  }

  /** Pauses the connection. That of a redirect is closed unless the handler goes on in time. */
  #halt(): void {
    if (this.#isHalted || this.isOver) return;
    this.#isHalted = true;
    this.#connection?.pause();
    this.#cancelTimer = this.#clock?.schedule(() => this.#giveUp(), LONGEST_DISCARD_MS);
  }

  /** Has the connection go on, if it was paused. It may deliver at once. */
  letGo(): void {
    if (!this.#isHalted || this.isOver) return;
    this.#isHalted = false;
    this.#cancelTimer?.();
    this.#connection?.resume();
  }

  /**
   * For the body of a redirect. The `fetch` of undici 7, and so that of Node 24, follows a redirect without reading its body:
   * once a buffer is full it pauses the connection for ever, and with it would keep a slot. So it is read on while the handler
   * is paused, and kept for a reader who wants it after all (`redirect: 'manual'`, `request`). A longer body has some time to be
   * asked for; then its connection is closed, and a late reader gets an error after what was kept.
   */
  readOn(clock: Clock): void {
    this.#clock = clock;
    this.#unreadBytes = this.chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.letGo();
  }

  #giveUp(): void {
    this.isOver = true;
    this.error = new Error(
      'The rest of the body of this redirect was discarded, because it was not read in time',
    );
    this.#listener.discard?.(requestAbortedError('Redirect not read'));
  }

  override pause(): void {
    super.pause();
    if (this.#clock === undefined) this.#halt();
  }

  /** @param respond plays the headers */
  start(respond: () => void): void {
    this.begin(respond, !this.isOver || this.error !== undefined);
  }

  protected override next(): boolean {
    const listener = this.#listener;
    if (listener.over) return false;
    const chunk = this.chunks[this.#played];
    if (chunk !== undefined) {
      this.#played += 1;
      this.#unreadBytes -= chunk.byteLength;
      listener.data(chunk);
      return true;
    }
    if (this.error !== undefined && this.delaysError()) return false;
    // The handler's controller keeps this, and with it what it has.
    this.chunks = [];
    this.#played = 0;
    if (!this.isOver) return this.#playRest();
    if (this.error === undefined) {
      listener.end(this, this.trailers);
    } else {
      this.#isPlayingError = true;
      listener.fail(this.error);
    }
    return false;
  }

  #playRest(): boolean {
    const isRedirect = this.#clock !== undefined;
    if (!isRedirect) this.#listener.playedAll?.();
    this.letGo();
    return isRedirect && (this.chunks.length > 0 || this.isOver);
  }

  protected override ended(error: unknown): void {
    // As without ebb, the caller that reports an error gets what the handler throws then.
    if (this.#isPlayingError && this.#connection && this.#clock === undefined) throw error;
    this.#listener.abort(error as Error);
  }
}
