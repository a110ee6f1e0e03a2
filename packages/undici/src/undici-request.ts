import type { Duplex } from 'node:stream';
import type { Policy } from '@ebb/core';
import {
  AroundCalls,
  attemptsOf,
  Call,
  type CallClient,
  type CallStep,
  type EndStep,
  type FollowUpload,
  keepNotes,
  LAYER,
  layerOf,
  type MakeBody,
  mayNest,
  namedTimeoutOf,
  needsContext,
  runWithin,
  type SetAside,
  sendWithin,
  setHistory,
  setHistoryOfReason,
  setHistoryOfSuccess,
  timeoutOf,
  type WaitStep,
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

/** The policy and the `dispatch` of a call of `compose`. */
export interface Composition {
  readonly policy: Policy;
  readonly dispatch: Dispatcher.Dispatch;
  /** The origin of requests whose options have none. */
  readonly ownOrigin: string;
}

/** Ends a request: tells the handler. */
type End = () => unknown;

/**
 * The statuses that a `fetch` follows or refuses. The `fetch` of undici 7, also in Node 24, leaves the body of a redirect unread and its
 * connection paused for ever, so the slot of a redirect is free with its headers.
 */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Drives the call of a request by the events of undici: the same steps as `run`, and no promise for a request that needs no wait. The call
 * decides in the async context of the request, since undici reports a response in that of whichever request opened its connection; the
 * handler is called as undici calls it.
 */
export class UndiciRequest extends Downstream implements CallClient {
  readonly #composition: Composition;
  /** `undefined` if the options can be dispatched again as they are. */
  readonly #body: RequestBody | undefined;
  /** `undefined` while nothing is needed of it: see the getter `#call`. */
  #started: Call | undefined;
  /** The status of a success without a call. */
  #status = 0;
  /** Calls within the first attempt find this, before the call is made. */
  #outer: AroundCalls | undefined;
  /** The attempt under way, until a retry follows it, and its response or its error. */
  #current: Attempt | undefined;
  #head: ResponseHead | undefined;
  #error: unknown;
  /** The wait of the call. */
  #wait: WaitStep | undefined;
  /** True while the call decides: an abort is then read from what follows. */
  #isDeciding = false;
  /** Ends the request if the planned retry is not sent. */
  #before: End | undefined;
  /** Ends the request with the last response that was retried. */
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
    if (call) call.client = this;
  }

  get makeBody(): MakeBody | undefined {
    return this.#body?.make;
  }

  get followUpload(): FollowUpload | undefined {
    return this.#body?.followUpload;
  }

  timeoutError(timeoutMs: number): unknown {
    return headersTimeoutError(timeoutMs);
  }

  /** The first attempt may have been sent without it. */
  get #call(): Call {
    if (!this.#started) {
      const { policy, ownOrigin } = this.#composition;
      const request = new Traits(this.options, this.#body, ownOrigin);
      this.#started = new Call(policy, request, undefined, 'dispatcher');
      this.#started.client = this;
      this.#started.sentFirst(this.#outer);
    }
    return this.#started;
  }

  /** True while no attempt is under way, before the first attempt and before a retry. */
  get #isWaiting(): boolean {
    return this.#wait !== undefined && this.#current === undefined;
  }

  /**
   * Returns, as `dispatch` does, whether the caller may go on dispatching.
   *
   * @throws what a handler throws when it is given an error
   */
  start(): boolean {
    const call = this.#started;
    return call ? this.#follow(this.#decide(call.next)) : this.#send();
  }

  /** Asks the call what follows, in the async context of the request. */
  #decide<A extends unknown[]>(question: (this: Call, ...given: A) => CallStep, ...given: A): CallStep {
    this.#isDeciding = true;
    try {
      return this.runInAsyncScope(question, this.#call, ...given);
    } finally {
      this.#isDeciding = false;
    }
  }

  /** Does what follows. Returns whether the caller may go on dispatching. */
  #follow(step: CallStep): boolean {
    this.#wait = undefined;
    if (this.over) return true;
    switch (step.do) {
      case 'send':
        return this.#send();
      case 'wait':
        this.#wait = step;
        this.runInAsyncScope(this.#until, this, step);
        // So that the handler can abort the wait. An attempt that had no connection has not started it.
        if (!this.#current) this.begin();
        return true;
      case 'retry':
        return this.#retry(step);
      default:
        this.#end(step);
        return true;
    }
  }

  #until(wait: WaitStep): void {
    const call = this.#call;
    wait.until.then(
      (brought) => {
        if (this.#wait === wait) this.#follow(this.#decide(call.next, brought));
        // The caller has aborted: it goes back.
        else if (call.hasEnded) call.next(brought);
      },
      (error: unknown) => {
        if (this.#wait === wait) this.#follow(this.#decide(call.stopped, error));
      },
    );
  }

  #retry(step: CallStep & { readonly do: 'retry' }): boolean {
    const [call, attempt, head] = [this.#call, this.#current, this.#head];
    const error = 'error' in step ? step.error : this.#error;
    let released: Promise<void> | undefined;
    if (attempt && head && !('error' in step)) {
      keepNotes(call, attempt.context);
      const aside = attempt.setAside(head, call);
      released = aside.released;
      this.#answer = this.#replay.bind(this, attempt, aside);
      this.#before = this.#answer;
    } else {
      if ('error' in step) attempt?.drop(error);
      keepNotes(call, error);
      this.#before = () => this.#fail(error);
    }
    return this.#again(released);
  }

  /** @param released resolves when the connection of the attempt can be used again */
  #again(released?: Promise<void>): boolean {
    const call = this.#call;
    this.#body?.release?.();
    this.#current = undefined;
    this.#head = undefined;
    this.#error = undefined;
    call.released(released);
    return this.#follow(this.#decide(call.next));
  }

  #send(): boolean {
    // An observer of the attempt has aborted it.
    if (this.controller.aborted) {
      this.#error = this.#reason;
      const aborted = { type: 'failure', kind: 'aborted', error: this.#error } as const;
      return this.#follow(this.#decide(this.#call.ended, aborted));
    }
    const attempt = new Attempt(this);
    this.begins(attempt);
    this.#current = attempt;
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
    if (!call) return this.#dispatchPlain(changed as Options, attempt);
    if (!layer) return dispatch(changed as Options, attempt);
    // Interceptors pass unknown options on, and undici does not send them.
    return sendWithin(call, dispatch.bind(undefined, { ...changed, [LAYER]: layer } as Options, attempt));
  }

  /** Sends the first attempt of a request that has no call yet. */
  #dispatchPlain(options: Options, attempt: Attempt): boolean {
    const { dispatch, ownOrigin } = this.#composition;
    if (!mayNest('dispatcher')) return dispatch(options, attempt);
    const outer = new AroundCalls(() => new Traits(options, this.#body, ownOrigin));
    this.#outer = outer;
    const marked = { ...options, [LAYER]: outer } as Options;
    return needsContext('dispatcher')
      ? runWithin(outer, () => dispatch(marked, attempt))
      : dispatch(marked, attempt);
  }

  responded(attempt: Attempt, head: ResponseHead): void {
    if (!this.#started && head.status < 400) {
      if (this.#outer) this.#outer.isOpen = false;
      this.#status = head.status;
      attempt.deliver(head);
      return;
    }
    const call = this.#call;
    this.#head = head;
    const outcome = new ResponseOutcome(attempt, head);
    // Held back until the policy has inspected it.
    const held = call.inspects ? attempt.hold(head) : undefined;
    this.#follow(
      held
        ? this.#decide(call.ended, outcome, () => peekAt(attempt, held))
        : this.#decide(call.ended, outcome),
    );
  }

  override upgraded(attempt: Attempt, head: ResponseHead, socket: Duplex): void {
    const step = this.#decide(this.#call.ended, new ResponseOutcome(attempt, head));
    const call = this.#call;
    if (step.do === 'end' && !('error' in step) && !this.controller.aborted) {
      call.released();
      super.upgraded(attempt, head, socket);
      return;
    }
    socket.destroy();
    if (step.do !== 'retry') {
      this.#follow(step);
      return;
    }
    // It has no body that could be kept.
    call.answered = undefined;
    this.#before = () => super.upgraded(attempt, head, socket);
    this.#again();
  }

  override ended(trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    // If the response came before the upload was done, undici still waits for the upload.
    this.#body?.release?.();
    this.#started?.released();
    super.ended(trailers, rawTrailers);
  }

  override failed(attempt: Attempt, error: unknown): void {
    const before = this.#before;
    if (attempt.isQueued && !this.#isWaiting) this.#body?.abandoned?.();
    this.#head = undefined;
    this.#error = error;
    const kind = this.controller.aborted ? 'aborted' : undefined;
    const outcome = failureOutcome(attempt, error, this.options, kind);
    const call = this.#call;
    const step = this.#decide(call.hasFailedWith(error) ? call.judgedWithin : call.ended, outcome);
    const isRefused = step.do === 'end' && attempt.starts === 0 && isClosedError(error);
    if (isRefused && before) before();
    else this.#follow(step);
  }

  /** The call has ended: the handler gets an error, the answer before, or the response of the last attempt. */
  #end(step: EndStep): void {
    const attempt = this.#current;
    const head = this.#head;
    const before = step.before && (step.before === 'last' ? this.#before : this.#answer);
    if ('error' in step)
      this.#fail(step.error, attempt ?? (this.controller.aborted ? this.attempt : undefined));
    else if (before) {
      // It came too late for the one before.
      if (head) attempt?.drop(requestAbortedError('Response discarded'));
      before();
    } else if (!attempt || !head) this.#fail(this.#error ?? this.#reason);
    // The handler has aborted while it was judged.
    else if (this.controller.aborted) this.#fail(this.#reason, attempt);
    else this.#respond(attempt, head);
  }

  /** Why the handler has aborted. */
  get #reason(): unknown {
    return this.controller.reason ?? requestAbortedError();
  }

  #respond(attempt: Attempt, head: ResponseHead): void {
    const call = this.#call;
    const { deadline, policy } = call;
    // Bodies of up to 64 KiB, for as long as the caller keeps the result.
    this.#before = undefined;
    this.#answer = undefined;
    if (REDIRECTS.has(head.status)) call.released();
    if (deadline && policy.totalTimeoutCovers === 'body')
      attempt.limit(policy.clock, Math.max(0, deadline.leftMs), deadline.timeoutMs);
    attempt.deliver(head);
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
    this.attempt = attempt;
    this.#current = attempt;
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
    call?.released();
    try {
      this.passError(error);
    } finally {
      if (!this.#current) this.#body?.unsent?.(error);
      attempt?.drop(error);
    }
  }

  override aborted(reason: unknown): void {
    if (this.over) return;
    const error = reason ?? requestAbortedError();
    const call = this.#started;
    call?.aborted(error);
    if (this.#isDeciding) return;
    if (call && this.#isWaiting) this.#follow(this.#decide(call.stopped, error));
    // The answer before is still being read.
    else if (!this.#current && call?.hasEnded) this.#fail(error, this.attempt);
    else this.attempt?.abort(reason);
  }
}
