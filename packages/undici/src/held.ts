import { MOST_READ_AHEAD_BYTES, type Peek } from '@ebb/core/adapter';
import type { ResponseHead } from './aside.ts';
import type { Connection } from './controller.ts';
import type { RawHeaders, ResponseHeaders } from './headers.ts';
import { Player } from './player.ts';

/** Gets what a held response plays. */
export interface HeldListener {
  /** True once nothing more is to be played. */
  readonly over: boolean;
  played(chunk: Buffer): void;
  playedEnd(trailers: ResponseHeaders): void;
  playedError(error: Error): void;
  /** All that was held has been played. The rest comes from the connection. */
  playedAll(): void;
  /** The handler threw. */
  abort(error: Error): void;
}

/** A `read` that waits for the next chunk. */
interface Reader {
  resolve(chunk: Buffer | undefined): void;
  reject(error: Error): void;
}

/**
 * A response that is held back until it has been judged. It keeps what arrives, and pauses the connection when that is more
 * than a look at the body asks for. Then it plays what it has kept, and the connection goes on; the handler still pauses it
 * through this.
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
  #isHalted = false;
  #reader: Reader | undefined;
  /** How many chunks were read. */
  #read = 0;
  #unreadBytes = 0;
  /** How many chunks were played. */
  #played = 0;
  #isPlayingError = false;

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
    this.#serve();
    // Most bodies are short, and arrive with their headers: pausing for each would cost a turn.
    if (this.#unreadBytes > MOST_READ_AHEAD_BYTES) this.#halt();
  }

  end(rawTrailers: RawHeaders, trailers: ResponseHeaders): void {
    if (this.isOver) return;
    this.rawTrailers = rawTrailers;
    this.trailers = trailers;
    this.isOver = true;
    this.#serve();
  }

  /** The body ended early. */
  break(error: Error): void {
    if (this.isOver) return;
    this.error = error;
    this.isOver = true;
    this.#serve();
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

  #halt(): void {
    if (this.#isHalted || this.isOver) return;
    this.#isHalted = true;
    this.#connection?.pause();
  }

  /** Has the connection go on, if it was paused. It may deliver at once. */
  letGo(): void {
    if (!this.#isHalted) return;
    this.#isHalted = false;
    this.#connection?.resume();
  }

  /** @param respond plays the headers */
  start(respond: () => void): void {
    this.begin(respond, !this.isOver || this.error !== undefined);
  }

  override pause(): void {
    super.pause();
    this.#halt();
  }

  protected override next(): boolean {
    const listener = this.#listener;
    if (listener.over) return false;
    const chunk = this.chunks[this.#played];
    if (chunk !== undefined) {
      this.#played += 1;
      listener.played(chunk);
      return true;
    }
    if (this.error !== undefined && this.delaysError()) return false;
    // The handler's controller keeps this, and with it what it has.
    this.chunks = [];
    this.#played = 0;
    if (!this.isOver) {
      listener.playedAll();
      this.letGo();
    } else if (this.error === undefined) {
      listener.playedEnd(this.trailers);
    } else {
      this.#isPlayingError = true;
      listener.playedError(this.error);
    }
    return false;
  }

  protected override ended(error: unknown): void {
    // As without ebb, the caller that reports an error gets what the handler throws then.
    if (this.#isPlayingError) throw error;
    this.#listener.abort(error as Error);
  }
}
