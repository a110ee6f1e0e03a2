import { AsyncResource, executionAsyncId } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import { classifyHttp, type FailureKind, HookError, type Outcome, type Policy } from '@ebb/core';
import {
  type AsideBounds,
  failureKind,
  MOST_DISCARDED_BYTES,
  OutOfTime,
  type Readiness,
  remember,
  rememberReason,
  type Session,
} from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Aside, ResponseHead } from './aside.ts';
import { Attempt, type AttemptListener } from './attempt.ts';
import type { DispatchChanges, RequestBody } from './body/request-body.ts';
import { type AbortListener, Controller } from './controller.ts';
import { Downstream } from './downstream.ts';
import { headersTimeoutError, isClosedError, namingOldUndici, requestAbortedError } from './errors.ts';
import { changedHeaders } from './header-changes.ts';
import type { RequestHeaders, ResponseHeaders } from './headers.ts';
import { Held } from './held.ts';
import { peekAt } from './peek.ts';
import { Download, isCutOff } from './resume.ts';
import { type Composition, send } from './send.ts';
import { isRedirect, type Trail } from './trail.ts';
import { failureKindOf, failureOutcome, responseOutcome } from './traits.ts';

/** How much of a response is kept in case its dispatcher is closed before the retry, in bytes. */
const KEPT_FOR_CLOSE_BYTES = 16 * 1024;

/** True if code of the user runs when this outcome is judged. Entering the context takes a tenth of a request. */
function callsBack({ onEvent, classify, bucket, budget }: Policy, outcome: Outcome): boolean {
  const isSuccess = outcome.type === 'response' && outcome.status < 400;
  return !isSuccess || onEvent !== undefined || classify !== classifyHttp || (bucket ?? budget) !== undefined;
}

/** A function of the module: a closure would be allocated for each response. */
function judge(session: Session, outcome: Outcome, hasAnswer: boolean): boolean {
  return session.judge(outcome, hasAnswer).retry;
}

/**
 * Sends the attempts of a request one after the other, and gives the handler the response of the last. Retries and
 * the callbacks of the policy run in the async context of the request, for callers that read an `AsyncLocalStorage`; the handler
 * is called as undici calls it.
 */
export class Relay extends AsyncResource implements AttemptListener, AbortListener {
  readonly #composition: Composition;
  readonly #options: Dispatcher.DispatchOptions;
  /** `undefined` if the options can be dispatched again as they are. */
  readonly #body: RequestBody | undefined;
  readonly #session: Session;
  readonly #downstream: Downstream;
  /** Ends a wait. Made when it is needed: a request that waits for nothing has none. */
  #abort: AbortController | undefined;
  #attempt: Attempt | undefined;
  /** `waiting` while no attempt is under way, before the first attempt and before a retry. */
  #phase: 'waiting' | 'sent' = 'sent';
  /** True until the caller's `dispatch` returns. Until then errors of the dispatcher are thrown to the caller. */
  #isDispatching = true;
  /** Ends the request with the result of the previous attempt. Set while a retry is planned and has not started. */
  #endWithPrevious: (() => void) | undefined;
  #playback: Held | undefined;
  /** The last response that a retry followed. */
  #answer: Aside | undefined;
  /** The response that the handler is receiving, if it can be resumed. */
  #download: Download | undefined;

