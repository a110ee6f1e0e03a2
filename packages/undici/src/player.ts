import { inNextTurn } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { requestAbortedError } from './errors.ts';
import type { RawHeaders } from './headers.ts';

/** Plays a response that has arrived before, in place of a connection: it stops while the handler is paused. */
export abstract class Player implements Dispatcher.DispatchController {
  abstract readonly rawHeaders: RawHeaders;
  abstract readonly rawTrailers: RawHeaders;
  aborted = false;
  paused = false;
  reason: Error | null = null;
  #isPlaying = false;
  #hasBegun = false;
  #isFirstTurn = false;
  #errorWaits = false;

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    if (!this.#isPlaying) this.play();
  }

  abort(reason?: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason ?? requestAbortedError();
    this.ended(this.reason);
  }

  /** Goes on after something has arrived, unless the handler is paused or has not had the headers. */
  protected playMore(): void {
    if (this.#hasBegun && !this.#isPlaying && !this.paused && !this.aborted) this.play();
  }

  /** @param first what comes before the body */
  protected play(first?: () => void): void {
    this.#isPlaying = true;
    try {
      first?.();
      while (!this.paused && this.next());
    } catch (error) {
      this.ended(error);
    } finally {
      this.#isPlaying = false;
    }
  }

  /**
   * Plays the headers, and then the body.
   *
   * @param mayFail true if the body ends with an error, or is not complete. A `fetch` makes its body in the promises that follow
   *   the headers: an error in the same turn of the event loop has no body to fail, and a read of that body would wait for ever
   */
  protected begin(respond: () => void, mayFail: boolean): void {
    if (mayFail) {
      this.#isFirstTurn = true;
      inNextTurn(() => {
        this.#isFirstTurn = false;
        if (this.#errorWaits) this.playMore();
      });
    }
    this.#hasBegun = true;
    this.play(respond);
  }

  /** True if an error must not be played yet. Unless the handler pauses, playing goes on by itself in the next turn. */
  protected delaysError(): boolean {
    this.#errorWaits = true;
    return this.#isFirstTurn;
  }

  /** Plays the next chunk, or the end; false if nothing follows for now. */
  protected abstract next(): boolean;

  /** The handler has aborted, or thrown. */
  protected abstract ended(error: unknown): void;
}
