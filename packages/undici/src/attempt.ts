import type { Duplex } from 'node:stream';
import type { Clock } from '@ebb/core';
import { type BodyWatcher, type Call, inNextTurn, type SetAside } from '@ebb/core/adapter';

import type { Dispatcher } from 'undici';
import { BufferedResponse } from './buffered-response.ts';
import type { Downstream, Send } from './downstream.ts';
import { type Connection, isUnanswered } from './handler.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { headersTimeoutError, requestAbortedError } from './outcome.ts';

/** Sees a body pass, from its first chunk. */
export interface Watcher extends BodyWatcher {
  /** Called once or more. */
  ended(): unknown;
}

/**
 * An attempt. Each attempt has its own handler, so that late events of an abandoned attempt cannot be mistaken for events of the next
 * attempt.
 */
export class Attempt implements Dispatcher.DispatchHandler, Send {
  readonly request: Downstream;
  connection: Connection;
  starts = 0;
  isRedirected = false;
  /** The context of the last start. */
  context: object | null | undefined;
  /** The response, while it is held or set aside. */
  kept: BufferedResponse | undefined;
  /** Sees the body as it comes. */
  declare watcher?: Watcher;
  // Only for a handler that has them.
  declare onBodySent?: (chunk: Buffer | string) => void;
  declare onRequestSent?: () => void;
  #state: 'sent' | 'held' | 'played' | 'forwarded' | 'broken' | 'aside' | 'over' = 'sent';
  #cancelTimer: (() => void) | undefined;
  #droppedFor: unknown;

  constructor(request: Downstream) {
    this.request = request;
  }

  get over(): boolean {
    return this.#state === 'over';
  }

  /** True if it was given up while undici still had it in a queue. */
  get isQueued(): boolean {
    return this.#droppedFor !== undefined && this.starts === 0;
  }

  /** The URLs that redirected, if undici's redirect interceptor is below. */
  get hops(): readonly unknown[] | undefined {
    const { history }: { readonly history?: unknown } = this.context ?? {};
    return Array.isArray(history) ? history : undefined;
  }

  /** Fails with undici's own timeout error, which names `namedMs`, if no response headers come within `timeoutMs`. */
  limit(clock: Clock, timeoutMs: number, namedMs: number): void {
    this.#cancelTimer = clock.schedule(() => this.abort(headersTimeoutError(namedMs)), timeoutMs);
  }