  constructor(
    composition: Composition,
    options: Dispatcher.DispatchOptions,
    body: RequestBody | undefined,
    session: Session,
    handler: Dispatcher.DispatchHandler,
    trail?: Trail,
  ) {
    // The default, which takes Node twice as long if it is not given.
    super('EbbRequest', executionAsyncId());
    this.#composition = composition;
    this.#options = options;
    this.#body = body;
    this.#session = session;
    this.#downstream = new Downstream(
      handler,
      new Controller(this),
      session,
      trail && { trail, trails: composition.trails },
    );
  }

  /**
   * Returns, as `dispatch` does, whether the caller may go on dispatching.
   *
   * @throws what the dispatcher throws, or what the handler throws when it is given an error
   */
  start(): boolean {
    try {
      const { bucket, concurrency, beforeAttempt } = this.#session.policy;
      const make = this.#body?.make;
      // The first attempt waits for nothing else.
      const canWait =
        bucket !== undefined ||
        concurrency !== undefined ||
        beforeAttempt !== undefined ||
        make !== undefined;
      const waiting = this.#session.ready(canWait ? this.#signalIfNeeded() : undefined, undefined, make);
      if (waiting === undefined) return this.#send();
      this.#sendAfter(waiting);
      this.#startHandler();
      return true;
    } finally {
      this.#isDispatching = false;
    }
  }

  /** A method of its own: a function that holds `this` costs memory as soon as the method around it is called. */
  #signalIfNeeded(): () => AbortSignal {
    return () => this.#waits.signal;
  }

  get #waits(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  /** Gives the handler its controller before anything is sent, so that it can abort the wait. */
  #startHandler(): void {
    try {
      this.#downstream.start();
    } catch (error) {
      this.#downstream.controller.abort(error as Error);
    }
  }

  #sendAfter(waiting: Promise<Readiness>): void {
    this.#phase = 'waiting';
    waiting.then(
      (isReady) => {
        if (isReady === true) this.#send();
        else if (isReady === false) this.#endWithPrevious?.();
        else this.#judgeUnsent(headersTimeoutError(isReady.timeoutMs));
      },
      (error) => this.#fail(error instanceof OutOfTime ? headersTimeoutError(error.timeoutMs) : error),
    );
  }

  /** An attempt has run into its timeout before it was sent. */
  #judgeUnsent(error: Error): void {
    const outcome: Outcome = { type: 'failure', kind: 'timeout', error, redirected: false };
    const retry = this.#judge(undefined, outcome);
    if (retry) this.#retry(() => this.#fail(error));
    else if (retry === false) this.#endFailed(error);
  }

  #waitAndSend(released: Promise<void>): void {
    const waiting = this.#session.ready(this.#waits.signal, released, this.#body?.make);
    this.#sendAfter(waiting ?? Promise.resolve(true));
  }

  #send(): boolean {
    const attempt = this.#nextAttempt();
    const { aborted, reason } = this.#downstream.controller;
    if (aborted) {
      attempt.abort(reason as Error);
      return true;
    }
    const session = this.#session;
    const timeoutMs = session.timeoutMs();
    if (timeoutMs !== undefined) attempt.limit(session.policy.clock, timeoutMs, session.namedTimeoutMs);
    return this.#dispatch(attempt, this.#changes());
  }

  /** Options that the attempt has in place of the request's own. */
  #changes(): DispatchChanges | undefined {
    const taken = this.#body?.take();
    const headers = this.#session.headerChanges;
    return headers === undefined
      ? taken
      : { ...taken, headers: changedHeaders(this.#options.headers, headers) };
  }

  #nextAttempt(): Attempt {
    const downstream = this.#downstream;
    const attempt = new Attempt(this, downstream.watchesUpload ? downstream : undefined);
    attempt.mirror(downstream.handler, this.#options);
    this.#phase = 'sent';
    this.#attempt = attempt;
    return attempt;
  }

  #dispatch(attempt: Attempt, made: DispatchChanges | undefined): boolean {
    if (made !== undefined) attempt.reads(this.#body, made);
    const headers = (made?.headers as RequestHeaders) ?? this.#options.headers;
    const rest = this.#download?.changesForRest(headers);
    const changes = rest ? { ...made, ...rest } : made;
    try {
      return send(this.#composition.dispatch, this.#options, this.#session, attempt, changes);
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
    const retry = this.#judge(attempt, failureOutcome(attempt, failureKind(error), error, this.#options));
    attempt.drop(error);
    if (retry === undefined) return false;
    if (retry) {
      this.#retry(() => this.#fail(error));
      return true;
    }
    attempt.releaseBody();
    this.#body?.close?.();
    remember(error, this.#session.trace);
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
    this.#downstream.inform(attempt, status, headers, message);
  }

  responded(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    const brokenBy = this.#download?.brokenBy;
    if (this.#session.inspects && brokenBy === undefined) {
      this.runInAsyncScope(this.#inspect, this, attempt, status, headers, message);
      return;
    }
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
      const aside = attempt.setAside(status, headers, message, this.#asideBounds(headers));
      if (brokenBy === undefined) this.#answer = aside;
      // Bound, not closures: a function with a closure allocates for it on every call.
      const end = brokenBy === undefined ? this.#play.bind(this, aside) : this.#fail.bind(this, brokenBy);
      this.#retry(end, aside.released);
    } else if (brokenBy === undefined) {
      if (status >= 300 && isRedirect(status) && this.#session.holdsSlot) {
        const { rawHeaders = null } = attempt.connection ?? {};
        this.#playRedirect(attempt, { status, headers, message, rawHeaders });
        return;
      }
      attempt.forward();
      this.#download = Download.of(this.#session.request, status, headers);
      this.#downstream.respond(attempt.connection, status, headers, message);
    } else if (isRest) {
      attempt.forward();
      this.#downstream.controller.attach(attempt.connection);
    } else {
      this.#giveUp(attempt, brokenBy);
    }
  }

  /** Holds the response back until the policy has inspected it. */
  #inspect(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    const held = attempt.hold(status, headers, message);
    const outcome = responseOutcome(attempt, status, headers);
    this.#session
      .inspect(outcome, () => peekAt(held))
      .then(
        (inspected) => {
          if (!attempt.over) this.#inspected(attempt, held, inspected);
        },
        (hookError: Error) => {
          if (attempt.over) return;
          this.#session.fail(outcome, hookError);
          this.#giveUp(attempt, hookError);
        },
      );
  }

  #inspected(attempt: Attempt, held: Held, outcome: Outcome): void {
    const { status, headers, message } = held.head;
    const retry = this.#judge(attempt, outcome);
    if (retry) {
      const aside = attempt.setHeldAside(held, this.#asideBounds(headers));
      this.#answer = aside;
      this.#retry(this.#play.bind(this, aside), aside.released);
    } else if (retry === false) {
      if (isRedirect(status) && this.#session.holdsSlot) {
        this.#playRedirect(attempt, held.head, held);
        return;
      }
      this.#download = Download.of(this.#session.request, status, headers);
      attempt.play(held, () => this.#downstream.respond(held, status, headers, message));
    }
  }

  /** With a slot: its body may be left unread, see {@link RedirectBody}. */
  #playRedirect(attempt: Attempt, head: ResponseHead, held?: Held): void {
    attempt.playRedirect(head, this.#session.policy.clock, held, (controller) =>
      this.#downstream.respond(controller, head.status, head.headers, head.message),
    );
  }

  arrived(attempt: Attempt): void {
    attempt.releaseBody();
    this.#session.bodyEnded();
  }

  upgraded(attempt: Attempt, status: number, headers: ResponseHeaders, socket: Duplex): unknown {
    const { connection } = attempt;
    const retry = this.#judge(attempt, responseOutcome(attempt, status, headers));
    if (retry === false) {
      this.#session.bodyEnded();
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
      this.#session.bodyEnded();
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
    if (threw) this.#waits.abort(error);
    if (attempt.isQueued && this.#phase === 'sent') this.#body?.abandoned?.();
    const kind = controller.aborted ? 'aborted' : threw ? 'unknown' : kindOfError;
    const retry = this.#judge(attempt, failureOutcome(attempt, kind, error, this.#options));
    if (retry) {
      this.#retry(() => this.#fail(error));
    } else if (retry === false) {
      const isUnsent = attempt.starts === 0 && isClosedError(error);
      if (isUnsent && this.#endWithPrevious !== undefined) this.#endWithPrevious();
      else this.#endFailed(error);
    }
  }

  /** Ends after a failed attempt: with its error, or after the total timeout with the last response before it. */
  #endFailed(error: Error): void {
    if (this.#session.fallsBack && this.#answer !== undefined) this.#play(this.#answer);
    else this.#fail(error);
  }

  failedAgain(error: Error): void {
    this.#downstream.failAgain(error);
  }

  /** True for a retry; `undefined` if a hook threw or aborted, which has ended the request. */
  #judge(attempt: Attempt | undefined, outcome: Outcome): boolean | undefined {
    let retry: boolean;
    try {
      const hasAnswer = this.#answer?.isComplete === true;
      // undici reports a response in the async context of whichever request opened its connection.
      retry = callsBack(this.#session.policy, outcome)
        ? this.runInAsyncScope(judge, undefined, this.#session, outcome, hasAnswer)
        : this.#session.judge(outcome, hasAnswer).retry;
    } catch (hookError) {
      this.#giveUp(attempt, hookError as Error);
      return undefined;
    }
    return this.#downstream.over ? undefined : retry;
  }

  #asideBounds(headers: ResponseHeaders): AsideBounds {
    const session = this.#session;
    return {
      clock: session.policy.clock,
      longestMs: session.discardMs,
      mostKeptBytes: session.keepsAnswer ? MOST_DISCARDED_BYTES : KEPT_FOR_CLOSE_BYTES,
      contentLength: session.request.method === 'HEAD' ? 0 : Number(headers['content-length']),
    };
  }

  /**
   * @param endWithPrevious ends the request if the retry is not sent
   * @param released resolves when the connection of the attempt can be used again
   */
  #retry(endWithPrevious: () => void, released: Promise<void> = Promise.resolve()): void {
    this.#attempt?.releaseBody();
    this.#endWithPrevious = endWithPrevious;
    this.runInAsyncScope(this.#waitAndSend, this, released);
    // An attempt that had no connection has not started the handler.
    this.#startHandler();
  }

  /** Ends with a response that was set aside. */
  #play(aside: Aside): void {
    if (this.#downstream.over) return;
    if (!aside.isOver) {
      // The policy has stopped while the response is still being read.
      void aside.released.then(() => this.#play(aside));
      return;
    }
    this.#body?.close?.();
    const { status, headers, message } = aside.head;
    const playback = Held.of(aside, this.#downstream);
    this.#playback = playback;
    playback.start(() => this.#downstream.respond(playback, status, headers, message));
  }

  /** Ends with an error: for a download that was not resumed, with the error that broke it. */
  #fail(error: unknown): void {
    const { controller, threw, over } = this.#downstream;
    if (over) return;
    const isLocal = controller.aborted || threw || error instanceof HookError;
    const reported = isLocal ? error : (this.#download?.brokenBy ?? error);
    this.#attempt?.releaseBody();
    this.#body?.close?.();
    if (controller.aborted) rememberReason(reported, this.#session.trace);
    else remember(reported, this.#session.trace);
    this.#session.bodyEnded();
    try {
      this.#downstream.fail(reported, this.#attempt?.connection);
    } finally {
      if (this.#phase !== 'sent') this.#body?.unsent?.(reported);
    }
  }

  /** Ends with an error while undici still has the attempt. */
  #giveUp(attempt: Attempt | undefined, error: Error): void {
    try {
      this.#fail(error);
    } finally {
      attempt?.drop(error);
    }
  }

  aborted(reason: Error | undefined): void {
    if (this.#downstream.over) return;
    const error = reason ?? requestAbortedError();
    const attempt = this.#attempt;
    this.#waits.abort(error);
    if (this.#playback !== undefined) {
      this.#playback.abort(error);
    } else if (this.#phase === 'waiting' || attempt === undefined) {
      try {
        this.#fail(error);
      } finally {
        attempt?.abort(error);
      }
    } else {
      attempt.abort(reason);
    }
  }
}
