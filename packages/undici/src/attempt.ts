import type { Duplex } from 'node:stream';
import type { Clock } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { Aside, type AsideBounds } from './aside.ts';
import type { Connection } from './controller.ts';
import { headersTimeoutError, requestAbortedError } from './errors.ts';
import type { ResponseHeaders } from './headers.ts';

/** What an attempt tells as it goes. */
export interface AttemptListener {
  started(attempt: Attempt, context: object | null | undefined): void;
  informed(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void;
  /** The response begins. The listener is to forward the attempt, set it aside or drop it. */
  answered(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void;
  upgraded(attempt: Attempt, status: number, headers: ResponseHeaders, socket: Duplex): unknown;
  data(attempt: Attempt, chunk: Buffer): void;
  ended(attempt: Attempt, trailers: ResponseHeaders): void;
  /** It failed before its response began. */
  failed(attempt: Attempt, error: Error): void;
  /** A dispatcher tells of what the listener threw at an error. */
  failedAgain(error: Error): void;
  /** It failed in the body of a response that is being forwarded. */
  broke(attempt: Attempt, error: Error): void;
}

/** Who wants to hear of the upload. */
export interface UploadListener {
  bodySent(startsAt: number, chunk: Buffer | string): void;
  /** @param isAgain whether the same attempt has said so before: of another hop, say */
  requestSent(isAgain: boolean): void;
}

/**
 * One send. It has its own handler, so that what comes late of an attempt that was given up cannot be taken
 * for the next one's.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  /** From 1. */
  readonly number: number;
  connection: Connection;
  readonly onBodySent?: (chunk: Buffer | string) => void;
  readonly onRequestSent?: () => void;
  /** How often it was started: more than once, if what lies below follows redirects. */
  starts = 0;
  /** What its redirect interceptor below, if there is one, says of the hops that were answered. */
  hops: readonly unknown[] | undefined;
  readonly #listener: AttemptListener;
  #state: 'sent' | 'forwarded' | 'aside' | 'over' = 'sent';
  #callOff: (() => void) | undefined;
  #aside: Aside | undefined;
  #droppedFor: Error | undefined;
  /** Methods that the caller's handler does not have, and that undici is not to find here either. */
  #lacking: readonly string[] | undefined;
  #evicted: (() => void) | undefined;

  /** @param upload given only if somebody listens: a MockAgent reads a body for a handler that does */
  constructor(listener: AttemptListener, number: number, upload?: UploadListener) {
    this.#listener = listener;
    this.number = number;
    if (upload !== undefined) {
      let sentBytes = 0;
      let sends = 0;
      this.onBodySent = (chunk) => {
        upload.bodySent(sentBytes, chunk);
        sentBytes += Buffer.byteLength(chunk);
      };
      this.onRequestSent = () => {
        sends += 1;
        upload.requestSent(sends > 1);
      };
    }
  }

  get over(): boolean {
    return this.#state === 'over';
  }

  /** Whether it was given up before undici took it out of its queue. */
  get isQueued(): boolean {
    return this.#droppedFor !== undefined && this.starts === 0;
  }

  /**
   * Shows undici the same gaps as the caller's handler has. undici 8 looks for them when it takes a request, and
   * has an error for each; undici 7 minds none. From the start on all methods are there.
   */
  lack(gaps: Readonly<Record<string, unknown>>): void {
    this.#lacking = Object.keys(gaps);
    Object.assign(this, gaps);
  }

  /** Ends in undici's own timeout unless a response begins before. */
  limit(clock: Clock, timeoutMs: number): void {
    this.#callOff = clock.schedule(() => this.abort(headersTimeoutError(timeoutMs)), timeoutMs);
  }

  /** It has a body of its own, to be let go of when it is over and came to nothing. */
  holds(letGo: () => void): void {
    if (this.over) letGo();
    else this.#evicted = letGo;
  }

  letGoOfBody(): void {
    const letGo = this.#evicted;
    this.#evicted = undefined;
    letGo?.();
  }

  onRequestStart(connection: Dispatcher.DispatchController, context: object | null | undefined): void {
    if (this.#lacking !== undefined) this.#completeMethods();
    this.starts += 1;
    const { history } = (context ?? {}) as { readonly history?: unknown };
    if (Array.isArray(history)) this.hops = history;
    // Given up while undici still kept it in a queue: nothing of it is to be sent.
    if (this.#droppedFor !== undefined) {
      connection.abort(this.#droppedFor);
    } else {
      this.connection = connection;
      this.#listener.started(this, context);
    }
  }

  #completeMethods(): void {
    for (const name of this.#lacking ?? []) delete (this as Record<string, unknown>)[name];
    this.#lacking = undefined;
  }

  onRequestUpgrade(
    connection: Connection,
    status: number,
    headers: ResponseHeaders,
    socket: Duplex,
  ): unknown {
    if (this.#state !== 'sent') return socket.destroy();
    this.connection = connection;
    this.#state = 'forwarded';
    this.#callOff?.();
    // When the handler throws, undici tells of that as an error, to which this has to listen.
    const result = this.#listener.upgraded(this, status, headers, socket);
    this.#finish();
    return result;
  }

  onResponseStart(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void {
    if (this.#state !== 'sent') return;
    this.connection = connection;
    if (status < 200) {
      this.#listener.informed(this, status, headers, message);
    } else {
      this.#callOff?.();
      this.#listener.answered(this, status, headers, message);
    }
  }

  onResponseData(_: Connection, chunk: Buffer): void {
    if (this.#state === 'forwarded') this.#listener.data(this, chunk);
    else if (this.#state === 'aside') this.#aside?.take(chunk);
  }

  onResponseEnd(_: Connection, trailers: ResponseHeaders): void {
    if (this.#state === 'forwarded') {
      // As with an upgrade: a handler that throws hears of it as an error.
      this.#listener.ended(this, trailers);
      this.#finish();
    } else {
      this.#finish();
      this.#aside?.end(this.connection?.rawTrailers ?? null, trailers);
    }
  }

  onResponseError(connection: Connection, error: Error): void {
    this.connection ??= connection;
    if (!this.over) this.#fail(error);
    else if (this.#droppedFor === undefined) this.#listener.failedAgain(error);
  }

  /** From here the listener gets the response's body. */
  forward(): void {
    this.#state = 'forwarded';
  }

  /** Reads the response to its end, within bounds, and keeps it. */
  setAside(
    status: number,
    headers: ResponseHeaders,
    message: string | undefined,
    bounds: AsideBounds,
  ): Aside {
    this.#state = 'aside';
    const rawHeaders = this.connection?.rawHeaders ?? null;
    this.#aside = new Aside({ status, headers, message, rawHeaders }, bounds, (reason) => this.abort(reason));
    this.#callOff = this.#aside.limit();
    return this.#aside;
  }

  /** Lets go of the connection; the listener hears nothing more. */
  drop(reason: Error): void {
    this.#finish();
    this.#droppedFor = reason;
    this.connection?.abort(reason);
  }

  /**
   * Fails with the reason, at once, wherever it stands; does nothing when it is over. undici tells of it before
   * it closes the connection, so that a handler can pass the reason on to what it uploads.
   */
  abort(reason?: Error): void {
    if (this.over) return;
    this.#droppedFor = reason ?? requestAbortedError();
    this.connection?.abort(reason as Error);
    // It may be in a queue still, or with a dispatcher that ignores its controller.
    this.#fail(this.#droppedFor);
  }

  #fail(error: Error): void {
    const state = this.#state;
    if (state === 'over') return;
    this.#finish();
    if (state === 'sent') this.#listener.failed(this, error);
    else if (state === 'forwarded') this.#listener.broke(this, error);
    else this.#aside?.break(error);
  }

  #finish(): void {
    this.#state = 'over';
    this.#callOff?.();
  }
}
