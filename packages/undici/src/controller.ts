import type { Dispatcher } from 'undici';
import type { RawHeaders } from './headers.ts';

/** The controller of one attempt. It takes any value that was thrown as the reason. */
type AttemptController = Omit<Dispatcher.DispatchController, 'abort'> & { abort(reason: unknown): void };

/** Made by the dispatcher; a mock may have none. */
export type Connection = AttemptController | null | undefined;

/** What brings the data of a response. */
export type Pausable = Pick<Dispatcher.DispatchController, 'pause' | 'resume'>;

/** Is told when the handler aborts. */
export interface AbortListener {
  /** @param reason as the handler gave it: undici has an error of its own for none */
  aborted(reason: unknown): void;
}

/**
 * The controller that the handler has for the whole request. With a controller per attempt, a handler could pause one
 * connection and resume that one later, while its data comes on another.
 */
export class Controller implements Dispatcher.DispatchController {
  rawHeaders: RawHeaders = null;
  rawTrailers: RawHeaders = null;
  readonly #listener: AbortListener;
  #connection: Pausable | null | undefined;
  #paused = false;
  #aborted = false;
  #reason: Error | null = null;

  constructor(listener: AbortListener) {
    this.#listener = listener;
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

  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason as Error;
    this.#listener.aborted(reason);
  }

  /** From now on data comes on this connection, which is paused if the handler is. */
  attach(connection: Pausable | null | undefined): void {
    this.#connection = connection;
    if (this.#paused) connection?.pause();
  }
}
