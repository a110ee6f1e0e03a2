import type { Duplex } from 'node:stream';
import { remember, type Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Connection, Controller } from './controller.ts';
import type { ResponseHeaders } from './headers.ts';
import type { Trail, Trails } from './trail.ts';

type Handler = Dispatcher.DispatchHandler;
type Headers = Parameters<NonNullable<Handler['onResponseStart']>>[2];

/** The trail of a call, and where it is looked for. */
export interface Path {
  readonly trail: Trail;
  readonly trails: Trails;
}

/** The caller's handler, which sees all attempts as one request. */
export class Downstream {
  readonly controller: Controller;
  /** True once the handler threw in a callback, which ends the request. */
  threw = false;
  readonly #handler: Handler;
  readonly #session: Session;
  readonly #path: Path | undefined;
  /** The `context` that the handler gets. */
  #context: object | undefined;
  /** By status of an informational response, the attempt whose response was passed on. */
  #informedBy: Map<number, object> | undefined;
  #uploadedBytes = 0;
  #uploaded = false;
  #over = false;
  /** The controller of the `onResponseError` call in which the handler threw. */
  #failedWith: Connection;

  /** @param path where hops that follow a redirect find this call; `undefined` if no one needs to know */
  constructor(handler: Handler, controller: Controller, session: Session, path?: Path) {
    this.#path = path;
    this.#handler = handler;
    this.controller = controller;
    this.#session = session;
  }

  get handler(): Handler {
    return this.#handler;
  }

  /** True if the handler listens to the upload. */
  get watchesUpload(): boolean {
    const { onBodySent, onRequestSent } = this.#handler;
    return typeof onBodySent === 'function' || typeof onRequestSent === 'function';
  }

  get over(): boolean {
    return this.#over;
  }

  /**
   * Starts the handler. Later attempts add to the same context.
   *
   * @param isAgain true if the same attempt has started before: undici starts a request for each hop, and again after a
   *   pipeline broke
   */
  start(context?: object | null, isAgain = false): void {
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
  begin(): void {
    try {
      this.start();
    } catch (error) {
      this.controller.abort(error as Error);
    }
  }

  /**
   * Notes the history for what the handler has, without a visible property. Called after the decision, not at the start: a
   * history that is asked for before it has an entry takes more memory.
   */
  #remember(): void {
    const { trace } = this.#session;
    remember(this.#context, trace);
    // undici's redirect interceptor copies the context, but every copy shares this list.
    const { history: hops } = this.#handler as { readonly history?: unknown };
    if (Array.isArray(hops)) remember(hops, trace);
  }

  /** Records that the handler threw. */
  #threw(error: unknown): unknown {
    this.threw = true;
    return error;
  }

  /** Passes an informational response on, unless an earlier attempt had one of the same status. */
  inform(
    attempt: { readonly connection: Connection },
    status: number,
    headers: ResponseHeaders,
    message?: string,
  ): void {
    this.#informedBy ??= new Map();
    if ((this.#informedBy.get(status) ?? attempt) !== attempt) return;
    this.#informedBy.set(status, attempt);
    this.#startResponse(attempt.connection, status, headers, message);
  }

  /** Begins the response that the handler gets. */
  respond(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void {
    this.controller.attach(connection);
    this.#remember();
    if (this.#path !== undefined) this.#noteOnTrail(this.#path, status, headers);
    this.#startResponse(connection, status, headers, message);
  }

  #noteOnTrail({ trail }: Path, status: number, headers: ResponseHeaders): void {
    trail.note(this.#session.request, status, headers);
    trail.key = this.#session.idempotencyKey;
  }

  #startResponse(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void {
    this.controller.rawHeaders = connection?.rawHeaders ?? null;
    try {
      this.#handler.onResponseStarted?.();
      this.#handler.onResponseStart?.(this.controller, status, headers as Headers, message);
    } catch (error) {
      throw this.#threw(error);
    }
  }

  data(chunk: Buffer): void {
    try {
      this.#handler.onResponseData?.(this.controller, chunk);
    } catch (error) {
      throw this.#threw(error);
    }
  }

  end(connection: Connection, trailers: ResponseHeaders): void {
    this.controller.rawTrailers = connection?.rawTrailers ?? null;
    this.#over = true;
    try {
      if (this.#path === undefined) this.#handler.onResponseEnd?.(this.controller, trailers as Headers);
      else this.#endOnTrail(this.#path, trailers);
    } catch (error) {
      // undici reports this to the handler as an error.
      this.#over = false;
      throw this.#threw(error);
    }
  }

  /** A method of its own: its closure is allocated as soon as it is called. */
  #endOnTrail({ trail, trails }: Path, trailers: ResponseHeaders): void {
    trails.within(trail, () => this.#handler.onResponseEnd?.(this.controller, trailers as Headers));
  }

  upgrade(connection: Connection, status: number, headers: ResponseHeaders, socket: Duplex): unknown {
    this.controller.rawHeaders = connection?.rawHeaders ?? null;
    this.#remember();
    try {
      const result: unknown = this.#handler.onRequestUpgrade?.(
        this.controller,
        status,
        headers as Headers,
        socket,
      );
      // Not earlier: the handler may abort in the callback.
      this.#over = true;
      return result;
    } catch (error) {
      throw this.#threw(error);
    }
  }

  /**
   * Ends with an error.
   *
   * @param connection passed as the controller if the handler was never started, as undici does
   * @throws what the handler throws: as without ebb, the caller that reports the error gets it
   */
  fail(error: unknown, connection?: Connection): void {
    if (this.#over) return;
    this.#over = true;
    this.#remember();
    const controller = this.#context === undefined ? (connection ?? null) : this.controller;
    try {
      this.#handler.onResponseError?.(controller as Controller, error as Error);
    } catch (thrown) {
      this.#failedWith = controller;
      throw thrown;
    }
  }

  /** For a response that was set aside: undici also reports what a handler throws as an error. */
  abort(error: unknown): void {
    this.fail(error);
  }

  /** A dispatcher that wraps another reports what the handler threw in `onResponseError`. */
  failAgain(error: Error): void {
    const controller = this.#failedWith;
    if (controller !== undefined) this.#handler.onResponseError?.(controller as Controller, error);
  }

  /** Ends without a callback: the dispatcher threw, and the caller of `dispatch` gets the error. */
  endSilently(): void {
    this.#over = true;
    this.#remember();
  }

  /** Passes on the part of a chunk that no earlier attempt has sent. */
  bodySent(startsAt: number, chunk: Buffer | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const reported = Math.max(0, this.#uploadedBytes - startsAt);
    if (reported >= bytes.byteLength) return;
    this.#uploadedBytes = startsAt + bytes.byteLength;
    try {
      this.#handler.onBodySent?.(reported === 0 ? (chunk as Buffer) : bytes.subarray(reported));
    } catch (error) {
      throw this.#threw(error);
    }
  }

  requestSent(isAgain: boolean): void {
    if (this.#uploaded && !isAgain) return;
    this.#uploaded = true;
    try {
      this.#handler.onRequestSent?.();
    } catch (error) {
      throw this.#threw(error);
    }
  }
}
