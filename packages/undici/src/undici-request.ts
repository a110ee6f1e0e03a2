import type { Duplex } from 'node:stream';
import type { Outcome, Policy } from '@ebb/core';
import {
  attemptsOf,
  Call,
  classifyHttp,
  fail,
  failureKind,
  hasReachedLayer,
  judge,
  layerOf,
  look,
  OutOfTime,
  pass,
  prepare,
  type Readiness,
  remember,
  rememberReason,
  rememberSuccess,
} from '@ebb/core/adapter';
import { type Download, rememberOf } from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { Attempt } from './attempt.ts';
import { type AttemptListener, uploadEvents } from './attempt-listener.ts';
import type { RequestBody } from './body/request-body.ts';
import type { Composition } from './composition.ts';
import { dispatchAttempt } from './dispatch.ts';
import { Downstream } from './downstream.ts';
import { headersTimeoutError, isClosedError, namingOldUndici, requestAbortedError } from './errors.ts';
import { hideMissingMethods } from './gaps.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import type { Held } from './held.ts';
import { peekAt } from './peek.ts';
import { downloadOf } from './resume.ts';
import { downloadResumer } from './resume-request.ts';
import { ResumedBody } from './resumed-body.ts';
import { failureKindOf, failureOutcome, responseOutcome, Traits } from './traits.ts';

type Options = Dispatcher.DispatchOptions;

/** The end of a request: an attempt whose response was set aside, or a function that tells the handler. */
type End = Attempt | (() => unknown);

/** The statuses that a `fetch` follows or refuses, and whose body it may leave unread. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** True if code of the user runs when this outcome is judged. Entering the context takes a tenth of a request. */
function callsBack({ onEvent, classify, bucket, budget }: Policy, outcome: Outcome): boolean {
  const isSuccess = outcome.type === 'response' && outcome.status < 400;
  return !isSuccess || onEvent !== undefined || classify !== classifyHttp || (bucket ?? budget) !== undefined;
}

/**
 * A request on its way: prepare → send → judge, as `Call.run` does it, by the events of its attempts. Retries and callbacks of the policy
 * run in the async context of the request; the handler is called as undici calls it.
 */
export class UndiciRequest extends Downstream implements AttemptListener<Attempt> {
  readonly composition: Composition;
  readonly options: Options;
  /** `undefined` if the options can be dispatched again as they are. */
  readonly body: RequestBody | undefined;
  /** True if it asks for the rest of a download, whose break another request deals with. */
  declare isRest?: true;
  /** `undefined` while nothing is needed of it: see {@link call}. */
  #started: Call | undefined;
  /** The status of a success without a call. */
  #status = 0;
  #attempt: Attempt | undefined;
  /** True until the caller's `dispatch` returns: errors of the dispatcher are then thrown to the caller. */
  #isDispatching = true;
  /** True while no attempt is under way, before the first attempt and before a retry. */
  #isWaiting = false;
  /** Ends a wait. Made when it is needed: a request that waits for nothing has none. */
  #abort: AbortController | undefined;
  /** What the request ends with if the retry that is planned is not sent. */
  #previous: End | undefined;
  /** The last attempt with a response that a retry followed. */
  #answer: Attempt | undefined;
  /** The response that the handler is receiving, if it can go on after a break, and what goes on. */
  #download: Download | undefined;
  #resumed: ResumedBody | undefined;

  /** @param call `undefined` if nothing has to be made before the first failure */
  constructor(
    composition: Composition,
    options: Options,
    body: RequestBody | undefined,
    handler: Dispatcher.DispatchHandler,
    call: Call | undefined,
  ) {
    super(handler);
    this.composition = composition;
    this.options = options;
    this.body = body;
    this.#started = call;
  }

  /** The first attempt may have been sent without it. */
  get call(): Call {
    if (this.#started === undefined) {
      const { policy, ownOrigin } = this.composition;
      const request = new Traits(this.options, this.body, ownOrigin);
      this.#started = new Call(policy, request, undefined, 'dispatcher');
      this.#started.attempt = 1;
    }
    return this.#started;
  }