  onRequestStart(connection: NonNullable<Connection>, context: object | null | undefined): void {
    if (this.starts > 0 && !isUnanswered(this.connection, connection)) this.isRedirected = true;
    this.starts += 1;
    this.context = context;
    // Given up while it was queued: it must not be sent.
    if (this.#droppedFor !== undefined) {
      connection.abort(this.#droppedFor);
    } else {
      this.connection = connection;
      this.request.sent(this);
    }
  }

  onRequestUpgrade(from: Connection, status: number, headers: ResponseHeaders, socket: Duplex): void {
    if (this.#state !== 'sent') {
      socket.destroy();
      return;
    }
    this.connection = from;
    this.#state = 'forwarded';
    this.#cancelTimer?.();
    // Finished only after the call: if the handler throws, undici reports that through onResponseError.
    this.request.upgraded(this, this.#headOf(status, headers), socket);
    this.#finish();
  }

  onResponseStart(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void {
    if (this.#state !== 'sent') return;
    this.connection = connection;
    const head = this.#headOf(status, headers, message);
    if (status < 200) {
      this.request.informed(head);
    } else {
      this.#cancelTimer?.();
      this.request.responded(this, head);
    }
  }

  #headOf(status: number, headers: ResponseHeaders, message?: string): ResponseHead {
    return { status, headers, message, rawHeaders: this.connection?.rawHeaders ?? null };
  }

  onResponseData(_: Connection, chunk: Buffer): void {
    this.watcher?.part(chunk);
    if (this.#state === 'forwarded') this.request.data(chunk);
    else if (this.#state !== 'over') this.kept?.take(chunk);
  }

  onResponseEnd(_: Connection, trailers: ResponseHeaders): void {
    this.watcher?.ended();
    const rawTrailers = this.connection?.rawTrailers ?? null;
    if (this.#state === 'forwarded') this.#end(trailers, rawTrailers);
    else {
      if (this.#state === 'sent' || this.#state === 'aside') this.#finish();
      this.kept?.end(undefined, trailers, rawTrailers);
    }
  }

  onResponseError(connection: Connection, error: unknown): void {
    this.watcher?.ended();
    this.connection ??= connection;
    this.#fail(error);
  }

  /** Keeps the response back until it is delivered, set aside or dropped. */
  hold(head: ResponseHead): BufferedResponse {
    this.#state = 'held';
    this.kept = new BufferedResponse(head, this.connection);
    return this.kept;
  }

  /** Delivers the response to the request. The buffered chunks are delivered at once, also to a paused handler. */
  deliver(head: ResponseHead): void {
    this.#state = 'forwarded';
    if (!this.kept) this.request.head(this.connection, head);
    else this.#play(this.kept);
  }

  #play(kept: BufferedResponse): void {
    const { request } = this;
    try {
      // The connection is attached later: a handler that resumes it must not get new chunks before the buffered ones.
      request.head(undefined, kept.head);
      for (const chunk of kept.chunks) if (!this.over) request.data(chunk);
      kept.chunks = [];
      if (this.over) return;
      if (!kept.isOver) {
        request.controller.attach(this.connection);
        if (!request.controller.paused) kept.letGo();
      } else if (kept.error === undefined) this.#end(kept.trailers, kept.rawTrailers);
      else this.#breakLater(kept.error);
    } catch (error) {
      this.abort(error);
    }
  }

  /**
   * `fetch` creates its body in promises after the headers: an error in the same turn of the event loop would find no body to fail, and a
   * read of the body would wait for ever.
   */
  #breakLater(error: unknown): void {
    // A dispatcher that ignores an abort may still bring the rest, and its end.
    this.#state = 'broken';
    inNextTurn(() => {
      if (this.over) return;
      this.#finish();
      this.request.broke(error);
    });
  }

  /** The response is followed by a retry. */
  setAside(head: ResponseHead, call: Call): SetAside {
    const held = this.kept ?? this.hold(head);
    if (held.isOver) this.#finish();
    else this.#state = 'aside';
    return held.setAside(call, this);
  }

  /** Delivers a response that was set aside: the retry after it is not sent. */
  restore(): void {
    const kept = this.kept as BufferedResponse;
    this.#droppedFor = undefined;
    kept.restore();
    this.deliver(kept.head);
  }

  #end(trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    // Finished after the call, as in onRequestUpgrade.
    this.request.ended(trailers, rawTrailers);
    this.#finish();
  }

  /** Gives up a response that was set aside, because it is too long. */
  giveUp(): void {
    if (!this.over) this.drop(requestAbortedError('Response discarded'));
  }

  /** Aborts the connection, without an event to the request. */
  drop(reason: unknown): void {
    this.#finish();
    this.#droppedFor = reason;
    this.#abortConnection(reason);
    this.kept?.end(reason);
  }

  /** Does nothing if all of the response has arrived: there is nothing left to abort. */
  #abortConnection(reason: unknown): void {
    if (this.kept?.isOver !== true) this.connection?.abort(reason);
  }

  /**
   * Fails at once with the reason, in any state; does nothing once it is over. undici reports the abort before it
   * closes the connection, so that a handler can destroy its upload with the reason.
   */
  abort(reason?: unknown): void {
    if (this.over) return;
    this.#droppedFor = reason ?? requestAbortedError();
    this.#abortConnection(reason);
    // It may still be queued, or its dispatcher may ignore the controller.
    this.#fail(this.#droppedFor);
  }

  #fail(error: unknown): void {
    const state = this.#state;
    if (state === 'over') return;
    const isDropped = this.#droppedFor !== undefined;
    const isKept = (state === 'held' || state === 'broken') && !isDropped;
    // A buffered response is judged and delivered before its error.
    if (!isKept) this.#finish();
    this.kept?.end(error);
    if (isKept) return;
    if (state === 'sent' || state === 'held') this.request.failed(this, error);
    else if (state !== 'aside') this.request.broke(error);
  }

  #finish(): void {
    this.#state = 'over';
    this.#cancelTimer?.();
  }
}
