import type { Duplex } from 'node:stream';
import type { Attempt as AttemptRecord } from '@ebb/core';
import { remember } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Connection, Controller } from './controller.ts';
import type { ResponseHeaders } from './headers.ts';

type Handler = Dispatcher.DispatchHandler;
type Headers = Parameters<NonNullable<Handler['onResponseStart']>>[2];

/** The handler that the caller gave, to whom all attempts are one request. */
export class Downstream {
  readonly controller: Controller;
  /** Whether it threw at what it was told: that ends the request. */
  threw = false;
  readonly #handler: Handler;
  readonly #history: readonly AttemptRecord[];
  /** What a caller gets as `context`, with the history in it, out of sight. */
  #context: object | undefined;
  #informedBy: Map<number, number> | undefined;
  #uploadedBytes = 0;
  #uploaded = false;
  #over = false;
  /** The controller that the handler threw with when it was told of an error. */
  #failsWith: Connection;

  constructor(handler: Handler, controller: Controller, history: readonly AttemptRecord[]) {
    this.#handler = handler;
    this.controller = controller;
    this.#history = history;
  }

  /** Whether the handler wants to hear of the upload. */
  get watchesUpload(): boolean {
    return (
      typeof this.#handler.onBodySent === 'function' || typeof this.#handler.onRequestSent === 'function'
    );
  }

  get over(): boolean {
    return this.#over;
  }

  /**
   * Tells the handler of its controller. What attempts have to say goes into the same context.
   *
   * @param isAgain whether the same attempt has started before: undici says so of each hop, and of what it sends
   *   anew after a pipeline broke
   */
  start(context?: object | null, isAgain = false): void {
    if (this.#context !== undefined) {
      Object.assign(this.#context, context);
      if (!isAgain) return;
    } else {
      this.#context = { ...context };
      remember(this.#context, this.#history);
    }
    // undici's redirect interceptor above copies the context, but this list is the same in every copy.
    const { history } = this.#handler as { readonly history?: unknown };
    if (Array.isArray(history)) remember(history, this.#history);
    try {
      this.#handler.onRequestStart?.(this.controller, this.#context);
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  /** Notes that the handler threw, and returns what. */
  #thrown(error: unknown): unknown {
    this.threw = true;
    return error;
  }

  /** An informational response that an earlier attempt had, too, is not told again. */
  inform(
    attempt: number,
    connection: Connection,
    status: number,
    headers: ResponseHeaders,
    message?: string,
  ): void {
    this.#informedBy ??= new Map();
    if ((this.#informedBy.get(status) ?? attempt) !== attempt) return;
    this.#informedBy.set(status, attempt);
    this.#begin(connection, status, headers, message);
  }

  /** The response that the caller gets. */
  respond(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void {
    this.controller.attach(connection);
    this.#begin(connection, status, headers, message);
  }

  #begin(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void {
    this.controller.rawHeaders = connection?.rawHeaders ?? null;
    try {
      this.#handler.onResponseStarted?.();
      this.#handler.onResponseStart?.(this.controller, status, headers as Headers, message);
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  data(chunk: Buffer): void {
    try {
      this.#handler.onResponseData?.(this.controller, chunk);
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  end(connection: Connection, trailers: ResponseHeaders): void {
    this.controller.rawTrailers = connection?.rawTrailers ?? null;
    this.#over = true;
    try {
      this.#handler.onResponseEnd?.(this.controller, trailers as Headers);
    } catch (error) {
      // It is to hear of that as an error, as without ebb.
      this.#over = false;
      throw this.#thrown(error);
    }
  }

  upgrade(connection: Connection, status: number, headers: ResponseHeaders, socket: Duplex): unknown {
    this.controller.rawHeaders = connection?.rawHeaders ?? null;
    try {
      const result: unknown = this.#handler.onRequestUpgrade?.(
        this.controller,
        status,
        headers as Headers,
        socket,
      );
      // Not before, since the handler may abort what it was given.
      this.#over = true;
      return result;
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  /**
   * What the handler throws at this goes up to the caller that reported the error, as without ebb.
   *
   * @param connection stands for a controller that the handler was never given, as with undici
   */
  fail(error: unknown, connection?: Connection): void {
    if (this.#over) return;
    this.#over = true;
    const controller = this.#context === undefined ? (connection ?? null) : this.controller;
    try {
      this.#handler.onResponseError?.(controller as Controller, error as Error);
    } catch (thrown) {
      this.#failsWith = controller;
      throw thrown;
    }
  }

  /** A dispatcher that passes a request on to another tells the handler what it threw at the error of that one. */
  failAgain(error: Error): void {
    const controller = this.#failsWith;
    if (controller !== undefined) this.#handler.onResponseError?.(controller as Controller, error);
  }

  /** The request is over, and the handler is told nothing: the dispatcher threw, which its caller hears. */
  leave(): void {
    this.#over = true;
  }

  /** Tells of the part of a chunk that goes beyond what an earlier attempt had sent. */
  bodySent(startsAt: number, chunk: Buffer | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const known = Math.max(0, this.#uploadedBytes - startsAt);
    if (known >= bytes.byteLength) return;
    this.#uploadedBytes = startsAt + bytes.byteLength;
    try {
      this.#handler.onBodySent?.(known === 0 ? (chunk as Buffer) : bytes.subarray(known));
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  requestSent(isAgain: boolean): void {
    if (this.#uploaded && !isAgain) return;
    this.#uploaded = true;
    try {
      this.#handler.onRequestSent?.();
    } catch (error) {
      throw this.#thrown(error);
    }
  }
}
