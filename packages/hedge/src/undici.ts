import type { Outcome } from '@ebb/core';
import { LAYER, property, sendWithin } from '@ebb/core/adapter';
import type { HedgeNotes } from '@ebb/core/internal';
import {
  Attempt,
  bodyOf,
  type Handler as CheckedHandler,
  changedHeaders,
  Downstream,
  failureOutcome,
  ownOptions,
  type ResponseHead,
  ResponseOutcome,
  requestAbortedError,
  Traits,
} from '@ebb/undici/internal';
import type { Dispatcher } from 'undici';
import { HEDGES, type HedgeOptions, HedgePlan } from './hedge-plan.ts';
import { noteHedges } from './history.ts';
import { type Hedge, Race } from './race.ts';

type Options = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;

/** A loser that never had a connection: its tokens go back. */
const UNSENT: Outcome = { type: 'failure', kind: 'connect', error: undefined, redirected: false };

/** A request sent once: the first try, or a hedge. */
class Try extends Attempt {
  readonly hedge: Hedge | undefined;
  /** `undefined` while it is under way. */
  outcome: Outcome | undefined;

  constructor(request: HedgedRequest, hedge?: Hedge) {
    super(request);
    this.hedge = hedge;
  }
}

class RequestRace extends Race {
  readonly #request: HedgedRequest;

  constructor(plan: HedgePlan, traits: Traits, request: HedgedRequest) {
    super(plan, traits, property(request.options, LAYER));
    this.#request = request;
  }

  wake(): void {
    this.#request.due();
  }

  get isOpen(): boolean {
    return this.#request.isOpen;
  }
}

/** A request that is hedged. Its handler sees one request: one controller, and the response of the winning try. */
class HedgedRequest extends Downstream {
  readonly #plan: HedgePlan;
  readonly #dispatch: Dispatcher.Dispatch;
  readonly #traits: Traits;
  readonly #race: RequestRace;
  readonly #first: Try = new Try(this);
  #tries: readonly Try[] = [this.#first];
  /** The one that the handler gets. */
  #winner: Try | undefined;
  /** In the context that the handler gets, copies of which share it. */
  readonly #notes: HedgeNotes = {};

  /** @throws HookError if `keyOf` fails */
  constructor(
    plan: HedgePlan,
    dispatch: Dispatcher.Dispatch,
    options: Options,
    traits: Traits,
    handler: CheckedHandler,
  ) {
    super({ ...options, [HEDGES]: true } as Options, handler);
    this.#plan = plan;
    this.#dispatch = dispatch;
    this.#traits = traits;
    this.#race = new RequestRace(plan, traits, this);
  }

  /** @throws what the dispatcher throws */
  start(): boolean {
    // Only the first try reports its upload: the hedges upload the same body.
    this.begins(this.#first);
    try {
      return this.#dispatch(this.options, this.#first);
    } catch (error) {
      this.#race.firstSettled(500);
      throw error;
    }
  }

  get isOpen(): boolean {
    return !this.controller.aborted && this.#winner === undefined && this.#first.outcome === undefined;
  }

  /** Called by the timer of any request. */
  due(): void {
    this.runInAsyncScope(this.#hedge, this);
  }

  #hedge(): void {
    if (!this.isOpen) return;
    const { options } = this;
    const url = this.#plan.target(this.#traits);
    if (url === null) return;
    const own = url === undefined ? options : { ...options, origin: new URL(url).origin };
    const traits = url === undefined ? this.#traits : new Traits(own, undefined);
    void this.#race.sendHedge(traits, url !== undefined, (hedge) => {
      const { headerChanges } = hedge.call;
      const sent = headerChanges ? { ...own, headers: changedHeaders(own.headers, headerChanges) } : own;
      const one = new Try(this, hedge);
      this.#tries = [...this.#tries, one];
      try {
        sendWithin(hedge.call, () => this.#dispatch(sent as Options, one));
      } catch (error) {
        one.onResponseError(undefined, error);
      }
    });
  }

