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

  /** Plays the next chunk, or the end; false if nothing follows for now. */
  protected abstract next(): boolean;

  /** The handler has aborted, or thrown. */
  protected abstract ended(error: unknown): void;
}
