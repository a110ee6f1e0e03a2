import type { Duplex } from 'node:stream';
import { ATTEMPTS, type Attempt as AttemptRecord } from '@ebb/core';
import type { Dispatcher } from 'undici';
import type { Connection, Controller } from './controller.ts';
import type { ResponseHeaders } from './headers.ts';

type Handler = Dispatcher.DispatchHandler;
type Headers = Parameters<NonNullable<Handler['onResponseStart']>>[2];

/** The handler that the caller gave, to whom all attempts are one request. */
export class Downstream {
  readonly controller: Controller;
  /** Whether it threw at what it was told of a response. */
  threw = false;
  readonly #handler: Handler;
  /** What a caller gets as `context`, with the history in it. */
  readonly #context: { readonly [ATTEMPTS]: readonly AttemptRecord[] };
  #started = false;
  #informedBy: Map<number, number> | undefined;
  #uploadedBytes = 0;
  #uploaded = false;
  #over = false;

  constructor(handler: Handler, controller: Controller, history: readonly AttemptRecord[]) {
    this.#handler = handler;
    this.controller = controller;
    this.#context = { [ATTEMPTS]: history };
  }

  /** Whether the handler wants to hear of the upload. */
  get watchesUpload(): boolean {
    return this.#handler.onBodySent !== undefined || this.#handler.onRequestSent !== undefined;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Tells the handler of its controller, once. What attempts have to say goes into the same context. */
  start(context: object | null | undefined): void {
    if (context) Object.assign(this.#context, context);
    if (this.#started) return;
    this.#started = true;
    this.#handler.onRequestStart?.(this.controller, this.#context);
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
      this.threw = true;
      throw error;
    }
  }

  data(chunk: Buffer): void {
    try {
      this.#handler.onResponseData?.(this.controller, chunk);
    } catch (error) {
      this.threw = true;
      throw error;
    }
  }

  end(connection: Connection, trailers: ResponseHeaders): void {
    this.#over = true;
    this.controller.rawTrailers = connection?.rawTrailers ?? null;
    try {
      this.#handler.onResponseEnd?.(this.controller, trailers as Headers);
    } catch (error) {
      this.#handler.onResponseError?.(this.controller, error as Error);
    }
  }

  upgrade(connection: Connection, status: number, headers: ResponseHeaders, socket: Duplex): unknown {
    this.controller.rawHeaders = connection?.rawHeaders ?? null;
    const result: unknown = this.#handler.onRequestUpgrade?.(
      this.controller,
      status,
      headers as Headers,
      socket,
    );
    // Not before, since the handler may abort what it was given.
    this.#over = true;
    return result;
  }

  fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onResponseError?.(this.controller, error as Error);
  }

  /** Tells of the part of a chunk that goes beyond what an earlier attempt had sent. */
  bodySent(startsAt: number, chunk: Buffer | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const known = Math.max(0, this.#uploadedBytes - startsAt);
    if (known >= bytes.byteLength) return;
    this.#uploadedBytes = startsAt + bytes.byteLength;
    this.#handler.onBodySent?.(known === 0 ? (chunk as Buffer) : bytes.subarray(known));
  }

  requestSent(): void {
    if (this.#uploaded) return;
    this.#uploaded = true;
    this.#handler.onRequestSent?.();
  }
}
