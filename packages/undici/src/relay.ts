import { AsyncResource } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import { type FailureKind, HookError, type Outcome } from '@ebb/core';
import { failureKind, MOST_DISCARDED_BYTES, remember, rememberReason } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Aside } from './aside.ts';
import { Attempt, type AttemptListener } from './attempt.ts';
import type { Changes } from './changes.ts';
import { Controller } from './controller.ts';
import { Downstream } from './downstream.ts';
import { isClosedError, isTunnelError, namingOldUndici, requestAbortedError } from './errors.ts';
import { gapsOf } from './gaps.ts';
import type { ResponseHeaders } from './headers.ts';
import { Playback } from './playback.ts';
import { Download, isCutOff } from './resume.ts';
import { type Request, send } from './send.ts';
import { failureOutcome, responseOutcome } from './traits.ts';

/** How much is kept of a response for the case that its dispatcher is closed before the retry, in bytes. */
const KEPT_FOR_CLOSE = 16 * 1024;

/** Sends a request's attempts one after the other, and gives its handler the response of the last. */
export class Relay implements AttemptListener {
  readonly #request: Request;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #downstream: Downstream;
  readonly #abort = new AbortController();
  /** Retries run where the request was made, for those who look that up in an `AsyncLocalStorage`. */
  readonly #scope = new AsyncResource('EbbRequest');
  #attempt: Attempt | undefined;
  /** Whether no attempt is under way: the first or the next is being waited for. */
  #isWaiting = false;
  /** Whether the caller's `dispatch` has not returned yet: it is who hears what is thrown. */
  #isDispatching = true;
  /** Ends the request with what came of the attempt before, if the next one is not sent. */
  #restore: (() => void) | undefined;
  #playback: Playback | undefined;
  /** What undici said of a retry that its dispatcher would not take any more. */
  #closedWith: Error | undefined;
  /** The response that the handler is being given; nothing when it could not be taken up again. */
  #download: Download | undefined;

  constructor(request: Request, handler: Dispatcher.DispatchHandler) {
    this.#request = request;
    this.#handler = handler;
    const controller = new Controller((reason) => this.#onAbort(reason));
    this.#downstream = new Downstream(handler, controller, request.session.history);
  }

  /**
   * As `dispatch` does, returns whether the caller may go on dispatching.
   * @throws what the dispatcher throws, or the handler when it gets an error
   */
  start(): boolean {
    try {
      const waiting = this.#request.session.ready(this.#abort.signal);
      if (waiting === undefined) return this.#send();
      this.#sendAfter(waiting);
      this.#startHandler();
      return true;
    } finally {
      this.#isDispatching = false;
    }
  }

  /** Before anything is sent, so that the handler can abort the wait. */
  #startHandler(): void {
    try {
      this.#downstream.start();
    } catch (error) {
      this.#downstream.controller.abort(error as Error);
    }
  }

  #sendAfter(waiting: Promise<boolean>): void {
    this.#isWaiting = true;
    const unwatch = this.#restore && this.#request.closing?.watch((error) => this.#onClosed(error));
    waiting.then(
      (isReady) => {
        unwatch?.();
        if (isReady) this.#send();
        else this.#restore?.();
      },
      (error) => {
        unwatch?.();
        if (error === this.#closedWith) this.#restore?.();
        else this.#fail(error);
      },
    );
  }

