import {
  type Call,
  discardMsOf,
  inNextTurn,
  MOST_READ_AHEAD_BYTES,
  missing,
  type Peek,
  SetAside,
} from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';

/** The controller of one attempt. It takes any value that was thrown as the reason. */
type AttemptController = Omit<Dispatcher.DispatchController, 'abort'> & { abort(reason: unknown): void };

/** Made by the dispatcher; a mock may have none. */
export type Connection = AttemptController | null | undefined;

/** What brings the data of a response. */
export type Pausable = Pick<Dispatcher.DispatchController, 'pause' | 'resume'>;

/** The attempt whose response is held. It gets what is played. */
export interface HeldListener {
  /** True once nothing more is to be played. */
  readonly over: boolean;
  head(held: Held): void;
  data(chunk: Buffer): void;
  end(trailers: ResponseHeaders, rawTrailers: RawHeaders): void;
  fail(error: unknown): void;
  /** The handler has thrown. */
  abort(error: unknown): void;
  /** All that was held has been played. The rest comes from the connection. */
  playedAll(): void;
  /** Aborts the connection of a response that was set aside. */
  giveUp(): void;
}

const SOON: Promise<void> = Promise.resolve();
const NO_TRAILERS: ResponseHeaders = {};

/**
 * A response that is held back. It keeps what arrives, and pauses the connection when that is more than a look at the body asks
 * for. It is then played in place of a connection: it stops while the handler is paused, and what follows comes from the
 * connection itself. Or it is set aside for a retry, and played only if the retry is not sent.
 */
export class Held implements Peek, Pausable {
  readonly head: ResponseHead;
  /** What has arrived of the body, encoded as it came. */
  chunks: Buffer[] = [];
  /** True once nothing more of it will come. */
  isOver = false;
  aside: SetAside<Buffer> | undefined;
  /** Why the body is incomplete. */
  #error: unknown;
  #trailers: ResponseHeaders = NO_TRAILERS;
  #rawTrailers: RawHeaders = null;
  #connection: Connection;
  readonly #listener: HeldListener;
  /** A `read` that waits for the next chunk. */
  #reader: { resolve(chunk: Buffer | undefined): void; reject(error: unknown): void } | undefined;
  /** How many chunks were read by the look, of which another one begins again. */
  #read = 0;
  /** Bytes that were neither read by a look nor played. */
  #unreadBytes = 0;
  #isHalted = false;
  /** False while it is played, and before. */
  #mayPlay = false;
  #isPaused = false;

  constructor(head: ResponseHead, connection: Connection, listener: HeldListener) {
    this.head = head;
    this.#connection = connection;
    this.#listener = listener;
  }

  take(chunk: Buffer): void {
    this.aside?.take(chunk);
    if (this.aside !== undefined || this.isOver) return;
    this.chunks.push(chunk);
    this.#unreadBytes += chunk.byteLength;
    this.#serve();
    this.#playMore();
    // Most bodies are short, and arrive with their headers: pausing for each would cost a turn.
    if (this.#unreadBytes > MOST_READ_AHEAD_BYTES) this.#halt();
  }

  /** Nothing more of it will come: all of it has arrived, or it has ended early with the error. */
  end(error: unknown, trailers: ResponseHeaders = NO_TRAILERS, rawTrailers: RawHeaders = null): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#error = error;
    this.#trailers = trailers;
    this.#rawTrailers = rawTrailers;
    this.aside?.end(error === undefined, error);
    this.#serve();
    this.#playMore();
  }

  read(): Promise<Buffer | undefined> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#serve();
      if (this.#reader !== undefined) this.#letGo();
    });
  }

  stop(): void {
    this.#reader?.resolve(undefined);
    this.#reader = undefined;
    this.#read = 0;
    this.#unreadBytes = this.chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Settles the read that waits, if it can. */
  #serve(): void {
    const reader = this.#reader;
    const chunk = this.chunks[this.#read];
    if (reader === undefined || (chunk === undefined && !this.isOver)) return;
    this.#reader = undefined;
    this.#read += 1;
    this.#unreadBytes -= chunk?.byteLength ?? 0;
    if (chunk === undefined && this.#error !== undefined) reader.reject(this.#error);
    else reader.resolve(chunk);
  }

  #halt(): void {
    if (this.#isHalted || this.isOver) return;
    this.#isHalted = true;
    this.#connection?.pause();
  }

  /** Has the connection go on, if it was paused. It may deliver at once. */
  #letGo(): void {
    if (!this.#isHalted || this.isOver) return;
    this.#isHalted = false;
    this.#connection?.resume();
  }

  /** A retry follows: reads it to its end, within bounds, and keeps it. */
  setAside(call: Call): SetAside<Buffer> {
    const { policy, request } = call;
    const contentLength = request.method === 'HEAD' ? 0 : Number(this.head.headers['content-length']);
    const bounds = { clock: policy.clock, longestMs: discardMsOf(call), contentLength };
    const aside = new SetAside<Buffer>(bounds, this.#listener);
    for (const chunk of this.chunks) aside.take(chunk);
    // A connection that is not wanted is closed at once. Most responses end in the turn of their headers, and need no timer.
    if (contentLength > MOST_READ_AHEAD_BYTES) aside.limit();
    else SOON.then(() => aside.limit());
    this.aside = aside;
    if (this.isOver) aside.end(this.#error === undefined, this.#error);
    if (!aside.isOver) this.#letGo();
    return aside;
  }

  /** The retry is not sent: what was set aside is to be played. */
  restore(): void {
    const aside = this.aside as SetAside<Buffer>;
    this.chunks = aside.parts;
    this.#error = missing(aside);
    this.isOver = true;
    this.#connection = undefined;
  }

  pause(): void {
    this.#isPaused = true;
    this.#halt();
  }

  resume(): void {
    this.#isPaused = false;
    this.#playMore();
  }

  /** Plays the headers, and then the body. */
  start(): void {
    this.#play(true);
  }

  /** Goes on, unless the handler is paused or has not had the headers. */
  #playMore(): void {
    if (this.#mayPlay && !this.#isPaused) this.#play(false);
  }

  #play(isFirst: boolean): void {
    this.#mayPlay = false;
    try {
      if (isFirst) this.#listener.head(this);
      while (!this.#isPaused && this.#playNext());
    } catch (error) {
      this.#listener.abort(error);
    } finally {
      this.#mayPlay = true;
    }
  }

  /** Plays the next chunk, or the end; false if nothing follows for now. */
  #playNext(): boolean {
    const listener = this.#listener;
    if (listener.over) return false;
    const chunk = this.chunks.shift();
    if (chunk !== undefined) {
      this.#unreadBytes -= chunk.byteLength;
      listener.data(chunk);
      return true;
    }
    if (!this.isOver) {
      listener.playedAll();
      this.#letGo();
    } else if (this.#error === undefined) listener.end(this.#trailers, this.#rawTrailers);
    else this.#playError();
    return false;
  }

  /**
   * A `fetch` makes its body in the promises that follow the headers: an error in the same turn of the event loop has no body
   * to fail, and a read of that body would wait for ever.
   */
  #playError(): void {
    inNextTurn(() => {
      if (!this.#isPaused && !this.#listener.over) this.#listener.fail(this.#error);
    });
  }
}
