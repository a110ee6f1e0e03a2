import type { Duplex } from 'node:stream';
import type { Clock } from '@ebb/core';
import { type BodyWatcher, type Call, hasHistory, type SetAside } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { type Connection, Held, type HeldListener, type Pausable } from './held.ts';
import { headersTimeoutError, requestAbortedError } from './outcome.ts';

/** Sees a body pass, from its first chunk. */
export interface Watcher extends BodyWatcher {
  /** Called once or more. */
  ended(): unknown;
}

/** The events of an attempt. */
export interface AttemptListener {
  /** It has a connection. */
  sent(attempt: Attempt): void;
  /** An informational response (1xx). */
  informed(head: ResponseHead): void;
  /** The headers of the response. The listener must have it delivered, hold it, set it aside or drop it. */
  responded(attempt: Attempt, head: ResponseHead): void;
  upgraded(attempt: Attempt, head: ResponseHead, socket: Duplex): void;
  /** All of a response that was held has arrived. It is still to be played. */
  arrived(): void;
  /** The response is delivered: its headers, its body and its end, which `broke` may be. */
  head(connection: Pausable | null | undefined, head: ResponseHead): void;
  data(chunk: Buffer): void;
  ended(trailers: ResponseHeaders, rawTrailers: RawHeaders): void;
  broke(attempt: Attempt, error: unknown): void;
  /** It failed before the headers of the response. */
  failed(attempt: Attempt, error: unknown): void;
}

/**
 * One send. Each attempt is a handler of its own, so that late events of an attempt that was given up cannot be
 * mistaken for those of the next one.
 */
export class Attempt implements Dispatcher.DispatchHandler, HeldListener {
  readonly listener: AttemptListener;
  connection: Connection;
  /** How often undici started it: more than once if an interceptor below follows redirects. */
  starts = 0;
  /** The last that it was started with. */
  context: object | null | undefined;
  /** The response, while it is held or set aside. */
  kept: Held | undefined;
  /** Sees the body as it comes. */
  declare watcher?: Watcher;
  // Only for a handler that has them.
  declare onBodySent?: (chunk: Buffer | string) => void;
  declare onRequestSent?: () => void;
  #state: 'sent' | 'held' | 'played' | 'forwarded' | 'aside' | 'over' = 'sent';
  #cancelTimer: (() => void) | undefined;
  #droppedFor: unknown;

  constructor(listener: AttemptListener) {
    this.listener = listener;
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

  /** True if a layer of ebb below has ended with what this attempt gets. */
  get hasHistory(): boolean {
    return hasHistory(this.context);
  }

  /** Fails with undici's own timeout error, which names `namedMs`, if no response headers come within `timeoutMs`. */
  limit(clock: Clock, timeoutMs: number, namedMs: number): void {
    this.#cancelTimer = clock.schedule(() => this.abort(headersTimeoutError(namedMs)), timeoutMs);
  }

  onRequestStart(connection: NonNullable<Connection>, context: object | null | undefined): void {
    this.starts += 1;
    this.context = context;
    // Given up while it was queued: it must not be sent.
    if (this.#droppedFor !== undefined) {
      connection.abort(this.#droppedFor);
    } else {
      this.connection = connection;
      this.listener.sent(this);
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
    this.listener.upgraded(this, this.#headOf(status, headers), socket);
    this.#finish();
  }

  onResponseStart(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void {
    if (this.#state !== 'sent') return;
    this.connection = connection;
    const head = this.#headOf(status, headers, message);
    if (status < 200) {
      this.listener.informed(head);
    } else {
      this.#cancelTimer?.();
      this.listener.responded(this, head);
    }
  }

  #headOf(status: number, headers: ResponseHeaders, message?: string): ResponseHead {
    return { status, headers, message, rawHeaders: this.connection?.rawHeaders ?? null };
  }

  onResponseData(_: Connection, chunk: Buffer): void {
    this.watcher?.part(chunk);
    if (this.#state === 'forwarded') this.data(chunk);
    else if (this.#state !== 'over') this.kept?.take(chunk);
  }

  onResponseEnd(_: Connection, trailers: ResponseHeaders): void {
    this.watcher?.ended();
    const rawTrailers = this.connection?.rawTrailers ?? null;
    if (this.#state === 'forwarded') {
      this.end(trailers, rawTrailers);
    } else {
      const isHeld = this.#isHeld;
      if (!isHeld) this.#finish();
      this.kept?.end(undefined, trailers, rawTrailers);
      if (isHeld) this.#arrived();
    }
  }

  onResponseError(connection: Connection, error: unknown): void {
    this.watcher?.ended();
    this.connection ??= connection;
    this.#fail(error);
  }

  /** Keeps the response back until it is delivered, set aside or dropped. */
  hold(head: ResponseHead): Held {
    this.#state = 'held';
    this.kept = new Held(head, this.connection, this);
    return this.kept;
  }

  /** The listener gets the response: at first what was held of it. */
  deliver(head: ResponseHead): void {
    if (this.kept === undefined) {
      this.#state = 'forwarded';
      this.listener.head(this.connection, head);
      return;
    }
    this.#state = 'played';
    if (this.kept.isOver) this.#arrived();
    this.kept.start();
  }

  /** The response is followed by a retry. */
  setAside(head: ResponseHead, call: Call): SetAside {
    const held = this.kept ?? this.hold(head);
    if (held.isOver) this.#finish();
    else this.#state = 'aside';
    return held.setAside(call);
  }

  /** Delivers a response that was set aside: the retry after it is not sent. */
  restore(): void {
    const kept = this.kept as Held;
    this.#droppedFor = undefined;
    kept.restore();
    this.deliver(kept.head);
  }

  /** A response that has not been judged may still be followed by a retry. */
  #arrived(): void {
    if (this.#state === 'played') this.listener.arrived();
  }

  get #isHeld(): boolean {
    return this.#state === 'held' || this.#state === 'played';
  }

  head(held: Held): void {
    this.listener.head(held, held.head);
  }

  data(chunk: Buffer): void {
    this.listener.data(chunk);
  }

  end(trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    // Finished after the call, as in onRequestUpgrade.
    this.listener.ended(trailers, rawTrailers);
    this.#finish();
  }

  fail(error: unknown): void {
    this.#finish();
    this.listener.broke(this, error);
  }

  playedAll(): void {
    this.#state = 'forwarded';
    this.kept = undefined;
  }

  /** Gives up a response that was set aside, because it is too long. */
  giveUp(): void {
    if (!this.over) this.drop(requestAbortedError('Response discarded'));
  }

  /** Aborts the connection, without an event to the listener. */
  drop(reason: unknown): void {
    this.#finish();
    this.#droppedFor = reason;
    this.#abortConnection(reason);
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
    if (this.#isHeld && this.#droppedFor === undefined) {
      // What came before the error is judged, and played, first.
      this.kept?.end(error);
      this.#arrived();
      return;
    }
    this.#finish();
    this.kept?.end(error);
    if (state === 'sent' || state === 'held') this.listener.failed(this, error);
    else if (state !== 'aside') this.listener.broke(this, error);
  }

  #finish(): void {
    this.#state = 'over';
    this.#cancelTimer?.();
  }
}