  #send(): boolean {
    const { session, body } = this.#request;
    const attempt = this.#nextAttempt();
    const { aborted, reason } = this.#downstream.controller;
    if (aborted) {
      attempt.abort(reason as Error);
      return true;
    }
    const { attemptTimeoutMs, clock } = session.policy;
    if (attemptTimeoutMs !== undefined) attempt.limit(clock, attemptTimeoutMs);
    let taken: Changes | Promise<Changes> | undefined;
    try {
      taken = body?.take();
    } catch (error) {
      attempt.onResponseError(undefined, error as Error);
      return false;
    }
    if (!(taken instanceof Promise)) return this.#dispatch(attempt, taken);
    taken.then(
      (made) => {
        if (attempt.over) body?.letGo?.(made);
        else this.#dispatch(attempt, made);
      },
      (error) => attempt.onResponseError(undefined, error),
    );
    this.#startHandler();
    return true;
  }

  #nextAttempt(): Attempt {
    const { session, options } = this.#request;
    const downstream = this.#downstream;
    const attempt = new Attempt(this, session.attempt, downstream.watchesUpload ? downstream : undefined);
    const gaps = gapsOf(this.#handler, options);
    if (gaps !== undefined) attempt.lack(gaps);
    this.#isWaiting = false;
    this.#attempt = attempt;
    return attempt;
  }

  #dispatch(attempt: Attempt, taken: Changes | undefined): boolean {
    const { body, options } = this.#request;
    if (taken !== undefined) attempt.holds(() => body?.letGo?.(taken));
    const rest = this.#download?.changesForRest(options.headers);
    try {
      return send(this.#request, attempt, rest || taken ? { ...rest, ...taken } : undefined);
    } catch (thrown) {
      // What the handler throws goes up, as it does without ebb.
      if (attempt.over) throw thrown;
      const error = namingOldUndici(thrown) as Error;
      if (this.#isDispatching) return this.#thrown(attempt, error);
      attempt.onResponseError(undefined, error);
      return false;
    }
  }

  /** A dispatcher threw, and told its handler nothing. Unless there is a retry, the caller hears it, as without ebb. */
  #thrown(attempt: Attempt, error: Error): boolean {
    const { session, body, options } = this.#request;
    const retry = this.#judge(attempt, failureOutcome(attempt, failureKind(error), error, options));
    attempt.drop(error);
    if (retry === undefined) return false;
    if (retry) {
      this.#retry(() => this.#fail(error));
      return true;
    }
    attempt.letGoOfBody();
    body?.close?.();
    remember(error, session.history);
    this.#downstream.leave();
    throw error;
  }

  /** The dispatcher was closed while a retry waits: there is nothing to send it. */
  #onClosed(error: Error): void {
    this.#closedWith = error;
    this.#abort.abort(error);
  }

  #onAbort(reason: Error | undefined): void {
    if (this.#downstream.over) return;
    const error = reason ?? requestAbortedError();
    const attempt = this.#attempt;
    this.#abort.abort(error);
    if (this.#playback !== undefined) {
      this.#playback.abort(error);
    } else if (this.#isWaiting || attempt === undefined) {
      try {
        this.#fail(error);
      } finally {
        attempt?.abort(error);
      }
    } else {
      attempt.abort(reason);
    }
  }

  /** Whether there will be another attempt; nothing when a hook that threw has ended the request. */
  #judge(attempt: Attempt, outcome: Outcome): boolean | undefined {
    let retry: boolean;
    try {
      retry = this.#request.session.judge(outcome).retry;
    } catch (hookError) {
      this.#giveUp(attempt, hookError as Error);
      return undefined;
    }
    // A hook may also have aborted it.
    return this.#downstream.over ? undefined : retry;
  }

  /**
   * @param restore ends the request if the retry is not sent
   * @param released resolves when the connection of the attempt can be used again
   */
  #retry(restore: () => void, released: Promise<void> = Promise.resolve()): void {
    const { session } = this.#request;
    this.#attempt?.letGoOfBody();
    this.#restore = restore;
    this.#scope.runInAsyncScope(() => {
      this.#sendAfter(session.ready(this.#abort.signal, released) ?? Promise.resolve(true));
    });
    // An attempt without a connection has not done so.
    this.#startHandler();
  }

  #play(aside: Aside): void {
    if (this.#downstream.over) return;
    this.#request.body?.close?.();
    this.#playback = new Playback(aside, this.#downstream);
    this.#playback.start();
  }

  /** The end without a whole response. Of one that cannot be taken up again, what broke it is told. */
  #fail(error: unknown): void {
    const { session, body } = this.#request;
    const { controller, threw, over } = this.#downstream;
    if (over) return;
    const isOwn = controller.aborted || threw || error instanceof HookError;
    const told = isOwn ? error : (this.#download?.brokenBy ?? error);
    this.#attempt?.letGoOfBody();
    body?.close?.();
    if (controller.aborted) rememberReason(told, session.history);
    else remember(told, session.history);
    session.bodyEnded();
    try {
      this.#downstream.fail(told, this.#attempt?.connection);
    } finally {
      if (this.#isWaiting) body?.unsent?.(told);
    }
  }

  /** The end by something that undici knows nothing of. */
  #giveUp(attempt: Attempt, error: Error): void {
    try {
      this.#fail(error);
    } finally {
      attempt.drop(error);
    }
  }

  started(attempt: Attempt, context: object | null | undefined): void {
    // From here this attempt tells what the result is.
    this.#restore = undefined;
    this.#downstream.start(context, attempt.starts > 1);
  }

  informed(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    if (this.#download !== undefined) return;
    this.#downstream.inform(attempt.number, attempt.connection, status, headers, message);
  }

  answered(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    const { method } = this.#request.session.request;
    const brokenBy = this.#download?.brokenBy;
    const isRest = this.#download?.isContinuedBy(status, headers);
    // What a server sends in place of the rest is no success, whatever its status says.
    const isFalse = isRest === false && status < 400;
    const retry = this.#judge(
      attempt,
      isFalse
        ? { type: 'failure', kind: 'unknown', error: brokenBy }
        : responseOutcome(attempt, status, headers),
    );
    if (retry === undefined) return;
    if (retry) {
      const aside = this.#setAside(attempt, status, headers, message);
      this.#retry(() => (brokenBy === undefined ? this.#play(aside) : this.#fail(brokenBy)), aside.released);
    } else if (brokenBy === undefined) {
      attempt.forward();
      this.#download = Download.of(method, status, headers);
      this.#downstream.respond(attempt.connection, status, headers, message);
    } else if (isRest) {
      attempt.forward();
      this.#downstream.controller.attach(attempt.connection);
    } else {
      // A server does not hold to what it said of the rest of a response.
      this.#giveUp(attempt, brokenBy);
    }
  }

  #setAside(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): Aside {
    const { session } = this.#request;
    return attempt.setAside(status, headers, message, {
      clock: session.policy.clock,
      longestMs: session.discardMs,
      mostKept: session.keepsAnswer ? MOST_DISCARDED_BYTES : KEPT_FOR_CLOSE,
      contentLength: session.request.method === 'HEAD' ? 0 : Number(headers['content-length']),
    });
  }

  upgraded(attempt: Attempt, status: number, headers: ResponseHeaders, socket: Duplex): unknown {
    const { connection } = attempt;
    const retry = this.#judge(attempt, responseOutcome(attempt, status, headers));
    if (retry === false) {
      this.#request.session.bodyEnded();
      return this.#downstream.upgrade(connection, status, headers, socket);
    }
    socket.destroy();
    if (retry) this.#retry(() => this.#downstream.upgrade(connection, status, headers, socket));
    return undefined;
  }

  data(attempt: Attempt, chunk: Buffer): void {
    const download = this.#download;
    if (download === undefined || download.take(chunk)) {
      this.#downstream.data(chunk);
    } else if (download.brokenBy !== undefined) {
      this.#giveUp(attempt, download.brokenBy);
    } else {
      // Somebody on the way changes the body, so that its offsets are not those of the server.
      this.#download = undefined;
      this.#downstream.data(chunk);
    }
  }

  ended(attempt: Attempt, trailers: ResponseHeaders): void {
    const download = this.#download;
    if (download?.brokenBy !== undefined && !download.isComplete) {
      this.#giveUp(attempt, download.brokenBy);
    } else {
      // Of a response that came early there may be an upload that undici waits for.
      attempt.letGoOfBody();
      this.#request.session.bodyEnded();
      this.#downstream.end(attempt.connection, trailers);
    }
  }

  failed(attempt: Attempt, error: Error): void {
    // A factory of the caller's own is no failure of the network, whatever it threw.
    this.#failed(attempt, error, error instanceof HookError ? 'unknown' : this.#kindOf(attempt, error));
  }

  #kindOf(attempt: Attempt, error: Error): FailureKind {
    const kind = failureKind(error);
    // A ProxyAgent that does not get its tunnel aborts the request, or says that its proxy hung up.
    if (attempt.starts === 0 && (kind === 'aborted' || isTunnelError(error))) return 'connect';
    // The caller has aborted nothing.
    return kind === 'aborted' ? 'unknown' : kind;
  }

  #failed(attempt: Attempt, error: Error, kindOfError: FailureKind): void {
    const { controller, threw } = this.#downstream;
    // What a handler throws ends its request, whatever `classify` makes of it.
    if (threw) this.#abort.abort(error);
    if (attempt.isQueued) this.#request.body?.lost?.();
    const kind = controller.aborted ? 'aborted' : threw ? 'unknown' : kindOfError;
    const retry = this.#judge(attempt, failureOutcome(attempt, kind, error, this.#request.options));
    if (retry) {
      this.#retry(() => this.#fail(error));
    } else if (retry === false) {
      const isUnsent = attempt.starts === 0 && isClosedError(error);
      if (isUnsent && this.#restore !== undefined) this.#restore();
      else this.#fail(error);
    }
  }

  failedAgain(error: Error): void {
    this.#downstream.failAgain(error);
  }

  broke(attempt: Attempt, error: Error): void {
    const { controller, threw } = this.#downstream;
    const download = this.#download;
    if (controller.aborted || threw || download === undefined || download.isComplete) {
      this.#fail(error);
    } else {
      download.brokenBy = error;
      controller.attach(undefined);
      this.#failed(attempt, error, isCutOff(error) ? 'network' : failureKind(error));
    }
  }
}
