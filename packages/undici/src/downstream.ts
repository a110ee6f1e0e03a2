import { AsyncResource, executionAsyncId } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { type AbortListener, type Connection, Controller, type Pausable } from './controller.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';

type Handler = Dispatcher.DispatchHandler;
type Headers = Parameters<NonNullable<Handler['onResponseStart']>>[2];

/** The caller's handler, which sees all attempts as one request, and the async context in which it was dispatched. */
export abstract class Downstream extends AsyncResource implements AbortListener {
  readonly #handler: Handler;
  readonly controller: Controller = new Controller(this);
  /** True once the handler threw in a callback, which ends the request. */
  threw = false;
  /** True once the handler has had the end of the request. */
  over = false;
  /** The `context` that the handler gets. */
  #context: object | undefined;
  /** By status of an informational response, the attempt whose response was passed on. */
  declare private informedBy?: Map<number, object>;
  #uploadedBytes = 0;
  #uploaded = false;
  /** The controller of the `onResponseError` call in which the handler threw. */
  declare private failedWith?: Connection;

  constructor(handler: Handler) {
    // The default, which takes Node twice as long if it is not given.
    super('EbbRequest', executionAsyncId());
    this.#handler = handler;
  }

  get handler(): Handler {
    return this.#handler;
  }

  /** The `context` that the handler has, which has the history. */
  get made(): object {
    return this.#context ?? {};
  }

  abstract aborted(reason: unknown): void;

  /** Notes the history for what the caller gets. */
  protected abstract note(result: unknown): void;

  /**
   * Starts the handler. Later attempts add to the same context.
   *
   * @param isAgain true if the same attempt has started before: undici starts a request for each hop, and again after a
   *   pipeline broke
   */
  protected open(context?: object | null, isAgain = false): void {
    if (this.#context !== undefined) {
      if (context) Object.assign(this.#context, context);
      if (!isAgain) return;
    } else {
      // Not `{ ...context }` alone: a copy of nothing has no room for the history, which then takes twice as long.
      this.#context = context ? { ...context } : {};
    }
    try {
      this.#handler.onRequestStart?.(this.controller, this.#context);
    } catch (error) {
      throw this.#threw(error);
    }
  }

  /** Gives the handler its controller before anything is sent, so that it can abort the wait. */
  protected begin(): void {
    try {
      this.open();
    } catch (error) {
      this.controller.abort(error);
    }
  }

  /**
   * Notes the history for what the handler has, without a visible property. Called after the decision, not at the start: a
   * history that is asked for before it has an entry takes more memory.
   */
  noteAll(): void {
    this.note(this.#context);
    // undici's redirect interceptor copies the context, but every copy shares this list.
    const { history } = this.#handler as { readonly history?: unknown };
    if (Array.isArray(history)) this.note(history);
  }

  /** Records that the handler threw. */
  #threw(error: unknown): unknown {
    this.threw = true;
    return error;
  }

  /** Calls the handler. Not for every request: a look-up by a variable name is slow. */
  #call(name: keyof Handler, ...parameters: readonly unknown[]): unknown {
    try {
      return (this.#handler[name] as ((...all: readonly unknown[]) => unknown) | undefined)?.call(
        this.#handler,
        ...parameters,
      );
    } catch (error) {
      throw this.#threw(error);
    }
  }

  /** Passes an informational response on, unless an earlier attempt had one of the same status. */
  protected inform(attempt: object, head: ResponseHead): void {
    this.informedBy ??= new Map();
    if ((this.informedBy.get(head.status) ?? attempt) !== attempt) return;
    this.informedBy.set(head.status, attempt);
    this.#startResponse(head);
  }

  /** Begins the response that the handler gets. */
  protected pass(connection: Pausable | null | undefined, head: ResponseHead): void {
    this.controller.attach(connection);
    this.noteAll();
    this.#startResponse(head);
  }

  #startResponse({ status, headers, message, rawHeaders }: ResponseHead): void {
    const { controller } = this;
    controller.rawHeaders = rawHeaders;
    try {
      this.#handler.onResponseStarted?.();
      this.#handler.onResponseStart?.(controller, status, headers as Headers, message);
    } catch (error) {
      throw this.#threw(error);
    }
  }

  passData(chunk: Uint8Array): void {
    try {
      this.#handler.onResponseData?.(this.controller, chunk as Buffer);
    } catch (error) {
      throw this.#threw(error);
    }
  }

  passEnd(trailers: ResponseHeaders, rawTrailers: RawHeaders = null): void {
    this.controller.rawTrailers = rawTrailers;
    this.over = true;
    try {
      this.#handler.onResponseEnd?.(this.controller, trailers as Headers);
    } catch (error) {
      // undici reports this to the handler as an error.
      this.over = false;
      throw this.#threw(error);
    }
  }

  protected passUpgrade({ status, headers, rawHeaders }: ResponseHead, socket: Duplex): unknown {
    this.controller.rawHeaders = rawHeaders;
    this.noteAll();
    const result = this.#call('onRequestUpgrade', this.controller, status, headers, socket);
    // Not earlier: the handler may abort in the callback.
    this.over = true;
    return result;
  }

  /**
   * Ends with an error.
   *
   * @param connection passed as the controller if the handler was never started, as undici does
   * @throws what the handler throws: as without ebb, the caller that reports the error gets it
   */
  passError(error: unknown, connection?: Connection): void {
    this.over = true;
    this.noteAll();
    const controller = this.#context === undefined ? (connection ?? null) : this.controller;
    try {
      this.#handler.onResponseError?.(controller as Controller, error as Error);
    } catch (thrown) {
      this.failedWith = controller;
      throw thrown;
    }
  }

  /** A dispatcher that wraps another reports what the handler threw in `onResponseError`. */
  failedAgain(error: unknown): void {
    if (this.failedWith !== undefined)
      this.#handler.onResponseError?.(this.failedWith as Controller, error as Error);
  }

  /** Passes on the part of a chunk that no earlier attempt has sent. */
  bodySent(startsAt: number, chunk: Buffer | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const reported = Math.max(0, this.#uploadedBytes - startsAt);
    if (reported >= bytes.byteLength) return;
    this.#uploadedBytes = startsAt + bytes.byteLength;
    this.#call('onBodySent', reported === 0 ? chunk : bytes.subarray(reported));
  }

  requestSent(isAgain: boolean): void {
    if (this.#uploaded && !isAgain) return;
    this.#uploaded = true;
    this.#call('onRequestSent');
  }
}
