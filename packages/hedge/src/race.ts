import type { HedgeRecord, Outcome, RequestTraits } from '@ebb/core';
import { Call, type SentHeaders } from '@ebb/core/adapter';
import {
  HookError,
  headersNow,
  isTrouble,
  isTrusted,
  outerCall,
  report,
  reportedOutcome,
  verdictOf,
} from '@ebb/core/internal';

import { type DueTry, type HedgeKey, type HedgePlan, leave } from './hedge-plan.ts';
import { isNew, learn, measure, pay } from './rule.ts';

/** A hedge that was sent. */
export interface Hedge {
  /** Has taken what a retry takes. */
  readonly call: Call;
  /** When it was sent, in milliseconds after the first try. */
  readonly delayMs: number;
  /** `undefined` while it is under way. */
  outcome: Outcome | undefined;
}

/** The part of a call that hedges read; user code, and a call on the fast path, have no headers. */
type HeaderSource = Partial<Pick<Call, 'pendingHeaders' | 'headerChanges'>>;

/** Calls the functions that have made headers of an attempt again; not those whose headers were changed below the client. */
function madeAnew(call: HeaderSource, request: RequestTraits): SentHeaders {
  const { pendingHeaders = {}, headerChanges } = call;
  const isMade = ([name, value]: [string, unknown]): boolean =>
    typeof value === 'function' && request.header(name) === headerChanges?.[name];
  return headersNow(Object.fromEntries(Object.entries(pendingHeaders).filter(isMade)));
}

/** A first try and its hedges. It learns from them, and pays for them; a client adds how they are sent. */
export abstract class Race implements DueTry {
  next: DueTry = this;
  previous: DueTry = this;
  dueMs: number;
  readonly plan: HedgePlan;
  readonly #key: HedgeKey;
  readonly #startMs: number;
  /** The call of the client above. */
  readonly #outer: HeaderSource | undefined;
  #outlasts = false;
  #hedges: Hedge[] | undefined;

  /**
   * To be called when the first try is sent.
   *
   * @param carried the value under `LAYER` in the options of the request
   * @throws HookError if `keyOf` fails
   */
  constructor(plan: HedgePlan, request: RequestTraits, carried?: unknown) {
    const key = plan.keyOf(request);
    this.plan = plan;
    this.#key = key;
    this.#startMs = plan.setup.policy.clock.now();
    this.#outer = outerCall(carried) as HeaderSource | undefined;
    this.dueMs = this.#startMs;
    pay(key.state, plan.setup.share);
    key.join(this);
  }

  /** The last try has outlasted its delay. Called in the async context of any request. */
  abstract wake(): void;

  due(): void {
    if (!this.#outlasts) learn(this.#key.state, this.plan.setup, true);
    this.#outlasts = true;
    this.wake();
  }

  /**
   * The first try has settled: there are no more hedges.
   *
   * @param status 500 without a response. A failure teaches nothing about the delay: it may come sooner than any answer
   */
  firstSettled(status = 0): void {
    leave(this);
    const { setup } = this.plan;
    const { state } = this.#key;
    if (this.#outlasts || isTrouble(status)) return;
    if (isNew(state, setup)) measure(state, setup, setup.policy.clock.now() - this.#startMs);
    else learn(state, setup, false);
  }

  /** True for an outcome that the client above may retry: another try can still be better. */
  isFailure(outcome: Outcome, request: RequestTraits): boolean {
    if (outcome.type === 'failure') return true;
    try {
      const verdict = verdictOf(this.plan.setup.policy, outcome, { request, attempt: 1 });
      return verdict === 'refused' || verdict === 'transient';
    } catch {
      // The client above asks the same hook.
      return false;
    }
  }

  /** True while another try can help: the first one is under way, and the caller has not aborted. */
  abstract readonly isOpen: boolean;

  /**
   * Takes for a hedge what a retry takes, at once or not at all, and has it sent in the same turn. Waits for nothing but hooks.
   *
   * @param request that of the hedge
   * @param isAway true if it goes to another origin: hooks are asked for its headers, and with hooks it must be a trusted one, since
   *   the request has what they returned for its own
   */
  async sendHedge(request: RequestTraits, isAway: boolean, send: (hedge: Hedge) => void): Promise<void> {
    const { policy, maxHedges } = this.plan.setup;
    const { throttle, key, stopSignal } = policy;
    const { state } = this.#key;
    const call = new Call(policy, request);
    this.#hedges ??= [];
    // For the parts it is a retry.
    call.attempt = this.#hedges.length + 1;
    let isSent = false;
    try {
      const own = throttle && 'for' in throttle ? throttle.for(request, key) : throttle;
      const isLacking = (): boolean =>
        state.tokens < 1 || stopSignal?.aborted === true || (own !== undefined && own.state !== 'closed');
      if (isLacking()) return;
      call.start();
      if (isAway && !isTrusted(policy, request)) return;
      if (isAway) await call.askHooks();
      if (call.pendingHeaders !== undefined) call.headerChanges = headersNow(call.pendingHeaders);
      else if (!isAway && this.#outer?.pendingHeaders) call.headerChanges = madeAnew(this.#outer, request);
      // Asked again, since hooks take time. Tokens that are not there do for a request (`nonConforming: 'mark'`), not for a hedge.
      isSent =
        this.isOpen &&
        !isLacking() &&
        call.permits?.take() === undefined &&
        call.grant?.conforming !== false &&
        call.permits?.planRetry({ reason: 'transient', delayMs: 0 }) === undefined;
    } catch (error) {
      // The request itself is well.
      if (error instanceof HookError) report(error.hook, this.plan, error);
    } finally {
      if (!isSent) {
        call.permits?.cancel();
        call.close('limited');
      }
    }
    call.attempt += 1;
    this.dueMs = policy.clock.now();
    const delayMs = this.dueMs - this.#startMs;
    if (!isSent) {
      if (this.isOpen) call.emit({ type: 'hedge', delayMs, sent: false, won: false, outcome: undefined });
      return;
    }
    state.tokens -= 1;
    const hedge: Hedge = { call, delayMs, outcome: undefined };
    if (this.#hedges.push(hedge) < maxHedges) this.#key.join(this);
    send(hedge);
  }

  /**
   * Ends the race. The client above judges the outcome of the try that has won, and this method the outcomes of the others, so limits learn
   * of each outcome once.
   *
   * @param winner the hedge that has won; `undefined` for the first try
   * @param first the outcome of the first try, if it has settled
   * @returns a record of each hedge
   */
  over(winner: Hedge | undefined, first: Outcome | undefined): HedgeRecord[] {
    leave(this);
    if (winner !== undefined) pay(this.#key.state, 1);
    return (this.#hedges ?? []).map(({ call, delayMs, outcome }) => {
      const won = call === winner?.call;
      call.emit({ type: 'hedge', delayMs, sent: true, won, outcome });
      call.permits?.release(undefined, won ? first : outcome);
      call.close('outer-client-retries');
      return { delayMs, won, outcome: outcome && reportedOutcome(outcome) };
    });
  }
}
