import type { Dispatcher } from 'undici';
import { requestAbortedError } from './errors.ts';

/** What a dispatcher gives its handler to steer one attempt; a mocked answer may come without. */
export type Connection = Dispatcher.DispatchController | null | undefined;

type Raw = NonNullable<Dispatcher.DispatchController['rawHeaders']> | null;

/**
 * The one controller that a handler has for its whole request, whichever attempt is under way. Without it a
 * handler that paused one connection would resume that one when the data comes on another.
 */
export class Controller implements Dispatcher.DispatchController {
  rawHeaders: Raw = null;
  rawTrailers: Raw = null;
  readonly #onAbort: (reason: Error) => void;
  #connection: Connection;
  #paused = false;
  #aborted = false;
  #reason: Error | null = null;

  constructor(onAbort: (reason: Error) => void) {
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
    this.#reason = reason || requestAbortedError();
    this.#onAbort(this.#reason);
  }

  /** The handler's data comes on this connection from now on. It waits if the handler wishes so. */
  attach(connection: Connection): void {
    this.#connection = connection;
    if (this.#paused) connection?.pause();
  }
}
