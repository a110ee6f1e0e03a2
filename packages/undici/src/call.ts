import { attemptsOf, classifyHttp, type Outcome, type Policy } from '@ebb/core';
import { hasReachedLayer, remember, rememberReason, rememberSuccess, Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body/request-body.ts';
import type { Composition } from './composition.ts';
import { Downstream } from './downstream.ts';
import { requestAbortedError } from './errors.ts';
import type { Held } from './held.ts';
import { Traits } from './traits.ts';

/** What a request ends with: an attempt whose response was set aside, or what tells the handler. */
export type End = Attempt | (() => unknown);

/** True if code of the user runs when this outcome is judged. Entering the context takes a tenth of a request. */
function callsBack({ onEvent, classify, bucket, budget }: Policy, outcome: Outcome): boolean {
  const isSuccess = outcome.type === 'response' && outcome.status < 400;
  return !isSuccess || onEvent !== undefined || classify !== classifyHttp || (bucket ?? budget) !== undefined;
}

/** A request on its way: what its attempts are judged by, and how it ends. */
export abstract class Call extends Downstream {
  readonly composition: Composition;
  readonly options: Dispatcher.DispatchOptions;
  /** `undefined` if the options can be dispatched again as they are. */
  readonly body: RequestBody | undefined;
  /** `undefined` while nothing is needed of it: see {@link session}. */
  protected started: Session | undefined;
  /** The status of a success without a session. */
  #status = 0;
  protected attempt: Attempt | undefined;
  /** True while no attempt is under way, before the first attempt and before a retry. */
  protected isWaiting = false;
  /** Ends a wait. Made when it is needed: a request that waits for nothing has none. */
  #abort: AbortController | undefined;
  /** What the request ends with if the retry that is planned is not sent. */
  protected previous: End | undefined;
  /** The last attempt with a response that a retry followed. */
  protected answer: Attempt | undefined;

  /** @param session `undefined` if nothing has to be made before the first failure */
  constructor(
    composition: Composition,
    options: Dispatcher.DispatchOptions,
    body: RequestBody | undefined,
    handler: Dispatcher.DispatchHandler,
    session: Session | undefined,
  ) {
    super(handler);
    this.composition = composition;
    this.options = options;
    this.body = body;
    this.started = session;
  }

  get session(): Session {
    this.started ??= this.#startLate();
    return this.started;
  }

  /** The first attempt was sent without it. */
  #startLate(): Session {
    const { policy, ownOrigin } = this.composition;
    const request = new Traits(this.options, this.body, ownOrigin);
    const session = new Session(policy, request, undefined, 'dispatcher');
    session.attempt = 1;
    return session;
  }

  protected get waits(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  protected abstract makeAttempt(): Attempt;

  /**
   * Waits for the retry, and sends it.
   *
   * @param end what the request ends with if the retry is not sent
   * @param released resolves when the connection of the attempt can be used again
   */
  protected abstract wait(end: End, released?: Promise<void>): void;

  /** True for a response that needs no session. */
  protected isSuccess(attempt: Attempt, status: number): boolean {
    const { started, composition } = this;
    if (started === undefined) {
      if (!(status < 400)) return false;
      this.#status = status;
      if (attempt.hasHistory) composition.hasBelow = true;
      return true;
    }
    if (composition.hasBelow === undefined && started.layer !== undefined && !started.isInner)
      composition.hasBelow = attempt.hasHistory || hasReachedLayer(started.layer);
    return false;
  }

  protected override note(result: unknown): void {
    const { started } = this;
    if (started === undefined) rememberSuccess(result, this.#status);
    else remember(result, started.trace);
  }

  /** True for a retry; `undefined` if a hook threw or aborted, which has ended the request. */
  protected judge(attempt: Attempt | undefined, outcome: Outcome): boolean | undefined {
    const { started, session } = this;
    if (started === undefined && attempt?.hasHistory) {
      this.composition.hasBelow = true;
      session.pass(outcome);
      return false;
    }
    let retry: boolean;
    try {
      // undici reports a response in the async context of whichever request opened its connection.
      retry = callsBack(session.policy, outcome)
        ? this.runInAsyncScope(this.#mustRetry, this, outcome)
        : this.#mustRetry(outcome);
    } catch (hookError) {
      this.giveUp(attempt, hookError as Error);
      return undefined;
    }
    return this.over ? undefined : retry;
  }

  #mustRetry(outcome: Outcome): boolean {
    const aside = this.answer?.kept?.aside;
    const hasAnswer = aside?.isWhole === true && aside.parts !== undefined;
    // Parts that look into responses have done so before.
    return this.session.next('looked', outcome, hasAnswer) === 'set aside';
  }

  /** After a failed attempt: waits for the retry, or ends, after the total timeout with the last response before it. */
  protected follow(retry: boolean | undefined, error: unknown): void {
    const end = () => this.fail(error);
    if (retry) this.wait(end);
    else if (retry === false) this.finish((this.session.fallsBack ? this.answer : undefined) ?? end);
  }

  protected finish(end: End): void {
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
    this.closeBodies();
    this.isWaiting = false;
    this.attempt = attempt;
    attempt.replay(() => this.pass(attempt.kept, head));
  }

  protected fail(error: unknown): void {
    if (this.over) return;
    const { controller, started } = this;
    this.closeBodies();
    // Without a session the body of a success has broken.
    const trace = started?.trace ?? attemptsOf(this.made);
    if (controller.aborted) rememberReason(error, trace);
    else remember(error, trace);
    started?.bodyEnded();
    try {
      this.passError(error, this.attempt?.connection);
    } finally {
      if (this.isWaiting) this.body?.unsent?.(error);
    }
  }

  /** No attempt reads a body any more. */
  protected closeBodies(): void {
    this.attempt?.releaseBody();
    this.body?.close?.();
  }

  /** Ends with an error while undici still has the attempt. */
  protected giveUp(attempt: Attempt | undefined, error: Error): void {
    try {
      this.fail(error);
    } finally {
      attempt?.drop(error);
    }
  }

  override aborted(reason: Error | undefined): void {
    if (this.over) return;
    const error = reason ?? requestAbortedError();
    const { attempt } = this;
    this.waits.abort(error);
    if (!this.isWaiting && attempt !== undefined) {
      attempt.abort(reason);
      return;
    }
    try {
      this.fail(error);
    } finally {
      attempt?.abort(error);
    }
  }
}
