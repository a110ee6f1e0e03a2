import type { Dispatcher } from 'undici';
import type { Raw } from './aside.ts';

/** What a dispatcher gives its handler to steer one attempt; a mocked answer may come without. */
export type Connection = Dispatcher.DispatchController | null | undefined;

/**
 * The one controller that a handler has for its whole request, whichever attempt is under way. Without it a
 * handler that paused one connection would resume that one when the data comes on another.
 */
export class Controller implements Dispatcher.DispatchController {
  rawHeaders: Raw = null;
  rawTrailers: Raw = null;
  readonly #onAbort: (reason: Error | undefined) => void;
  #connection: Connection;
  #paused = false;
  #aborted = false;
  #reason: Error | null = null;

  /** @param onAbort is given the reason as the handler gave it; undici has its own for none */
  constructor(onAbort: (reason: Error | undefined) => void) {
    this.#onAbort = onAbort;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): Error | null {
    return this.#reason;
  }

  get paused(): boolean {
    return this.#paused;
  }

  pause(): void {
    this.#paused = true;
    this.#connection?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#connection?.resume();
  }

  abort(reason?: Error): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason as Error;
    this.#onAbort(reason);
  }

  /** The handler's data comes on this connection from now on. It waits if the handler wishes so. */
  attach(connection: Connection): void {
    this.#connection = connection;
    if (this.#paused) connection?.pause();
  }
}
