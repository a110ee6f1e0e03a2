import type { Duplex } from 'node:stream';
import type { Clock } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { Aside, type AsideBounds } from './aside.ts';
import type { DispatchChanges, RequestBody } from './body/request-body.ts';
import type { Connection } from './controller.ts';
import { headersTimeoutError, requestAbortedError } from './errors.ts';
import { mirrorGaps } from './gaps.ts';
import type { ResponseHeaders } from './headers.ts';

/** The events of an attempt. */
export interface AttemptListener {
  started(attempt: Attempt, context: object | null | undefined): void;
  /** An informational response (1xx). */
  informed(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void;
  /** The headers of the response. The listener must forward the attempt, set it aside or drop it. */
  responded(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void;
  upgraded(attempt: Attempt, status: number, headers: ResponseHeaders, socket: Duplex): unknown;
  data(attempt: Attempt, chunk: Buffer): void;
  ended(attempt: Attempt, trailers: ResponseHeaders): void;
  /** It failed before the headers of the response. */
  failed(attempt: Attempt, error: Error): void;
  /** It failed in the body of a response that is being forwarded. */
  broke(attempt: Attempt, error: Error): void;
  /** A dispatcher reports what the listener threw when it was given an error. */
  failedAgain(error: Error): void;
}

/** Receives the progress of an upload. */
export interface UploadListener {
  /** @param startsAt offset of the chunk in the body, in bytes */
  bodySent(startsAt: number, chunk: Buffer | string): void;
  /** @param isAgain true from the second request of the same attempt on, as after a redirect */
  requestSent(isAgain: boolean): void;
}

/**
 * One send. Each attempt is a handler of its own, so that late events of an attempt that was given up cannot be
 * mistaken for those of the next one.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  connection: Connection;
  declare readonly onBodySent?: (chunk: Buffer | string) => void;
  declare readonly onRequestSent?: () => void;
  /** How often undici started it: more than once if an interceptor below follows redirects. */
  starts = 0;
  /** The URLs that redirected, if undici's redirect interceptor is below. */
  hops: readonly unknown[] | undefined;
  readonly #listener: AttemptListener;
  #state: 'sent' | 'forwarded' | 'aside' | 'over' = 'sent';
  #cancelTimer: (() => void) | undefined;
  #aside: Aside | undefined;
  #droppedFor: Error | undefined;
  #restoreMethods: (() => void) | undefined;
  #releaseBody: (() => void) | undefined;

  /** @param upload only if the handler listens to the upload: for a handler that does, a MockAgent reads the body */
  constructor(listener: AttemptListener, upload?: UploadListener) {
    this.#listener = listener;
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

  /** True if it was given up while undici still had it in a queue. */
  get isQueued(): boolean {
    return this.#droppedFor !== undefined && this.starts === 0;
  }

  /** Hides the methods that the caller's handler lacks, until the attempt starts. */
  mirror(handler: Dispatcher.DispatchHandler, options: Dispatcher.DispatchOptions): void {
    this.#restoreMethods = mirrorGaps(handler, options, this);
  }

  /** Fails with undici's own timeout error if there are no response headers within `timeoutMs` milliseconds. */
  limit(clock: Clock, timeoutMs: number): void {
    this.#cancelTimer = clock.schedule(() => this.abort(headersTimeoutError(timeoutMs)), timeoutMs);
  }

  /** Has {@link releaseBody} close the body that was taken for this attempt; at once if the attempt is over. */
  reads(body: RequestBody | undefined, taken: DispatchChanges): void {
    if (this.over) body?.release?.(taken);
    else this.#releaseBody = () => body?.release?.(taken);
  }

  /** Closes the body that was taken for this attempt. */
  releaseBody(): void {
    const release = this.#releaseBody;
    this.#releaseBody = undefined;
    release?.();
  }

  onRequestStart(connection: Dispatcher.DispatchController, context: object | null | undefined): void {
    this.#restoreMethods?.();
    this.#restoreMethods = undefined;
    this.starts += 1;
    const hops = (context as { readonly history?: unknown } | null | undefined)?.history;
    if (Array.isArray(hops)) this.hops = hops;
    // Given up while it was queued: it must not be sent.
    if (this.#droppedFor !== undefined) {
      connection.abort(this.#droppedFor);
    } else {
      this.connection = connection;
      this.#listener.started(this, context);
    }
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
    this.#cancelTimer?.();
    // Finished only after the call: if the handler throws, undici reports that through onResponseError.
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
      this.#cancelTimer?.();
      this.#listener.responded(this, status, headers, message);
    }
  }

  onResponseData(_: Connection, chunk: Buffer): void {
    if (this.#state === 'forwarded') this.#listener.data(this, chunk);
    else if (this.#state === 'aside') this.#aside?.take(chunk);
  }

  onResponseEnd(_: Connection, trailers: ResponseHeaders): void {
    if (this.#state === 'forwarded') {
      // Finished after the call, as in onRequestUpgrade.
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

  /** The listener gets the body of the response. */
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
    this.#aside = new Aside({ status, headers, message, rawHeaders }, bounds, this);
    this.#aside.limit();
    return this.#aside;
  }

  /** Aborts the connection, without an event to the listener. */
  drop(reason: Error): void {
    this.#finish();
    this.#droppedFor = reason;
    this.connection?.abort(reason);
  }

  /**
   * Fails at once with the reason, in any state; does nothing once it is over. undici reports the abort before it
   * closes the connection, so that a handler can destroy its upload with the reason.
   */
  abort(reason?: Error): void {
    if (this.over) return;
    this.#droppedFor = reason ?? requestAbortedError();
    this.connection?.abort(reason as Error);
    // It may still be queued, or its dispatcher may ignore the controller.
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
    this.#cancelTimer?.();
  }
}
