import type { Duplex } from 'node:stream';
import type { Clock } from '@ebb/core';
import { type Call, hasHistory, type SetAside } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { AttemptListener, HeldListener } from './attempt-listener.ts';
import type { DispatchChanges, RequestBody } from './body/request-body.ts';
import type { Connection } from './controller.ts';
import { headersTimeoutError, requestAbortedError } from './errors.ts';
import { headOf, type RawHeaders, type ResponseHead, type ResponseHeaders } from './headers.ts';
import { Held } from './held.ts';

/**
 * One send. Each attempt is a handler of its own, so that late events of an attempt that was given up cannot be
 * mistaken for those of the next one.
 */
export class Attempt implements Dispatcher.DispatchHandler, HeldListener {
  connection: Connection;
  /** How often undici started it: more than once if an interceptor below follows redirects. */
  starts = 0;
  /** The last that it was started with. */
  context: object | null | undefined;
  readonly #listener: AttemptListener<Attempt>;
  #state: 'sent' | 'held' | 'played' | 'forwarded' | 'aside' | 'over' = 'sent';
  #cancelTimer: (() => void) | undefined;
  /** The response, while it is held or set aside. */
  kept: Held | undefined;
  #droppedFor: unknown;
  /** Methods that the caller's handler lacks are hidden until the attempt starts. */
  restoreMethods: (() => void) | undefined;
  #releaseBody: (() => void) | undefined;

  constructor(listener: AttemptListener<Attempt>) {
    this.#listener = listener;
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

  onRequestStart(connection: NonNullable<Connection>, context: object | null | undefined): void {
    this.restoreMethods?.();
    this.starts += 1;
    this.context = context;
    // Given up while it was queued: it must not be sent.
    if (this.#droppedFor !== undefined) {
      connection.abort(this.#droppedFor);
    } else {
      this.connection = connection;
      this.#listener.sent(this);
    }
  }

  onRequestUpgrade(from: Connection, status: number, headers: ResponseHeaders, socket: Duplex): unknown {
    if (this.#state !== 'sent') return socket.destroy();
    this.connection = from;
    this.#state = 'forwarded';
    this.#cancelTimer?.();
    // Finished only after the call: if the handler throws, undici reports that through onResponseError.
    const result = this.#listener.upgraded(this, headOf(from, status, headers), socket);
    this.#finish();
    return result;
  }

  onResponseStart(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void {
    if (this.#state !== 'sent') return;
    this.connection = connection;
    const head = headOf(connection, status, headers, message);
    if (status < 200) {
      this.#listener.informed(this, head);
    } else {
      this.#cancelTimer?.();
      this.#listener.responded(this, head);
    }
  }

  onResponseData(_: Connection, chunk: Buffer): void {
    if (this.#state === 'forwarded') this.#listener.data(this, chunk);
    else if (this.#state !== 'over') this.kept?.take(chunk);
  }

  onResponseEnd(_: Connection, trailers: ResponseHeaders): void {
    if (this.#state === 'forwarded') {
      // Finished after the call, as in onRequestUpgrade.
      this.#listener.ended(this, trailers, this.connection?.rawTrailers);
      this.#finish();
    } else {
      const isHeld = this.#isHeld;
      if (!isHeld) this.#finish();
      this.kept?.arrived(this.connection?.rawTrailers ?? null, trailers);
      if (isHeld) this.#arrived();
    }
  }

  onResponseError(connection: Connection, error: unknown): void {
    this.connection ??= connection;
    if (!this.over) this.#fail(error);
    else if (this.#droppedFor === undefined) this.#listener.failedAgain(error);
  }

  /** The listener gets the body of the response. */
  forward(): void {
    this.#state = 'forwarded';
  }

  /** Keeps the response back until it is played, set aside or dropped. */
  hold(head: ResponseHead): Held {
    this.#state = 'held';
    this.kept = new Held(head, this.connection, this);
    return this.kept;
  }

  /** The listener gets what was held back, and then the rest. */
  play(respond: () => void): void {
    this.#state = 'played';
    if (this.kept?.isOver) this.#arrived();
    this.kept?.start(respond);
  }

  /** Plays a response that was set aside: the retry after it is not sent. */
  replay(respond: () => void): void {
    this.#droppedFor = undefined;
    this.kept?.restore();
    this.play(respond);
  }

  discard(reason: unknown): void {
    this.connection?.abort(reason);
    // A dispatcher may ignore its controller.
    this.#arrived();
  }

  /** A response that has not been judged may still be followed by a retry. */
  #arrived(): void {
    if (this.#state === 'played') this.#listener.arrived(this);
  }

  get #isHeld(): boolean {
    return this.#state === 'held' || this.#state === 'played';
  }

  data(chunk: Buffer): void {
    this.#listener.data(this, chunk);
  }

  end(trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    this.#listener.ended(this, trailers, rawTrailers);
    this.#finish();
  }

  fail(error: unknown): void {
    this.#finish();
    this.#listener.broke(this, error);
  }

  playedAll(): void {
    this.#state = 'forwarded';
    this.kept = undefined;
  }

  /** The response is followed by a retry. */
  setAside(held: Held, call: Call): SetAside {
    if (held.isOver) this.#finish();
    else this.#state = 'aside';
    return held.setAside(call);
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
      this.kept?.break(error);
      this.#arrived();
      return;
    }
    this.#finish();
    this.kept?.break(error);
    if (state === 'sent' || state === 'held') this.#listener.failed(this, error);
    else if (state !== 'aside') this.#listener.broke(this, error);
  }

  #finish(): void {
    this.#state = 'over';
    this.#cancelTimer?.();
  }
}
