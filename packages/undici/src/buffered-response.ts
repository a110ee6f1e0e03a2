import {
  type Call,
  discardMsOf,
  MOST_READ_AHEAD_BYTES,
  type Peek,
  reasonOfLoss,
  SetAside,
} from '@ebb/core/adapter';
import type { Connection } from './handler.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';

const SOON: Promise<void> = Promise.resolve();
const NO_TRAILERS: ResponseHeaders = {};

/**
 * A response that is held back. It keeps what arrives, and pauses the connection when that is more than a look at the body asks
 * for. Or it is set aside for a retry, within bounds.
 */
export class BufferedResponse implements Peek {
  readonly head: ResponseHead;
  /** The chunks of the body received so far, still encoded. */
  chunks: Buffer[] = [];
  /** True once nothing more of it will come. */
  isOver = false;
  /** Why the body is incomplete. */
  error: unknown;
  trailers: ResponseHeaders = NO_TRAILERS;
  rawTrailers: RawHeaders = null;
  #aside: SetAside<Buffer> | undefined;
  readonly #connection: Connection;
  /** A `read` that waits for the next chunk. */
  #reader: { resolve(chunk: Buffer | undefined): void; reject(error: unknown): void } | undefined;
  /** How many chunks were read by the look, of which another one begins again. */
  #read = 0;
  #unreadBytes = 0;
  #bytes = 0;
  #isHalted = false;

  constructor(head: ResponseHead, connection: Connection) {
    this.head = head;
    this.#connection = connection;
  }

  take(chunk: Buffer): void {
    if (this.#aside) {
      this.#aside.take(chunk);
      return;
    }
    this.chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    this.#unreadBytes += chunk.byteLength;
    this.#serve();
    // Most bodies are short, and arrive with their headers: pausing for each would cost a turn.
    if (this.#unreadBytes <= MOST_READ_AHEAD_BYTES || this.#isHalted) return;
    // Never pause after the last byte: undici would miss the end, and a connection closed during the pause would break the body, and in
    // 7.30 end the process. Source: https://github.com/nodejs/undici/issues/5360.
    if (this.#bytes === Number(this.head.headers['content-length'])) return;
    this.#isHalted = true;
    this.#connection?.pause();
  }

  /** Nothing more of it will come: all of it has arrived, or it has ended early with the error. */
  end(error: unknown, trailers: ResponseHeaders = NO_TRAILERS, rawTrailers: RawHeaders = null): void {
    if (this.isOver) return;
    this.isOver = true;
    this.error = error;
    this.trailers = trailers;
    this.rawTrailers = rawTrailers;
    this.#aside?.end(error === undefined, error);
    this.#serve();
  }

  read(): Promise<Buffer | undefined> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#serve();
      if (this.#reader) this.letGo();
    });
  }

  stop(): void {
    this.#reader?.resolve(undefined);
    this.#reader = undefined;
    this.#read = 0;
    this.#unreadBytes = this.#bytes;
  }

  /** Settles the read that waits, if it can. */
  #serve(): void {
    const reader = this.#reader;
    const chunk = this.chunks[this.#read];
    if (!reader || (chunk === undefined && !this.isOver)) return;
    this.#reader = undefined;
    this.#read += 1;
    this.#unreadBytes -= chunk?.byteLength ?? 0;
    if (chunk === undefined && this.error !== undefined) reader.reject(this.error);
    else reader.resolve(chunk);
  }

  /** Has the connection go on, if it was paused. It may deliver at once. */
  letGo(): void {
    if (!this.#isHalted || this.isOver) return;
    this.#isHalted = false;
    this.#connection?.resume();
  }

  /**
   * A retry follows: reads it to its end, within bounds, and keeps it.
   *
   * @param attempt closes the connection
   */
  setAside(call: Call, attempt: { giveUp(): void }): SetAside<Buffer> {
    const { policy, request } = call;
    const contentLength = request.method === 'HEAD' ? 0 : Number(this.head.headers['content-length']);
    const bounds = { clock: policy.clock, longestMs: discardMsOf(call), contentLength };
    const aside = new SetAside<Buffer>(bounds, attempt);
    for (const chunk of this.chunks) aside.take(chunk);
    // A connection that is not wanted is closed at once. Most responses end in the turn of their headers, and need no timer.
    if (contentLength > MOST_READ_AHEAD_BYTES) aside.limit();
    else SOON.then(() => aside.limit());
    this.#aside = aside;
    if (this.isOver) aside.end(this.error === undefined, this.error);
    if (!aside.isOver) this.letGo();
    return aside;
  }

  /** The retry is not sent: what was set aside is all that there is. */
  restore(): void {
    const aside = this.#aside as SetAside<Buffer>;
    this.chunks = aside.parts;
    // Those who keep the result may keep this.
    aside.parts = [];
    this.error = reasonOfLoss(aside);
    this.isOver = true;
  }
}