  get #waits(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  /**
   * Returns, as `dispatch` does, whether the caller may go on dispatching.
   *
   * @throws an error of the dispatcher, or that of a handler that throws when it is given an error
   */
  start(): boolean {
    try {
      const ready =
        this.#started && prepare(this.#started, this.#signalIfNeeded(), undefined, this.body?.make);
      if (ready === undefined) return this.#send();
      this.#sendAfter(ready);
      this.begin();
      return true;
    } finally {
      this.#isDispatching = false;
    }
  }

  /** A method of its own: a function that holds `this` costs memory as soon as the method around it is called. */
  #signalIfNeeded(): () => AbortSignal {
    return () => this.#waits.signal;
  }

  /**
   * Waits for the retry, and sends it.
   *
   * @param end what the request ends with if the retry is not sent
   * @param released resolves when the connection of the attempt can be used again
   */
  #again(end: End, released: Promise<void> = Promise.resolve()): void {
    this.#attempt?.releaseBody();
    this.#previous = end;
    this.runInAsyncScope(() => {
      const ready = prepare(this.call, this.#waits.signal, released, this.body?.make);
      this.#sendAfter(ready ?? Promise.resolve(true));
    });
    // An attempt that had no connection has not started the handler.
    this.begin();
  }

  #sendAfter(ready: Promise<Readiness>): void {
    this.#isWaiting = true;
    ready.then(
      (readiness) => {
        if (readiness === true) this.#send();
        else if (readiness !== false) this.#unsent(headersTimeoutError(readiness.timeoutMs));
        else if (this.#previous !== undefined) this.#finish(this.#previous);
      },
      (error) => this.#fail(error instanceof OutOfTime ? headersTimeoutError(error.timeoutMs) : error),
    );
  }

  /** An attempt has run into its timeout before it was sent. */
  #unsent(error: unknown): void {
    // An observer of the attempt may have aborted it.
    const kind = this.controller.aborted ? 'aborted' : 'timeout';
    // One that aborts while it is judged ends it in the next wait, as after an attempt that was sent.
    this.#isWaiting = false;
    this.#follow(this.#judge(undefined, { type: 'failure', kind, error, redirected: false }), error);
  }

  #send(): boolean {
    const { controller } = this;
    const attempt = this.#makeAttempt();
    this.#isWaiting = false;
    this.#attempt = attempt;
    if (controller.aborted) {
      attempt.abort(controller.reason);
      return true;
    }
    try {
      return dispatchAttempt(this, this.#started, attempt);
    } catch (thrown) {
      // Thrown by the handler: passed up, as without ebb.
      if (attempt.over) throw thrown;
      const error = namingOldUndici(thrown);
      if (this.#isDispatching) return this.#dispatcherThrew(attempt, error);
      attempt.onResponseError(undefined, error);
      return false;
    }
  }

  #makeAttempt(): Attempt {
    const { onBodySent, onRequestSent } = this.handler;
    const isWatched = typeof onBodySent === 'function' || typeof onRequestSent === 'function';
    const attempt = new Attempt(this);
    // For a handler that listens to the upload, a MockAgent reads the body.
    if (isWatched) Object.assign(attempt, uploadEvents(this));
    attempt.restoreMethods = hideMissingMethods(this.handler, this.options, attempt);
    return attempt;
  }

  /** A dispatcher that throws reports nothing to its handler. Unless there is a retry, throws to the caller as well. */
  #dispatcherThrew(attempt: Attempt, error: unknown): boolean {
    const retry = this.#judge(attempt, failureOutcome(attempt, failureKind(error), error, this.options));
    attempt.drop(error);
    if (retry === undefined) return false;
    if (retry) {
      this.#again(() => this.#fail(error));
      return true;
    }
    this.#closeBodies();
    remember(error, this.call.trace);
    this.over = true;
    this.noteAll();
    throw error;
  }

  sent(attempt: Attempt): void {
    // From here on this attempt determines the result.
    this.#previous = undefined;
    this.open(attempt.context, attempt.starts > 1);
  }

  informed(attempt: Attempt, head: ResponseHead): void {
    this.inform(attempt, head);
  }

  responded(attempt: Attempt, head: ResponseHead): void {
    const { status, headers } = head;
    if (this.#isSuccess(attempt, status)) this.#respond(attempt, head);
    else if (this.#started?.parts?.reads) this.runInAsyncScope(this.#look, this, attempt, head);
    else this.#decide(attempt, head, this.#judge(attempt, responseOutcome(attempt, status, headers)));
  }

  /** True for a response that needs no call. */
  #isSuccess(attempt: Attempt, status: number): boolean {
    const { composition } = this;
    const call = this.#started;
    if (call === undefined) {
      if (!(status < 400)) return false;
      this.#status = status;
      if (attempt.hasHistory) composition.hasBelow = true;
      return true;
    }
    const passage = layerOf(call);
    if (composition.hasBelow === undefined && passage !== undefined && !call.around.isInner)
      composition.hasBelow = attempt.hasHistory || hasReachedLayer(passage);
    return false;
  }

  #decide(attempt: Attempt, head: ResponseHead, retry: boolean | undefined, held?: Held): void {
    if (retry) {
      const { released } = attempt.setAside(held ?? attempt.hold(head), this.call);
      this.#answer = attempt;
      this.#again(attempt, released);
    } else if (retry === false) this.#respond(attempt, head, held);
  }

  /** Holds a response back until the policy has inspected it. */
  #look(attempt: Attempt, head: ResponseHead): void {
    const { call } = this;
    const held = attempt.hold(head);
    const outcome = responseOutcome(attempt, head.status, head.headers);
    look(call, outcome, () => peekAt(attempt, held), this.#waits.signal).then(
      (inspected) => {
        if (!attempt.over) this.#decide(attempt, head, this.#judge(attempt, inspected), held);
      },
      (error: unknown) => {
        if (attempt.over) return;
        if (error instanceof OutOfTime) {
          attempt.abort(headersTimeoutError(error.timeoutMs));
          return;
        }
        fail(call, outcome, error);
        this.#giveUp(attempt, error);
      },
    );
  }

  /** True for a retry; `undefined` if a hook threw or aborted, which has ended the request. */
  #judge(attempt: Attempt | undefined, outcome: Outcome): boolean | undefined {
    const started = this.#started;
    const { call } = this;
    if (started === undefined && attempt?.hasHistory) {
      this.composition.hasBelow = true;
      pass(call, outcome);
      return false;
    }
    let retry: boolean;
    try {
      // undici reports a response in the async context of whichever request opened its connection.
      retry = callsBack(call.policy, outcome)
        ? this.runInAsyncScope(this.#mustRetry, this, outcome)
        : this.#mustRetry(outcome);
    } catch (hookError) {
      this.#giveUp(attempt, hookError);
      return undefined;
    }
    return this.over ? undefined : retry;
  }

  #mustRetry(outcome: Outcome): boolean {
    return judge(this.call, outcome, this.#answer !== undefined).retry;
  }

  #respond(attempt: Attempt, head: ResponseHead, held?: Held): void {
    const { status, headers } = head;
    const call = this.#started;
    if (status >= 300 && REDIRECTS.has(status) && call?.limit !== undefined) {
      const kept = held ?? attempt.hold(head);
      kept.readOn(call.policy.clock);
      this.#play(attempt, kept);
      return;
    }
    if (!this.isRest) this.#download = downloadOf(this.options, status, headers);
    if (held !== undefined) {
      this.#play(attempt, held);
    } else {
      attempt.forward();
      this.pass(attempt.connection, head);
    }
  }

  /** A method of its own: its closure is allocated as soon as it is called. */
  #play(attempt: Attempt, held: Held): void {
    attempt.play(() => this.pass(held, held.head));
  }

  upgraded(attempt: Attempt, head: ResponseHead, socket: Duplex): unknown {
    const retry = this.#judge(attempt, responseOutcome(attempt, head.status, head.headers));
    if (retry === false) {
      this.call.parts?.free();
      return this.passUpgrade(head, socket);
    }
    socket.destroy();
    if (retry) this.#again(() => this.passUpgrade(head, socket));
    return undefined;
  }

  arrived(attempt: Attempt): void {
    attempt.releaseBody();
    this.#started?.parts?.free();
  }

  data(_: Attempt, chunk: Buffer): void {
    this.#download?.take(chunk);
    this.passData(chunk);
  }

  ended(attempt: Attempt, trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void {
    // If the response came before the upload was done, undici still waits for the upload.
    this.arrived(attempt);
    this.passEnd(trailers, rawTrailers);
  }

  failed(attempt: Attempt, error: unknown): void {
    const { controller, threw } = this;
    const previous = this.#previous;
    // An error that the handler throws ends its request, even if `classify` would retry it.
    if (threw) this.#waits.abort(error);
    if (attempt.isQueued && !this.#isWaiting) this.body?.abandoned?.();
    const kind = controller.aborted ? 'aborted' : threw ? 'unknown' : failureKindOf(attempt, error);
    const retry = this.#judge(attempt, failureOutcome(attempt, kind, error, this.options));
    const isRefused = retry === false && attempt.starts === 0 && isClosedError(error);
    if (isRefused && previous !== undefined) this.#finish(previous);
    else this.#follow(retry, error);
  }

  /** After a failed attempt: waits for the retry, or ends, after the total timeout with the last response before it. */
  #follow(retry: boolean | undefined, error: unknown): void {
    const end = () => this.#fail(error);
    if (retry) this.#again(end);
    else if (retry === false) this.#finish((this.call.fallsBack ? this.#answer : undefined) ?? end);
  }

  #finish(end: End): void {
    if (typeof end === 'function') end();
    else this.#replay(end);
  }

  #replay(attempt: Attempt): void {
    const { aside, head } = attempt.kept as Held;
    if (this.over) return;
    if (aside?.isOver === false) {
      // The policy has stopped while the response is still being read.
      void aside.released.then(() => this.#replay(attempt));
      return;
    }
    this.#closeBodies();
    this.#isWaiting = false;
    this.#attempt = attempt;
    attempt.replay(() => this.pass(attempt.kept, head));
  }

  broke(attempt: Attempt, error: unknown): void {
    const download = this.#download;
    const isOwn = this.controller.aborted || this.threw || this.#started?.around.isInner;
    if (isOwn || download === undefined || download.isDone) this.#fail(error);
    else this.#resume(attempt, download, error);
  }

  /** The rest of a download is asked for by a request of its own. */
  #resume(attempt: Attempt, download: Download, error: unknown): void {
    this.#started?.parts?.free();
    this.#closeBodies();
    const { composition, options, body } = this;
    const { policy, request } = this.call;
    const resumer = downloadResumer(download, { options, body, policy, request }, () => resumed.attempt);
    const send = (rest: Options, handler: Attempt): boolean =>
      composition.start({ ...composition, policy }, rest, handler, true);
    const resumed = new ResumedBody({ downstream: this, resumer, made: this.made, send }, attempt);
    this.#resumed = resumed;
    resumed.broke(attempt, error);
  }

  protected override note(result: unknown): void {
    const call = this.#started;
    if (this.#resumed) rememberOf(result, this.made);
    else if (call === undefined) rememberSuccess(result, this.#status);
    else remember(result, call.trace);
  }

  /** Ends with an error. */
  #fail(error: unknown): void {
    if (this.over) return;
    const call = this.#started;
    this.#closeBodies();
    // Without a call the body of a success has broken.
    const trace = call?.trace ?? attemptsOf(this.made);
    if (this.controller.aborted) rememberReason(error, trace);
    else remember(error, trace);
    call?.parts?.free();
    try {
      this.passError(error, this.#attempt?.connection);
    } finally {
      if (this.#isWaiting || this.#attempt === undefined) this.body?.unsent?.(error);
    }
  }

  /** Ends with an error while undici still has the attempt. */
  #giveUp(attempt: Attempt | undefined, error: unknown): void {
    try {
      this.#fail(error);
    } finally {
      attempt?.drop(error);
    }
  }

  /** No attempt reads a body any more. */
  #closeBodies(): void {
    this.#attempt?.releaseBody();
    this.body?.close?.();
  }

  override aborted(reason: unknown): void {
    if (this.over) return;
    if (this.#resumed) {
      this.#resumed.abort(reason);
      return;
    }
    const attempt = this.#attempt;
    const error = reason ?? requestAbortedError();
    this.#waits.abort(error);
    if (!this.#isWaiting) {
      attempt?.abort(reason);
      return;
    }
    try {
      this.#fail(error);
    } finally {
      attempt?.abort(error);
    }
  }
}
