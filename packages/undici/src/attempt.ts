import type { Duplex } from 'node:stream';
import { type Clock, LONGEST_DISCARD_MS, MOST_DISCARDED_BYTES, nextTurn } from '@ebb/core';
import type { Dispatcher } from 'undici';
import type { Connection } from './controller.ts';
import { headersTimeoutError, requestAbortedError } from './errors.ts';
import type { ResponseHeaders } from './headers.ts';

/** What an attempt tells as it goes. */
export interface AttemptListener {
  started(attempt: Attempt, context: object | null | undefined): void;
  informed(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void;
  /** The response begins. The listener is to forward, discard or drop the attempt. */
  answered(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void;
  upgraded(attempt: Attempt, status: number, headers: ResponseHeaders, socket: Duplex): unknown;
  data(attempt: Attempt, chunk: Buffer): void;
  ended(attempt: Attempt, trailers: ResponseHeaders): void;
  /** It failed before its response began. */
  failed(attempt: Attempt, error: Error): void;
  /** It failed in the body of a response that is being forwarded. */
  broke(attempt: Attempt, error: Error): void;
}

/** Who wants to hear of the upload. */
export interface UploadListener {
  bodySent(startsAt: number, chunk: Buffer | string): void;
  requestSent(): void;
}

/**
 * One send. It has its own handler, so that what comes late of an attempt that was given up cannot be taken
 * for the next one's.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  /** The policy of the interceptor that sends it; marks its handlers for interceptors of the same kind. */
  readonly ebbPolicy: object;
  /** From 1. */
  readonly number: number;
  connection: Connection;
  readonly onBodySent?: (chunk: Buffer | string) => void;
  readonly onRequestSent?: () => void;
  readonly #listener: AttemptListener;
  #state: 'sent' | 'forwarded' | 'discarded' | 'over' = 'sent';
  #callOff: (() => void) | undefined;
  #release: (() => void) | undefined;
  #droppedFor: Error | undefined;
  #discardedBytes = 0;

  /** @param upload given only where somebody listens: a MockAgent reads a body for a handler that does */
  constructor(listener: AttemptListener, number: number, policy: object, upload?: UploadListener) {
    this.#listener = listener;
    this.number = number;
    this.ebbPolicy = policy;
    if (upload !== undefined) {
      let sentBytes = 0;
      this.onBodySent = (chunk) => {
        upload.bodySent(sentBytes, chunk);
        sentBytes += Buffer.byteLength(chunk);
      };
      this.onRequestSent = () => upload.requestSent();
    }
  }

  get over(): boolean {
    return this.#state === 'over';
  }

  /** Ends in undici's own timeout unless a response begins before. */
  limit(clock: Clock, timeoutMs: number): void {
    this.#callOff = clock.schedule(() => this.abort(headersTimeoutError(timeoutMs)), timeoutMs);
  }

  onRequestStart(connection: Dispatcher.DispatchController, context: object | null | undefined): void {
    // Given up while undici still kept it in a queue: nothing of it is to be sent.
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
    this.#callOff?.();
    try {
      return this.#listener.upgraded(this, status, headers, socket);
    } finally {
      this.#finish();
    }
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
    if (this.#state === 'forwarded') {
      this.#listener.data(this, chunk);
    } else if (this.#state === 'discarded') {
      this.#discardedBytes += chunk.byteLength;
      if (this.#discardedBytes > MOST_DISCARDED_BYTES) this.abort(requestAbortedError('Response discarded'));
    }
  }

  onResponseEnd(_: Connection, trailers: ResponseHeaders): void {
    if (this.#state === 'forwarded') {
      this.#finish();
      this.#listener.ended(this, trailers);
    } else {
      this.#finish();
      this.#release?.();
    }
  }

  onResponseError(_: Connection, error: Error): void {
    this.#fail(error);
  }

  /** From here the listener gets the response's body. */
  forward(): void {
    this.#state = 'forwarded';
  }

  /** Reads the response to its end, within bounds; resolves when its connection can be used again, or is gone. */
  async discard(clock: Clock, contentLength: number): Promise<void> {
    this.#state = 'discarded';
    const breakOff = (): void => this.abort(requestAbortedError('Response discarded'));
    const released = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    if (contentLength > MOST_DISCARDED_BYTES) breakOff();
    else this.#callOff = clock.schedule(breakOff, LONGEST_DISCARD_MS);
    await released;
    // undici takes up a connection again on the turn after a response has ended.
    await nextTurn();
  }

  /** Lets go of the connection; the listener hears nothing more. */
  drop(reason: Error): void {
    this.#finish();
    this.#droppedFor = reason;
    this.connection?.abort(reason);
  }

  /** Fails with the reason, at once, wherever it stands; does nothing when it is over. */
  abort(reason: Error): void {
    this.#fail(reason, () => this.drop(reason));
  }

  #fail(error: Error, letGo?: () => void): void {
    const state = this.#state;
    if (state === 'over') return;
    this.#finish();
    letGo?.();
    if (state === 'sent') this.#listener.failed(this, error);
    else if (state === 'forwarded') this.#listener.broke(this, error);
    else this.#release?.();
  }

  #finish(): void {
    this.#state = 'over';
    this.#callOff?.();
  }
}