  override sent({ context, starts }: Attempt): void {
    this.open({ ...context, [LAYER]: this.#notes }, starts > 1);
  }

  responded(attempt: Try, head: ResponseHead): void {
    const outcome = new ResponseOutcome(attempt, head);
    attempt.outcome = outcome;
    if (attempt === this.#first) this.#race.firstSettled(head.status);
    const isFailure = (): boolean => this.#race.isFailure(outcome, this.#traits);
    if (this.#tries.length === 1 || !this.runInAsyncScope(isFailure)) this.#win(attempt, head);
    else {
      attempt.hold(head);
      this.#decide();
    }
  }

  override failed(attempt: Try, error: unknown): void {
    attempt.outcome = failureOutcome(attempt, error, this.options);
    if (attempt === this.#first) this.#race.firstSettled(500);
    this.#decide();
  }

  /** If all tries have failed, the first one counts. */
  #decide(): void {
    const { outcome, kept } = this.#first;
    const { aborted, reason } = this.controller;
    const isLost = aborted || this.#tries.every((one) => one.outcome !== undefined);
    if (this.#winner !== undefined || !isLost) return;
    if (aborted) this.#lose(reason ?? requestAbortedError());
    else if (kept === undefined) this.#lose(outcome?.type === 'failure' ? outcome.error : undefined);
    else this.#win(this.#first, kept.head);
  }

  #win(winner: Try, head: ResponseHead): void {
    this.#settle(winner);
    winner.deliver(head);
  }

  #lose(error: unknown): void {
    this.#settle(this.#first);
    if (!this.controller.aborted) noteHedges(error, this.#notes.hedges ?? []);
    this.passError(error);
  }

  /** Ends all tries but one. */
  #settle(winner: Try): void {
    const first = this.#first;
    this.#winner = winner;
    for (const one of this.#tries) {
      if (one !== winner) {
        if (!one.over) one.drop(requestAbortedError('Another try of this request was faster'));
        // Those who keep the result may keep this.
        one.kept = undefined;
      }
      if (one.starts === 0) one.outcome ??= UNSENT;
      if (one.hedge) one.hedge.outcome = one.outcome;
    }
    if (this.#tries.length === 1) this.#race.over(undefined, undefined);
    // A response comes in the async context of whichever request has opened its connection.
    else {
      const hedges = this.runInAsyncScope(() => this.#race.over(winner.hedge, first.outcome));
      if (hedges.length > 0) this.#notes.hedges = hedges;
    }
  }

  override aborted(reason: unknown): void {
    if (this.over) return;
    for (const one of this.#winner ? [this.#winner] : this.#tries) one.abort(reason);
  }
}

/** The request as policies see it; `undefined` if it is not hedged. */
function requestToHedge(options: Options, handler: Handler, plan: HedgePlan): Traits | undefined {
  const isModern =
    typeof handler?.onRequestStart === 'function' && typeof handler.onResponseError === 'function';
  if (!isModern || typeof options?.method !== 'string' || options.upgrade) return undefined;
  const body = bodyOf(options);
  const traits = new Traits(options, body);
  if (!plan.hedges(traits.method) || traits.method === 'CONNECT') return undefined;
  // A body that has to be taken for each send is a stream, or made by user code.
  return body === undefined || (body.replayable && !body.take && !body.make) ? traits : undefined;
}

/**
 * An interceptor for `dispatcher.compose()` that sends a request a second time if the request takes longer than most, and passes the first
 * response on. Compose the interceptor below ebb's own with the same policy. A hedge never waits: it is sent only if it has a token of its
 * own, a retry of the budget, tokens of the bucket and a free slot. The tries that lose are aborted.
 *
 * If all tries fail, the request ends as the first one did, and the interceptor above decides on a retry.
 *
 * @throws TypeError, RangeError if an option is wrong; `compose` throws if the dispatcher below hedges already
 * @example
 * ```ts
 * import { createPolicy, retryBudget } from '@ebb/core';
 * import { ebbInterceptor } from '@ebb/undici';
 * import { hedged } from '@ebb/hedge/undici';
 * import { Agent, request } from 'undici';
 *
 * const policy = createPolicy({ budget: retryBudget() });
 * const dispatcher = new Agent().compose(hedged({ policy }), ebbInterceptor(policy));
 *
 * const { body } = await request('https://api.example.com/', { dispatcher });
 * console.log(await body.json());
 * ```
 */
export function hedged(options: HedgeOptions): Dispatcher.DispatcherComposeInterceptor {
  const plan = new HedgePlan('hedged', options);
  return function hedgeBelow(dispatch) {
    plan.mustNotHedge('hedged: dispatch', dispatch);
    // `compose` requires a function of exactly two parameters.
    function hedgedDispatch(given: Options, handler: Handler): boolean {
      // Checked for each request as well: `compose` sees no hedges below separately composed dispatchers, or below a client of ebb.
      if (HEDGES in Object(given)) plan.mustNotHedge('hedged: dispatch', hedgedDispatch);
      const options = ownOptions(given);
      const traits = requestToHedge(options, handler, plan);
      if (traits === undefined) return dispatch(options, handler);
      return new HedgedRequest(plan, dispatch, options, traits, handler as CheckedHandler).start();
    }
    plan.mark(hedgedDispatch);
    return hedgedDispatch;
  };
}
