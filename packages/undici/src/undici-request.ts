import type { Duplex } from 'node:stream';
import type { Outcome, Policy } from '@ebb/core';
import {
  attemptsOf,
  Call,
  fail,
  hasReachedLayer,
  judge,
  keepNotes,
  LAYER,
  layerOf,
  look,
  namedTimeoutOf,
  OutOfTime,
  pass,
  prepare,
  type Readiness,
  type SetAside,
  sending,
  setHistory,
  setHistoryOfReason,
  setHistoryOfSuccess,
  timeoutOf,
} from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { Attempt } from './attempt.ts';
import type { RequestBody } from './body.ts';
import { Downstream, type Send } from './downstream.ts';
import type { Handler } from './handler.ts';
import { changedHeaders, type RawHeaders, type ResponseHead, type ResponseHeaders } from './headers.ts';
import {
  failureOutcome,
  headersTimeoutError,
  isClosedError,
  namingOldUndici,
  ResponseOutcome,
  requestAbortedError,
  Traits,
} from './outcome.ts';
import { peekAt } from './peek.ts';

type Options = Dispatcher.DispatchOptions;

/** One call of `compose`. */
export interface Composition {
  readonly policy: Policy;
  readonly dispatch: Dispatcher.Dispatch;
  /** The origin of requests whose options have none. */
  readonly ownOrigin: string;
  /** True if a layer below has shown itself; `undefined` before the first response. */
  hasBelow: boolean | undefined;
}

const NO_BODY: Partial<RequestBody> = {};

/** Ends a request: tells the handler. */
type End = () => unknown;

/**
 * The statuses that a `fetch` follows or refuses. That of undici 7, and so that of Node 24, leaves their bodies unread, and their connections
 * paused for ever: their slot is free with their headers.
 */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * A request on its way: prepare → send → judge, as `Run` does it, by the events of its attempts. Retries and callbacks of the policy
 * run in the async context of the request; the handler is called as undici calls it.
 */
export class UndiciRequest extends Downstream {
  readonly #composition: Composition;
  /** `undefined` if the options can be dispatched again as they are. */
  readonly #body: RequestBody | undefined;
  /** `undefined` while nothing is needed of it: see the getter `#call`. */
  #started: Call | undefined;
  /** The status of a success without a call. */
  #status = 0;
  /** True while no attempt is under way, before the first attempt and before a retry. */
  #isWaiting = false;
  /** Ends a wait. Made when it is needed: a request that waits for nothing has none. */
  #abort: AbortController | undefined;
  /** What the request ends with if the retry that is planned is not sent. */
  #previous: End | undefined;
  /** The same for the last response that a retry followed. */
  #answer: End | undefined;

  /** @param call `undefined` if nothing has to be made before the first failure */
  constructor(
    composition: Composition,
    options: Options,
    body: RequestBody | undefined,
    handler: Handler,
    call: Call | undefined,
  ) {
    super(options, handler);
    this.#composition = composition;
    this.#body = body;
    this.#started = call;
  }

  /** The first attempt may have been sent without it. */
  get #call(): Call {
    if (!this.#started) {
      const { policy, ownOrigin } = this.#composition;
      const request = new Traits(this.options, this.#body, ownOrigin);
      this.#started = new Call(policy, request, undefined, 'dispatcher');
      this.#started.attempt = 1;
    }
    return this.#started;
  }

