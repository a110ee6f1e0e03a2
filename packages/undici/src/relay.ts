import { AsyncResource } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import { type FailureKind, failureKind, HookError, type Outcome, remember, ThrottledError } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { Attempt, type AttemptListener } from './attempt.ts';
import { Controller } from './controller.ts';
import { Downstream } from './downstream.ts';
import type { ResponseHeaders } from './headers.ts';
import { Download, isCutOff } from './resume.ts';
import { type Request, send } from './send.ts';
import { responseOutcome } from './traits.ts';

/** Sends a request's attempts one after the other, and gives its handler the response of the last. */
export class Relay implements AttemptListener {
  readonly #request: Request;
  readonly #downstream: Downstream;
  readonly #abort = new AbortController();
  /** Retries run where the request was made, for those who look that up in an `AsyncLocalStorage`. */
  readonly #scope = new AsyncResource('EbbRequest');
  #attempt: Attempt | undefined;
  /** The response that the handler is being given; nothing when it could not be taken up again. */
  #download: Download | undefined;

  constructor(request: Request, handler: Dispatcher.DispatchHandler) {
    this.#request = request;
    const controller = new Controller((reason) => this.#onAbort(reason));
    this.#downstream = new Downstream(handler, controller, request.session.history);
  }

  /** As `dispatch` does, answers whether the caller may go on dispatching. */
  start(): boolean {
    const waiting = this.#request.session.ready(this.#abort.signal);
    if (waiting === undefined) return this.#send();
    this.#sendAfter(waiting);
    try {
      // Before anything is sent, so that the handler can abort the wait.
      this.#downstream.start(undefined);
    } catch (error) {
      this.#downstream.controller.abort(error as Error);
    }
    return true;
  }

  #sendAfter(waiting: Promise<boolean>): void {
    waiting.then(
      (mayBeSent) => (mayBeSent ? this.#send() : this.#fail(new ThrottledError('The retry was not sent'))),
      (error) => this.#fail(error),
    );
  }

  #send(): boolean {
    const { session, policy, options } = this.#request;
    const downstream = this.#downstream;
    const upload = downstream.watchesUpload ? downstream : undefined;
    const attempt = new Attempt(this, session.attempt, policy, upload);
    this.#attempt = attempt;
    const { reason } = downstream.controller;
    if (reason !== null) {
      attempt.abort(reason);
      return true;
    }
    const { attemptTimeoutMs, clock } = session.policy;
    if (attemptTimeoutMs !== undefined) attempt.limit(clock, attemptTimeoutMs);
    return send(this.#request, attempt, this.#download?.changesForRest(options.headers));
  }

  #onAbort(reason: Error): void {
    if (this.#downstream.over) return;
    this.#abort.abort(reason);
    this.#attempt?.abort(reason);
  }

  /** Whether there will be another attempt; nothing when a hook that threw has ended the request. */
  #judge(attempt: Attempt, outcome: Outcome): boolean | undefined {
    try {
      const { retry } = this.#request.session.judge(outcome);
      // A hook may also have aborted it.
      return this.#downstream.over ? undefined : retry;
    } catch (hookError) {
      attempt.drop(hookError as Error);
      this.#fail(hookError);
      return undefined;
    }
  }

  #retry(released: Promise<void>): void {
    const { session, body } = this.#request;
    body?.drop?.();
    this.#scope.runInAsyncScope(() => {
      this.#sendAfter(session.ready(this.#abort.signal, released) ?? Promise.resolve(true));
    });
  }

  /** The end without a whole response. Of one that cannot be taken up again, what broke it is told. */
  #fail(error: unknown): void {
    const { session, body } = this.#request;
    const isOwn = this.#downstream.controller.aborted || error instanceof HookError;
    const told = isOwn ? error : (this.#download?.brokenBy ?? error);
    body?.drop?.();
    body?.close?.();
    remember(told, session.history);
    session.bodyEnded();
    this.#downstream.fail(told);
  }

  /** A server does not hold to what it said of the rest of a response. */
  #giveUp(attempt: Attempt, brokenBy: Error): void {
    attempt.drop(brokenBy);
    this.#fail(brokenBy);
  }

  started(_: Attempt, context: object | null | undefined): void {
    this.#downstream.start(context);
  }

  informed(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    if (this.#download !== undefined) return;
    this.#downstream.inform(attempt.number, attempt.connection, status, headers, message);
  }

  answered(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    const { session } = this.#request;
    const { method } = session.request;
    const brokenBy = this.#download?.brokenBy;
    const isRest = this.#download?.isContinuedBy(status, headers);
    // What a server sends in place of the rest is no success, whatever its status says.
    const isFalse = isRest === false && status < 400;
    const retry = this.#judge(
      attempt,
      isFalse ? { type: 'failure', kind: 'unknown', error: brokenBy } : responseOutcome(status, headers),
    );
    if (retry === undefined) return;
    if (retry) {
      const length = method === 'HEAD' ? 0 : Number(headers['content-length']);
      this.#retry(attempt.discard(session.policy.clock, length));
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
    const retry = this.#judge(attempt, responseOutcome(status, headers));
    if (retry === false) {
      this.#request.session.bodyEnded();
      return this.#downstream.upgrade(attempt.connection, status, headers, socket);
    }
    socket.destroy();
    if (retry) this.#retry(Promise.resolve());
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
      this.#request.session.bodyEnded();
      this.#downstream.end(attempt.connection, trailers);
    }
  }

  failed(attempt: Attempt, error: Error): void {
    this.#failed(attempt, error, error instanceof HookError ? 'unknown' : failureKind(error));
  }

  #failed(attempt: Attempt, error: Error, kindOfError: FailureKind): void {
    const kind = this.#downstream.controller.aborted ? 'aborted' : kindOfError;
    const retry = this.#judge(attempt, { type: 'failure', kind, error });
    if (retry) this.#retry(Promise.resolve());
    else if (retry === false) this.#fail(error);
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
