import { AsyncResource, executionAsyncId } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Connection, DataSource, Handler } from './handler.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import type { AttemptInfo } from './outcome.ts';

/** An attempt, as its request knows it. */
export interface Send extends AttemptInfo, Pick<Handler, 'onBodySent' | 'onRequestSent'> {
  readonly connection: Connection;
  /** The last that it was started with. */
  readonly context: object | null | undefined;
  abort(reason?: unknown): void;
  drop(reason: unknown): void;
}

/**
 * The controller that the handler has for the whole request. With a controller per attempt, a handler could pause one
 * connection and resume that one later, while its data comes on another.
 */
class Controller implements Dispatcher.DispatchController {
  rawHeaders: RawHeaders = null;
  rawTrailers: RawHeaders = null;
  paused = false;
  aborted = false;
  reason: Error | null = null;
  readonly #request: Downstream;
  #connection: DataSource | null | undefined;

  constructor(request: Downstream) {
    this.#request = request;
  }

  pause(): void {
    this.paused = true;
    this.#connection?.pause();
  }

  resume(): void {
    this.paused = false;
    this.#connection?.resume();
  }

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason as Error;
    this.#request.aborted(reason);
  }

  /** From now on data comes on this connection, which is paused if the handler is. */
  attach(connection: DataSource | null | undefined): void {
    this.#connection = connection;
    if (this.paused) connection?.pause();
  }
}

/** The caller's handler, which sees all attempts as one request, and the async context in which it was dispatched. */
export abstract class Downstream extends AsyncResource {
  readonly options: Dispatcher.DispatchOptions;
  readonly controller: Controller = new Controller(this);
  /** The attempt whose result the handler gets. */
  attempt: Send | undefined;
  /** True once the handler has had the end of the request. */
  over = false;
  readonly #handler: Handler;
  /** The `context` that the handler gets. */
  #context: object | undefined;

  constructor(options: Dispatcher.DispatchOptions, handler: Handler) {
    // The default, which takes Node twice as long if it is not given.
    super('EbbRequest', executionAsyncId());
    this.options = options;
    this.#handler = handler;
  }

  /** The `context` that the handler has, which has the history. */
  get made(): object {
    return this.#context ?? {};
  }

  /** The handler has aborted. @param reason as it gave it: undici has an error of its own for none */
  aborted(reason: unknown): void {
    if (!this.over) this.attempt?.abort(reason);
  }

  /** The headers of the response. The attempt must have it delivered, held, set aside or dropped. */
  abstract responded(attempt: Send, head: ResponseHead): void;

  /** The attempt failed before the headers of the response. */
  failed(_: Send, error: unknown): void {
    this.passError(error);
  }

  /** The body of the response that is delivered broke. */
  broke(error: unknown): void {
    this.passError(error);
  }

  /** Notes the history for what the caller gets. */
  protected note(_result: unknown): void {}

  /** The attempt is the next to be sent. */
  protected begins(attempt: Send): void {
    this.attempt = attempt;
    const { onBodySent, onRequestSent } = this.#handler;
    // Bound, and for no other handler: for one that listens to the upload, a MockAgent reads the body.
    if (onBodySent) attempt.onBodySent = onBodySent.bind(this.#handler);
    if (onRequestSent) attempt.onRequestSent = onRequestSent.bind(this.#handler);
  }

  /** Gives the handler its controller before anything is sent, so that it can abort the wait. */
  protected begin(): void {
    try {
      this.open();
    } catch (error) {
      this.controller.abort(error);
    }
  }

  /** An attempt has a connection. Starts the handler; later attempts add to the same context. */
  sent({ context, starts }: Send): void {
    this.open(context, starts > 1);
  }

  /** @param isAgain true if the same attempt has started before: undici starts a request for each hop, and again after a pipeline broke */
  protected open(context?: object | null, isAgain = false): void {
    if (this.#context !== undefined) {
      if (context) Object.assign(this.#context, context);
      if (!isAgain) return;
    } else {
      // Not `{ ...context }` alone: a copy of nothing has no room for the history, which then takes twice as long.
      this.#context = context ? { ...context } : {};
    }
    this.#handler.onRequestStart(this.controller, this.#context);
  }

  /**
   * Notes the history for what the handler has, without a visible property. Called after the decision, not at the start: a
   * history that is asked for before it has an entry takes more memory.
   */
  noteAll(): void {
    this.note(this.#context);
    // undici's redirect interceptor copies the context, but every copy shares this list.
    const { history } = this.#handler;
    if (Array.isArray(history)) this.note(history);
  }

  /** An informational response (1xx). */
  informed(head: ResponseHead): void {
    this.#startResponse(head);
  }

  /** Begins the response that the handler gets. */
  head(connection: DataSource | null | undefined, head: ResponseHead): void {
    this.controller.attach(connection);
    this.noteAll();
    this.#startResponse(head);
  }

  #startResponse({ status, headers, message, rawHeaders }: ResponseHead): void {
    const { controller } = this;
    controller.rawHeaders = rawHeaders;
    this.#handler.onResponseStarted?.();
    this.#handler.onResponseStart?.(controller, status, headers, message);
  }

  data(chunk: Uint8Array): void {
    this.#handler.onResponseData?.(this.controller, chunk);
  }

  ended(trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    this.controller.rawTrailers = rawTrailers;
    this.over = true;
    try {
      this.#handler.onResponseEnd?.(this.controller, trailers);
    } catch (error) {
      // undici reports this to the handler as an error.
      this.over = false;
      throw error;
    }
  }

  upgraded(_: Send, { status, headers, rawHeaders }: ResponseHead, socket: Duplex): void {
    this.controller.rawHeaders = rawHeaders;
    this.noteAll();
    // Thrown to undici, which then closes the socket and reports it.
    if (!this.#handler.onRequestUpgrade) throw new TypeError('the handler has no onRequestUpgrade');
    this.#handler.onRequestUpgrade(this.controller, status, headers, socket);
    // Not earlier: the handler may abort in the callback.
    this.over = true;
  }

  /**
   * Ends with an error. A handler that was never started gets the controller of the attempt, as from undici.
   *
   * @throws what the handler throws: as without ebb, the caller that reports the error gets it
   */
  passError(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.noteAll();
    const controller = this.#context === undefined ? (this.attempt?.connection ?? null) : this.controller;
    this.#handler.onResponseError(controller, error);
  }
}
