import { AsyncResource } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import { type FailureKind, HookError, type Outcome } from '@ebb/core';
import { failureKind, MOST_DISCARDED_BYTES, remember, rememberReason } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Aside } from './aside.ts';
import { Attempt, type AttemptListener } from './attempt.ts';
import type { DispatchChanges } from './body/request-body.ts';
import { Controller } from './controller.ts';
import { Downstream } from './downstream.ts';
import { isClosedError, namingOldUndici, requestAbortedError } from './errors.ts';
import type { ResponseHeaders } from './headers.ts';
import { Playback } from './playback.ts';
import { Download, isCutOff } from './resume.ts';
import { type Request, send } from './send.ts';
import { failureKindOf, failureOutcome, responseOutcome } from './traits.ts';

/** How much of a response is kept in case its dispatcher is closed before the retry, in bytes. */
const KEPT_FOR_CLOSE_BYTES = 16 * 1024;

/**
 * Sends the attempts of a request one after the other, and gives the handler the response of the last.
 */
export class Relay implements AttemptListener {
  readonly #request: Request;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #downstream: Downstream;
  readonly #abort = new AbortController();
  /** Retries run in the async context of the request, for callers that read an `AsyncLocalStorage`. */
  readonly #scope = new AsyncResource('EbbRequest');
  #attempt: Attempt | undefined;
  /** True while no attempt is under way, before the first attempt and before a retry. */
  #isWaiting = false;
  /** True until the caller's `dispatch` returns. Until then errors of the dispatcher are thrown to the caller. */
  #isDispatching = true;
  /** Ends the request with the result of the previous attempt. Set while a retry is planned and has not started. */
  #endWithPrevious: (() => void) | undefined;
  #playback: Playback | undefined;
  /** undici's error, if its dispatcher was closed while a retry was waiting. */
  #closedWith: Error | undefined;
  /** The response that the handler is receiving, if it can be resumed. */
  #download: Download | undefined;

  constructor(request: Request, handler: Dispatcher.DispatchHandler) {
    this.#request = request;
    this.#handler = handler;
    const controller = new Controller((reason) => this.#onAbort(reason));
    this.#downstream = new Downstream(handler, controller, request.session.history);
  }

  /**
   * Returns, as `dispatch` does, whether the caller may go on dispatching.
   *
   * @throws what the dispatcher throws, or what the handler throws when it is given an error
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

  /** Gives the handler its controller before anything is sent, so that it can abort the wait. */
  #startHandler(): void {
    try {
      this.#downstream.start();
    } catch (error) {
      this.#downstream.controller.abort(error as Error);
    }
  }