  get #waits(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  #signal(): AbortSignal {
    return this.#waits.signal;
  }

  /**
   * Returns, as `dispatch` does, whether the caller may go on dispatching.
   *
   * @throws what a handler throws when it is given an error
   */
  start(): boolean {
    const { make, followUpload } = this.#body ?? NO_BODY;
    const ready =
      this.#started && prepare(this.#started, this.#signal.bind(this), undefined, make, followUpload);
    if (!ready) return this.#send();
    this.#sendAfter(ready);
    this.begin();
    return true;
  }

  /**
   * Waits for the retry, and sends it.
   *
   * @param end what the request ends with if the retry is not sent
   * @param released resolves when the connection of the attempt can be used again
   */
  #again(end: End, released: Promise<void> = Promise.resolve()): void {
    this.#body?.release?.();
    this.#previous = end;
    this.runInAsyncScope(() => {
      const { make, followUpload } = this.#body ?? NO_BODY;
      const ready = prepare(this.#call, this.#waits.signal, released, make, followUpload);
      this.#sendAfter(ready ?? Promise.resolve(true));
    });
    // An attempt that had no connection has not started the handler.
    this.begin();
  }

  #sendAfter(ready: Promise<Readiness>): void {
    this.#isWaiting = true;
    ready.then(
      (readiness) => {
        if (readiness === false) this.#previous?.();
        else if (readiness === true) this.#send();
        else this.#unsent(headersTimeoutError(readiness.timeoutMs));
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
    // The attempt before has not got the body.
    this.attempt = undefined;
    this.#follow(this.#judge(undefined, { type: 'failure', kind, error, redirected: false }), error);
  }

  #send(): boolean {
    const { controller } = this;
    const attempt = new Attempt(this);
    this.begins(attempt);
    this.#isWaiting = false;
    if (controller.aborted) {
      attempt.abort(controller.reason);
      return true;
    }
    try {
      return this.#dispatch(attempt, this.#started);
    } catch (thrown) {
      // Thrown by the handler: passed up, as without ebb.
      if (attempt.over) throw thrown;
      attempt.onResponseError(undefined, namingOldUndici(thrown));
      attempt.drop(thrown);
      return this.#isWaiting;
    }
  }

  /** Dispatches an attempt, with its own body and headers. @throws what the dispatcher throws */
  #dispatch(attempt: Attempt, call: Call | undefined): boolean {
    const { options } = this;
    const { dispatch } = this.#composition;
    const timeoutMs = call && timeoutOf(call);
    if (call && timeoutMs !== undefined) attempt.limit(call.policy.clock, timeoutMs, namedTimeoutOf(call));
    const taken = this.#body?.take?.();
    const made = call?.headerChanges;
    const headers = made && { headers: changedHeaders(options.headers, made) };
    const changed = taken || headers ? { ...options, ...taken, ...headers } : options;
    const layer = call && layerOf(call);
    if (!call || !layer) return dispatch(changed as Options, attempt);
    // Interceptors pass unknown options on, and undici does not send them.
    return sending(call, dispatch.bind(undefined, { ...changed, [LAYER]: layer } as Options, attempt));
  }

  responded(attempt: Attempt, head: ResponseHead): void {
    const call = this.#started;
    if (!call && head.status < 400) {
      this.#status = head.status;
      if (attempt.hasHistory) this.#composition.hasBelow = true;
      attempt.deliver(head);
      return;
    }
    if (call) this.#noticeBelow(attempt, call);
    if (call?.parts?.reads) this.runInAsyncScope(this.#look, this, attempt, head);
    else this.#decide(attempt, head, this.#judge(attempt, new ResponseOutcome(attempt, head)));
  }

  #noticeBelow(attempt: Attempt, call: Call): void {
    const passage = layerOf(call);
    if (this.#composition.hasBelow === undefined && passage && !call.isInner)
      this.#composition.hasBelow = attempt.hasHistory || hasReachedLayer(passage);
  }

  #decide(attempt: Attempt, head: ResponseHead, retry: boolean | undefined): void {
    if (retry) {
      keepNotes(this.#call, attempt.context);
      const aside = attempt.setAside(head, this.#call);
      this.#answer = this.#replay.bind(this, attempt, aside);
      this.#again(this.#answer, aside.released);
    } else if (retry === false) this.#respond(attempt, head);
  }

  /** Holds a response back until the policy has inspected it. */
  #look(attempt: Attempt, head: ResponseHead): void {
    const call = this.#call;
    const held = attempt.hold(head);
    const outcome = new ResponseOutcome(attempt, head);
    look(call, outcome, () => peekAt(attempt, held), this.#waits.signal).then(
      (inspected) => {
        if (!attempt.over) this.#decide(attempt, head, this.#judge(attempt, inspected));
      },
      (error: unknown) => {
        if (attempt.over) return;
        if (error instanceof OutOfTime) {
          attempt.abort(headersTimeoutError(error.timeoutMs));
          return;
        }
        fail(call, outcome, error);
        this.#fail(error, attempt);
      },
    );
  }

  /** True for a retry; `undefined` if a hook threw or aborted, which has ended the request. */
  #judge(attempt: Attempt | undefined, outcome: Outcome): boolean | undefined {
    const started = this.#started;
    const call = this.#call;
    if (!started && attempt?.hasHistory) {
      this.#composition.hasBelow = true;
      pass(call, outcome);
      return false;
    }
    const hasAnswer = this.#answer !== undefined;
    try {
      // undici reports a response in the async context of whichever request opened its connection.
      const { retry } = this.runInAsyncScope(judge, undefined, call, outcome, hasAnswer);
      return this.over ? undefined : retry;
    } catch (hookError) {
      this.#fail(hookError, attempt);
      return undefined;
    }
  }

  #respond(attempt: Attempt, head: ResponseHead): void {
    const { deadline, parts, policy } = this.#started ?? {};
    // Bodies of up to 64 KiB, for as long as the caller keeps the result.
    this.#previous = undefined;
    this.#answer = undefined;
    if (REDIRECTS.has(head.status)) parts?.free();
    if (deadline && policy?.totalTimeoutCovers === 'body')
      attempt.limit(policy.clock, Math.max(0, deadline.leftMs), deadline.timeoutMs);
    attempt.deliver(head);
  }

  override upgraded(attempt: Attempt, head: ResponseHead, socket: Duplex): void {
    const retry = this.#judge(attempt, new ResponseOutcome(attempt, head));
    if (retry === false) {
      this.#call.parts?.free();
      super.upgraded(attempt, head, socket);
    } else {
      socket.destroy();
      if (retry) this.#again(() => super.upgraded(attempt, head, socket));
    }
  }

  override ended(trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    // If the response came before the upload was done, undici still waits for the upload.
    this.#body?.release?.();
    this.#started?.parts?.free();
    super.ended(trailers, rawTrailers);
  }

  override failed(attempt: Attempt, error: unknown): void {
    const previous = this.#previous;
    if (attempt.isQueued && !this.#isWaiting) this.#body?.abandoned?.();
    const kind = this.controller.aborted ? 'aborted' : undefined;
    const retry = this.#judge(attempt, failureOutcome(attempt, error, this.options, kind));
    const isRefused = retry === false && attempt.starts === 0 && isClosedError(error);
    if (isRefused && previous) previous();
    else this.#follow(retry, error);
  }

  /** After a failed attempt: waits for the retry, or ends, after the total timeout with the last response before it. */
  #follow(retry: boolean | undefined, error: unknown): void {
    const end = () => this.#fail(error);
    if (retry) {
      keepNotes(this.#call, error);
      this.#again(end);
    } else if (retry === false) ((this.#call.fallsBack && this.#answer) || end)();
  }

  /** The retry is not sent. */
  #replay(attempt: Attempt, aside: SetAside): void {
    if (this.over) return;
    if (!aside.isOver) {
      // The policy has stopped while the response is still being read.
      void aside.released.then(() => this.#replay(attempt, aside));
      return;
    }
    this.#body?.close?.();
    this.#isWaiting = false;
    this.attempt = attempt;
    attempt.restore();
  }

  override broke(error: unknown): void {
    this.#fail(error);
  }

  protected override note(result: unknown): void {
    const call = this.#started;
    if (call) setHistory(result, call.historyRecord);
    else setHistoryOfSuccess(result, this.#status);
  }

  /** Ends with an error. @param attempt one that undici still has */
  #fail(error: unknown, attempt?: Send): void {
    if (this.over) return;
    const call = this.#started;
    this.#body?.close?.();
    // Without a call the body of a success has broken.
    const history = call?.historyRecord ?? attemptsOf(this.made);
    if (this.controller.aborted) setHistoryOfReason(error, history);
    else setHistory(error, history);
    call?.parts?.free();
    try {
      this.passError(error);
    } finally {
      if (this.#isWaiting || !this.attempt) this.#body?.unsent?.(error);
      attempt?.drop(error);
    }
  }

  override aborted(reason: unknown): void {
    if (this.over) return;
    const { attempt } = this;
    const error = reason ?? requestAbortedError();
    this.#waits.abort(error);
    if (!this.#isWaiting) {
      attempt?.abort(reason);
      return;
    }
    this.#fail(error, attempt);
  }
}
