import { AsyncResource, executionAsyncId } from 'node:async_hooks';
import { HookError, type Outcome } from '@ebb/core';
import { OutOfTime, remember, rememberReason, type Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { Aside } from './aside.ts';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body/request-body.ts';
import { type AbortListener, Controller } from './controller.ts';
import { Downstream, type Path } from './downstream.ts';
import { headersTimeoutError, isClosedError, requestAbortedError } from './errors.ts';
import type { ResponseHead } from './headers.ts';
import type { Held } from './held.ts';
import { judgeIn } from './judge.ts';
import type { Download } from './resume.ts';
import { send } from './send.ts';
import type { Composition, End, Steps } from './steps.ts';
import { failureKindOf, failureOutcome } from './traits.ts';

/**
 * Drives a request: waits, sends an attempt, and from what came of it looks, sets aside or finishes. Retries and callbacks of
 * the policy run in the async context of the request; the handler is called as undici calls it.
 */
export abstract class Driver extends AsyncResource implements Steps, AbortListener {
  readonly composition: Composition;
  readonly options: Dispatcher.DispatchOptions;
  readonly body: RequestBody | undefined;
  readonly session: Session;
  readonly downstream: Downstream;
  download: Download | undefined;
  /** Ends a wait. Made when it is needed: a request that waits for nothing has none. */
  #abort: AbortController | undefined;
  #attempt: Attempt | undefined;
  /** True while no attempt is under way, before the first attempt and before a retry. */
  #isWaiting = false;
  /** Until the caller's `dispatch` returns. */
  #isDispatching = true;
  /** What the request ends with if the retry that is planned is not sent. */
  #previous: End | undefined;
  /** The last response that a retry followed. */
  #answer: Aside | undefined;
  /** Plays it, once it is the result. */
  #playback: Held | undefined;

  constructor(
    composition: Composition,
    options: Dispatcher.DispatchOptions,
    body: RequestBody | undefined,
    session: Session,
    handler: Dispatcher.DispatchHandler,
    path?: Path,
  ) {
    // The default, which takes Node twice as long if it is not given.
    super('EbbRequest', executionAsyncId());
    this.composition = composition;
    this.options = options;
    this.body = body;
    this.session = session;
    this.downstream = new Downstream(handler, new Controller(this), session, path);
  }

  /**
   * Returns, as `dispatch` does, whether the caller may go on dispatching.
   *
   * @throws what the dispatcher throws, or what the handler throws when it is given an error
   */
  start(): boolean {
    try {
      const { bucket, concurrency, beforeAttempt, use } = this.session.policy;
      const make = this.body?.make;
      // The first attempt waits for nothing else.
      const canWait = (bucket ?? concurrency ?? beforeAttempt ?? use ?? make) !== undefined;
      const signal = canWait ? this.#signalIfNeeded() : undefined;
      if (this.session.next('begin', signal, undefined, make) === 'send') return this.#send();
      this.#sendAfter();
      this.downstream.begin();
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

  wait(end: End, released: Promise<void> = Promise.resolve()): void {
    this.#attempt?.releaseBody();
    this.#previous = end;
    this.runInAsyncScope(this.#waitAndSend, this, released);
    // An attempt that had no connection has not started the handler.
    this.downstream.begin();
  }

  #waitAndSend(released: Promise<void>): void {
    this.session.next('begin', this.#waits.signal, released, this.body?.make);
    this.#sendAfter();
  }

  #sendAfter(): void {
    this.#isWaiting = true;
    const { session } = this;
    (session.waiting ?? Promise.resolve(true)).then(
      (readiness) => {
        if (readiness instanceof OutOfTime) this.#judgeUnsent(headersTimeoutError(readiness.timeoutMs));
        else if (session.next('woken', readiness) === 'send') this.#send();
        else if (this.#previous !== undefined) this.finish(this.#previous);
      },
      (error) => this.#fail(error instanceof OutOfTime ? headersTimeoutError(error.timeoutMs) : error),
    );
  }

  /** An attempt has run into its timeout before it was sent. */
  #judgeUnsent(error: Error): void {
    const outcome: Outcome = { type: 'failure', kind: 'timeout', error, redirected: false };
    this.#follow(this.judge(undefined, outcome), error);
  }

  #send(): boolean {
    const { downstream, session } = this;
    const attempt = this.makeAttempt();
    attempt.mirror(downstream.handler, this.options);
    this.#isWaiting = false;
    this.#attempt = attempt;
    const { aborted, reason } = downstream.controller;
    if (aborted) attempt.abort(reason as Error);
    if (aborted) return true;
    const timeoutMs = session.timeoutMs();
    if (timeoutMs !== undefined) attempt.limit(session.policy.clock, timeoutMs, session.namedTimeoutMs);
    return send(this, attempt, this.#isDispatching);
  }

  protected abstract makeAttempt(): Attempt;
  abstract respond(attempt: Attempt, head: ResponseHead, held: Held): void;

  started(attempt: Attempt, context: object | null | undefined): void {
    // From here on this attempt determines the result.
    this.#previous = undefined;
    this.downstream.start(context, attempt.starts > 1);
  }

  judge(attempt: Attempt | undefined, outcome: Outcome): boolean | undefined {
    let retry: boolean;
    try {
      // A handler that is receiving a response cannot be given another one.
      const hasAnswer = this.download === undefined && this.#answer?.isComplete === true;
      retry = judgeIn(this, this.session, outcome, hasAnswer);
    } catch (hookError) {
      this.giveUp(attempt, hookError as Error);
      return undefined;
    }
    return this.downstream.over ? undefined : retry;
  }

  setAside(attempt: Attempt, head: ResponseHead, held?: Held): void {
    const { session, download } = this;
    const aside = attempt.setAside(head, session, held);
    if (download?.brokenBy === undefined) this.#answer = aside;
    this.wait(download?.brokenBy ?? aside, aside.released);
  }

  failed(attempt: Attempt, error: Error): void {
    const { controller, threw } = this.downstream;
    // An error that the handler throws ends its request, even if `classify` would retry it.
    if (threw) this.#waits.abort(error);
    if (attempt.isQueued && !this.#isWaiting) this.body?.abandoned?.();
    const kind = controller.aborted ? 'aborted' : threw ? 'unknown' : failureKindOf(attempt, error);
    const retry = this.judge(attempt, failureOutcome(attempt, kind, error, this.options));
    const isRefused = retry === false && attempt.starts === 0 && isClosedError(error);
    if (isRefused && this.#previous !== undefined) this.finish(this.#previous);
    else this.#follow(retry, error);
  }

  /** After a failed attempt: waits for the retry, or ends, after the total timeout with the last response before it. */
  #follow(retry: boolean | undefined, error: Error): void {
    if (retry) this.wait(error);
    else if (retry === false) this.finish((this.session.fallsBack ? this.#answer : undefined) ?? error);
  }

  finish(end: End): void {
    if (end instanceof Aside) this.#play(end);
    else if (typeof end === 'function') end();
    else this.#fail(end);
  }

  #play(aside: Aside): void {
    const { downstream } = this;
    if (downstream.over) return;
    if (!aside.isOver) {
      // The policy has stopped while the response is still being read.
      void aside.released.then(() => this.#play(aside));
      return;
    }
    this.body?.close?.();
    const { status, headers, message } = aside.head;
    const playback = aside.held(downstream);
    this.#playback = playback;
    playback.start(() => downstream.respond(playback, status, headers, message));
  }

  /** Ends with an error: for a download that was not resumed, with the error that broke it. */
  #fail(error: unknown): void {
    const { controller, threw, over } = this.downstream;
    if (over) return;
    const isLocal = controller.aborted || threw || error instanceof HookError;
    const reported = isLocal ? error : (this.download?.brokenBy ?? error);
    this.#attempt?.releaseBody();
    this.body?.close?.();
    if (controller.aborted) rememberReason(reported, this.session.trace);
    else remember(reported, this.session.trace);
    this.session.bodyEnded();
    try {
      this.downstream.fail(reported, this.#attempt?.connection);
    } finally {
      if (this.#isWaiting) this.body?.unsent?.(reported);
    }
  }

  giveUp(attempt: Attempt | undefined, error: Error): void {
    try {
      this.#fail(error);
    } finally {
      attempt?.drop(error);
    }
  }

  aborted(reason: Error | undefined): void {
    if (this.downstream.over) return;
    const error = reason ?? requestAbortedError();
    const attempt = this.#attempt;
    this.#waits.abort(error);
    if (this.#playback !== undefined) {
      this.#playback.abort(error);
    } else if (!this.#isWaiting && attempt !== undefined) {
      attempt.abort(reason);
    } else {
      try {
        this.#fail(error);
      } finally {
        attempt?.abort(error);
      }
    }
  }
}