  #sendAfter(waiting: Promise<boolean>): void {
    this.#isWaiting = true;
    const unwatch = this.#endWithPrevious && this.#request.closing?.watch((error) => this.#onClosed(error));
    waiting.then(
      (isReady) => {
        unwatch?.();
        if (isReady) this.#send();
        else this.#endWithPrevious?.();
      },
      (error) => {
        unwatch?.();
        if (error === this.#closedWith) this.#endWithPrevious?.();
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
    let taken: DispatchChanges | Promise<DispatchChanges> | undefined;
    try {
      taken = body?.take();
    } catch (error) {
      attempt.onResponseError(undefined, error as Error);
      return false;
    }
    if (!(taken instanceof Promise)) return this.#dispatch(attempt, taken);
    taken.then(
      (made) => {
        if (attempt.over) body?.release?.(made);
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
    attempt.mirror(this.#handler, options);
    this.#isWaiting = false;
    this.#attempt = attempt;
    return attempt;
  }

  #dispatch(attempt: Attempt, taken: DispatchChanges | undefined): boolean {
    const { body, options } = this.#request;
    if (taken !== undefined) attempt.onReleaseBody(() => body?.release?.(taken));
    const rest = this.#download?.changesForRest(options.headers);
    try {
      return send(this.#request, attempt, rest || taken ? { ...rest, ...taken } : undefined);
    } catch (thrown) {
      // Thrown by the handler: passed up, as without ebb.
      if (attempt.over) throw thrown;
      const error = namingOldUndici(thrown) as Error;
      if (this.#isDispatching) return this.#dispatcherThrew(attempt, error);
      attempt.onResponseError(undefined, error);
      return false;
    }
  }

  /** A dispatcher that throws reports nothing to its handler. Unless there is a retry, throws to the caller as well. */
  #dispatcherThrew(attempt: Attempt, error: Error): boolean {
    const { session, body, options } = this.#request;
    const retry = this.#judge(attempt, failureOutcome(attempt, failureKind(error), error, options));
    attempt.drop(error);
    if (retry === undefined) return false;
    if (retry) {
      this.#retry(() => this.#fail(error));
      return true;
    }
    attempt.releaseBody();
    body?.close?.();
    remember(error, session.history);
    this.#downstream.endSilently();
    throw error;
  }

  started(attempt: Attempt, context: object | null | undefined): void {
    // From here on this attempt determines the result.
    this.#endWithPrevious = undefined;
    this.#downstream.start(context, attempt.starts > 1);
  }

  informed(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    if (this.#download !== undefined) return;
    this.#downstream.inform(attempt.number, attempt.connection, status, headers, message);
  }

  responded(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    const { method } = this.#request.session.request;
    const brokenBy = this.#download?.brokenBy;
    const isRest = this.#download?.isContinuedBy(status, headers);
    // A response that is not the rest of the download is a failure, even with a status of success.
    const isMismatch = isRest === false && status < 400;
    const retry = this.#judge(
      attempt,
      isMismatch
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
      this.#giveUp(attempt, brokenBy);
    }
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
      // Longer than the server said: an interceptor changes the body, so offsets in it are not those of the server.
      this.#download = undefined;
      this.#downstream.data(chunk);
    }
  }

  ended(attempt: Attempt, trailers: ResponseHeaders): void {
    const download = this.#download;
    if (download?.brokenBy !== undefined && !download.isComplete) {
      this.#giveUp(attempt, download.brokenBy);
    } else {
      // If the response came before the upload was done, undici still waits for the upload.
      attempt.releaseBody();
      this.#request.session.bodyEnded();
      this.#downstream.end(attempt.connection, trailers);
    }
  }

  failed(attempt: Attempt, error: Error): void {
    this.#failed(attempt, error, failureKindOf(attempt, error));
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

  #failed(attempt: Attempt, error: Error, kindOfError: FailureKind): void {
    const { controller, threw } = this.#downstream;
    // An error that the handler throws ends its request, even if `classify` would retry it.
    if (threw) this.#abort.abort(error);
    if (attempt.isQueued) this.#request.body?.abandoned?.();
    const kind = controller.aborted ? 'aborted' : threw ? 'unknown' : kindOfError;
    const retry = this.#judge(attempt, failureOutcome(attempt, kind, error, this.#request.options));
    if (retry) {
      this.#retry(() => this.#fail(error));
    } else if (retry === false) {
      const isUnsent = attempt.starts === 0 && isClosedError(error);
      if (isUnsent && this.#endWithPrevious !== undefined) this.#endWithPrevious();
      else this.#fail(error);
    }
  }

  failedAgain(error: Error): void {
    this.#downstream.failAgain(error);
  }

  /** True for a retry; `undefined` if a hook threw or aborted, which has ended the request. */
  #judge(attempt: Attempt, outcome: Outcome): boolean | undefined {
    let retry: boolean;
    try {
      retry = this.#request.session.judge(outcome).retry;
    } catch (hookError) {
      this.#giveUp(attempt, hookError as Error);
      return undefined;
    }
    return this.#downstream.over ? undefined : retry;
  }

  #setAside(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): Aside {
    const { session } = this.#request;
    return attempt.setAside(status, headers, message, {
      clock: session.policy.clock,
      longestMs: session.discardMs,
      mostKeptBytes: session.keepsAnswer ? MOST_DISCARDED_BYTES : KEPT_FOR_CLOSE_BYTES,
      contentLength: session.request.method === 'HEAD' ? 0 : Number(headers['content-length']),
    });
  }

  /**
   * @param endWithPrevious ends the request if the retry is not sent
   * @param released resolves when the connection of the attempt can be used again
   */
  #retry(endWithPrevious: () => void, released: Promise<void> = Promise.resolve()): void {
    const { session } = this.#request;
    this.#attempt?.releaseBody();
    this.#endWithPrevious = endWithPrevious;
    this.#scope.runInAsyncScope(() => {
      this.#sendAfter(session.ready(this.#abort.signal, released) ?? Promise.resolve(true));
    });
    // An attempt that had no connection has not started the handler.
    this.#startHandler();
  }

  /** Ends with a response that was set aside. */
  #play(aside: Aside): void {
    if (this.#downstream.over) return;
    this.#request.body?.close?.();
    this.#playback = new Playback(aside, this.#downstream);
    this.#playback.start();
  }

  /** Ends with an error: for a download that was not resumed, with the error that broke it. */
  #fail(error: unknown): void {
    const { session, body } = this.#request;
    const { controller, threw, over } = this.#downstream;
    if (over) return;
    const isLocal = controller.aborted || threw || error instanceof HookError;
    const reported = isLocal ? error : (this.#download?.brokenBy ?? error);
    this.#attempt?.releaseBody();
    body?.close?.();
    if (controller.aborted) rememberReason(reported, session.history);
    else remember(reported, session.history);
    session.bodyEnded();
    try {
      this.#downstream.fail(reported, this.#attempt?.connection);
    } finally {
      if (this.#isWaiting) body?.unsent?.(reported);
    }
  }

  /** Ends with an error while undici still has the attempt. */
  #giveUp(attempt: Attempt, error: Error): void {
    try {
      this.#fail(error);
    } finally {
      attempt.drop(error);
    }
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

  /** The dispatcher was closed while a retry was waiting, so the retry cannot be sent. */
  #onClosed(error: Error): void {
    this.#closedWith = error;
    this.#abort.abort(error);
  }
}
