import { HookError } from '../base/errors.ts';
import { sleep } from '../base/sleep.ts';
import { LONGEST_DISCARD_MS } from '../bodies/set-aside.ts';
import { neverSent } from '../http/failure.ts';
import type { Peek } from '../http/inspect.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { type ConcurrencyLimit, forRequest, type RetryBudget } from '../limits/contracts.ts';
import type { HeaderChanges } from '../policy/before-attempt.ts';
import { type Decision, decideRetry, type Progress, succeed, verdictOf } from '../policy/decide.ts';
import { isObserved, makeEvent, type News, report } from '../policy/events.ts';
import type { Policy } from '../policy/policy.ts';
import type { StopReason } from '../policy/reason.ts';
import { type ReportedRequest, reportedRequest } from '../policy/reported.ts';
import { Admission } from './admission.ts';
import { approach, type Begun } from './approach.ts';
import type { Hop } from './header-changes.ts';
import { type Attempt, recordOf, type Trace } from './history.ts';
import { LayerPlace } from './layer-place.ts';
import { mayBeLayered, NO_LAYERS, noteFailure, type Surroundings, type Way } from './layers.ts';
import { otherRetriesOf, warnOfOtherRetries } from './other-retries.ts';
import { OutOfTime } from './out-of-time.ts';
import { Patience } from './patience.ts';
import { hasHooks, type MakeBody, Preparation } from './preparation.ts';
import { abortOrStop, isStop, stopped } from './stop.ts';
import { Total } from './total.ts';

const LEFT_TO_OUTER_LAYER: Decision = { retry: false, reason: 'left-to-outer-layer' };
const JUDGED_BY_INNER_LAYER: Decision = { retry: false, reason: 'judged-by-inner-layer' };
const OUT_OF_TIME: Decision = { retry: false, reason: 'deadline-exceeded' };

const NOT_BEGUN: Begun = { isDressed: false };

/**
 * What follows {@link Session.ready}: the attempt is to be sent; or not, and the result of the one before is that of the
 * request; or it is to be judged as one that ran into `attemptTimeoutMs`, though it has not been sent.
 */
export type Readiness = boolean | OutOfTime;

/**
 * One request on its way through a policy. For each attempt an adapter calls {@link ready}, sends with {@link sending},
 * and calls {@link judge}. After the last one it calls {@link bodyEnded} if {@link holdsSlot}.
 */
export class Session implements Progress {
  readonly policy: Policy;
  readonly request: RequestTraits;
  /** Set by a client that sees each hop of a redirect as a request, for all hops but the first. */
  declare hop?: Hop;
  #history: Attempt[] | undefined;
  #attempt = 0;
  #previousBackoffMs: number | undefined;
  #budget: RetryBudget | undefined;
  /** True while the budget counts this request as in flight. */
  #isCounted = false;
  /** `undefined` without a bucket and without a concurrency limit. */
  readonly #admission: Admission | undefined;
  /** `undefined` unless another layer may be above or below. */
  #place: LayerPlace | undefined;
  readonly #isLayered: boolean;
  /** The delay before the next attempt, in milliseconds. */
  #delayMs = 0;
  /** The outcome that the planned retry follows. */
  #toRetry: Outcome | undefined;
  readonly #total: Total | undefined;
  /** Made for hooks, limits and body factories. */
  #preparation: Preparation | undefined;
  /** The request in events; `undefined` before the first. */
  #reported: ReportedRequest | undefined;

  /**
   * @param around the layers around the request; by default none
   * @param way what its attempts are sent with
   */
  constructor(policy: Policy, request: RequestTraits, around: Surroundings = NO_LAYERS, way: Way = 'client') {
    this.policy = policy;
    this.request = request;
    this.#total = Total.of(policy);
    // While it holds a slot, a call that user code starts below must find that out.
    this.#isLayered =
      policy.aroundAttempt !== undefined || mayBeLayered(policy.concurrency === undefined ? way : 'client');
    if (around !== NO_LAYERS || way === 'function')
      this.#place = new LayerPlace(way === 'function' ? undefined : request, around);
    if (policy.bucket !== undefined || policy.concurrency !== undefined) {
      this.#admission = new Admission(policy, request, around);
    }
  }

  /** When the call began, in milliseconds since the epoch; `undefined` if the policy has no total timeout. */
  get startedAtMs(): number | undefined {
    return this.#total?.startedAtMs;
  }

  /** The attempt in flight, from 1; 0 before the first. */
  get attempt(): number {
    return this.#attempt;
  }

  /** The attempts that were judged. The array grows while the session goes on. */
  get history(): readonly Attempt[] {
    this.#history ??= [];
    return this.#history;
  }

  /** What to note on the result. */
  get trace(): Trace {
    const grant = this.#admission?.grant;
    return grant === undefined ? this.history : { attempts: this.history, grant };
  }

  #note(record: Attempt): void {
    // A literal has no room for more entries, which most requests do not need.
    if (this.#history === undefined) this.#history = [record];
    else this.#history.push(record);
  }

  /** The delay that the backoff rule returned for the retry before, in milliseconds; `undefined` at the first. */
  get previousBackoffMs(): number | undefined {
    return this.#previousBackoffMs;
  }

  /** What retries are withdrawn from; `undefined` if the policy has no budget. */
  get budget(): RetryBudget | undefined {
    return this.#budget;
  }

  /** The tokens that the attempt took; `undefined` if there is no bucket. */
  get cost(): number | undefined {
    return this.#admission?.grant?.cost;
  }

  /** The key of ebb that every attempt carries; `undefined` before the first, and if there is none. */
  get idempotencyKey(): string | undefined {
    return this.#preparation?.idempotencyKey;
  }

  /** True if every attempt carries the same idempotency key of ebb. */
  get isKeyed(): boolean {
    return this.#preparation?.isKeyed === true;
  }

  /** True if an attempt did not carry the idempotency key of the request, or carried another one. */
  get isKeyLost(): boolean {
    return this.#preparation?.isKeyLost === true;
  }

  /** The headers that the attempt changes; `undefined` for none. Known once the attempt is {@link ready}. */
  get headerChanges(): HeaderChanges | undefined {
    return this.#preparation?.changes;
  }

  /**
   * How long the attempt may take until its response, in milliseconds: what is left of `attemptTimeoutMs` and of the total
   * timeout. `undefined` for no limit. To be called once for each attempt, when it is sent.
   */
  timeoutMs(): number | undefined {
    const ownMs = this.#preparation?.attemptLeftMs ?? this.policy.attemptTimeoutMs;
    return this.#total === undefined ? ownMs : this.#total.bound(ownMs);
  }

  /** The timeout that an attempt runs into if it takes {@link timeoutMs}, for messages. */
  get namedTimeoutMs(): number {
    return this.#total?.bindsAttempt ? this.#total.timeoutMs : (this.policy.attemptTimeoutMs as number);
  }

  /** True if {@link inspect} is to be called with each response before {@link judge}. */
  get inspects(): boolean {
    return this.policy.inspect !== undefined && !this.isInner;
  }

  /**
   * The outcome with what the policy's `inspect` says of it.
   *
   * @param open opens the body; called only if `inspect` asks for it
   * @throws HookError if `inspect` fails
   */
  inspect(
    outcome: Outcome,
    open: (maxBytes: number) => Peek | undefined,
    signal?: AbortSignal,
  ): Promise<Outcome> {
    const { inspect, clock } = this.policy;
    if (inspect === undefined || outcome.type !== 'response') return Promise.resolve(outcome);
    return inspect.look(outcome, { request: this.request, attempt: this.#attempt, open, signal, clock });
  }

  /** True if another layer around this one retries, and this one sends once. */
  get isInner(): boolean {
    return this.#place?.isInner === true;
  }

  /**
   * To be passed on under `LAYER` in the options of the underlying client, if they reach the layers below; `undefined` if
   * there is no other layer.
   */
  get layer(): object | undefined {
    return this.#place?.passage;
  }

  /**
   * Prepares the next attempt, and waits until it may be sent: for the delay, then for `released` (the connection of the
   * attempt before), for the hooks that change its headers, for a slot and tokens, and for its body. While the hooks run
   * nothing is held; the body is made with the slot. After that the attempt must be sent in the same turn. Returns
   * `undefined` synchronously if there is nothing to wait for. The slot of the attempt before is released when `released`
   * settles.
   *
   * Resolves with `false` if the retry must not be sent, because its tokens or its slot cannot be had, the total timeout
   * has passed, or the policy has stopped. The result of the attempt before is then the result of the request, and its end has been reported.
   *
   * If the signal has aborted before the first attempt, the attempt is sent without tokens and slot, so that the client
   * fails in its own way.
   *
   * @param made the caller's signal, or what makes one, which is called only if there is something to wait for
   * @param makeBody makes the body of the attempt, if the user's code does that
   * @throws the signal's own reason when it aborts
   * @throws ThrottledError if the first attempt cannot get its slot or its tokens in time, or the policy has stopped
   * @throws OutOfTime if the total timeout passes before the first attempt
   * @throws HookError if a hook or `makeBody` fails
   */
  ready(
    made?: AbortSignal | (() => AbortSignal),
    released?: Promise<void>,
    makeBody?: MakeBody,
  ): Promise<Readiness> | undefined {
    const signal = typeof made === 'function' ? undefined : made;
    const admission = this.#admission;
    admission?.freeSlot(released);
    admission?.reset();
    this.#preparation?.reset();
    let begun = NOT_BEGUN;
    try {
      if (this.#attempt === 0) {
        this.#openBudget();
        if (signal?.aborted) return this.#begin();
      }
      if (this.policy.stopSignal?.aborted) throw stopped();
      if (this.#delayMs === 0 && released === undefined && makeBody === undefined) {
        if (signal?.aborted) throw signal.reason;
        const start = this.#start(signal);
        if (start === undefined) return this.#begin();
        begun = start;
      }
    } catch (error) {
      return this.#endUnsent(error, signal);
    }
    const own = typeof made === 'function' ? made() : made;
    const { stopSignal } = this.policy;
    if (stopSignal === undefined) return this.#wait(own, released, makeBody, begun);
    const either = abortOrStop(own, stopSignal);
    return this.#wait(either.signal, released, makeBody, begun).finally(either.forget);
  }

  /** Does what takes no time; returns `undefined` if that is all. */
  #start(signal: AbortSignal | undefined): Begun | undefined {
    if (hasHooks(this.policy)) {
      const dressing = this.#dress();
      if (dressing !== undefined) return { dressing, isDressed: false };
      this.#lookAgain(signal);
    }
    const lack = this.#admission?.take();
    return lack === undefined ? undefined : { lack, isDressed: true };
  }

  /** After a wait or user code: what was true before it need not be true any more. */
  #lookAgain(signal: AbortSignal | undefined): void {
    if (signal?.aborted) throw signal.reason;
    if (this.policy.stopSignal?.aborted) throw stopped();
    this.#total?.check();
  }

  /** Before anything is sent: a budget whose key cannot be had must not cost a response later. */
  #openBudget(): void {
    const { budget, key } = this.policy;
    if (budget === undefined) return;
    this.#budget = forRequest(budget, this.request, key);
    // Only the outermost layer retries, and withdraws.
    if (this.isInner) return;
    this.#isCounted = true;
    this.#budget.begin?.();
  }

  get #around(): Surroundings {
    return this.#place?.around ?? NO_LAYERS;
  }

  get #prepared(): Preparation {
    if (this.#preparation === undefined) {
      const { policy, request, isInner, hop } = this;
      const callRequest = this.#place?.callRequest;
      this.#preparation = new Preparation({ policy, request, isInner, hop, callRequest, total: this.#total });
    }
    return this.#preparation;
  }

  /** Asks the hooks for the headers of the next attempt. Returns a promise if they return one. */
  #dress(): PromiseLike<void> | undefined {
    return this.#prepared.dress(this.#attempt + 1, this.#toRetry);
  }

  #approach(
    signal: AbortSignal | undefined,
    makeBody: MakeBody | undefined,
    patience: Patience,
    begun: Begun,
  ): Promise<void> {
    return approach(
      {
        preparation: this.#prepared,
        admission: this.#admission,
        slotsAround: this.#around.slotsOf,
        makeBody,
        patience,
        signal,
        isRetry: this.#attempt > 0,
        dress: hasHooks(this.policy) ? () => this.#dress() : undefined,
        onBlocked: () => this.#emit({ type: 'blocked' }),
      },
      begun,
    );
  }

  async #wait(
    signal: AbortSignal | undefined,
    released: Promise<void> | undefined,
    makeBody: MakeBody | undefined,
    begun: Begun,
  ): Promise<Readiness> {
    // It is not waited for if the attempt ends before.
    begun.dressing?.then(undefined, () => undefined);
    const { policy } = this;
    const patience = new Patience(policy, this.#total);
    try {
      if (this.#delayMs > 0) await sleep(policy.clock, this.#delayMs, signal);
      // Each `await` takes a turn of the microtasks, even of `undefined`.
      if (released !== undefined) await released;
      this.#lookAgain(signal);
      if (this.#admission !== undefined || makeBody !== undefined || hasHooks(policy)) {
        await this.#approach(signal, makeBody, patience, begun);
        // The signal may have aborted in the turn in which the tokens were granted.
        this.#lookAgain(signal);
      }
      if (this.#throttledMs > 0) this.#emitThrottle();
      this.#begin();
      return true;
    } catch (error) {
      if (!(error instanceof OutOfTime) || error.isTotal) {
        return this.#endUnsent(error, signal, patience.isTotalTimeout(error));
      }
      this.#admission?.giveBack();
      this.#begin();
      return error;
    }
  }

  /** How long this attempt has waited for a slot and tokens, in milliseconds. */
  get #throttledMs(): number {
    return this.#admission?.waitedMs ?? 0;
  }

  #emitThrottle(): void {
    const { waitedMs = 0, slotMs = 0 } = this.#admission ?? {};
    this.#emit({ type: 'throttle', waitMs: waitedMs, slotMs });
  }

  #begin(): undefined {
    this.#attempt += 1;
    if (this.#isLayered) {
      this.#place ??= new LayerPlace(this.request, NO_LAYERS);
      this.#place.enter(this.#admission?.bucket, this.#admission?.limit);
    }
    if (this.#admission?.grant?.conforming === false) this.#emit({ type: 'mark' });
    if (isObserved(this.policy.onEvent, 'attempt')) this.#emit({ type: 'attempt' });
  }

  /**
   * The end in front of an attempt: an abort, a hook that threw, or a limit that refuses. Returns `false` if the result of
   * the attempt before is the result of the request.
   */
  async #endUnsent(error: unknown, signal: AbortSignal | undefined, isTotalTimeout = false): Promise<false> {
    // Nothing was sent: the tokens, the slot and the retry of the budget go back.
    this.#admission?.giveBack();
    if (this.#attempt > 0) this.#budget?.refund?.();
    this.#close();
    const outcome = this.#toRetry;
    const refusal = isStop(error) ? 'stopped' : 'throttled';
    const isAbort = signal?.aborted === true && error === signal.reason && !isStop(error);
    if (isAbort || error instanceof HookError || outcome === undefined) {
      const unsent = error instanceof OutOfTime ? 'deadline-exceeded' : refusal;
      const reason = isAbort ? 'aborted' : error instanceof HookError ? 'final' : unsent;
      this.#emit({ type: 'end', reason, outcome, error });
      throw error;
    }
    const isLate = isTotalTimeout || error instanceof OutOfTime;
    const reason: StopReason = isLate ? 'deadline-exceeded' : refusal;
    const last = this.#history?.pop();
    if (last !== undefined) this.#note({ ...last, reason });
    this.#emit({ type: 'end', reason, outcome, error });
    return false;
  }

  /**
   * Calls what sends the attempt, so that the layers of ebb below know that they are not the first. Nothing else belongs
   * in here: what a hook or a body factory sends is a call of its own.
   */
  sending<T>(send: () => T): T {
    const place = this.#place;
    return this.#aroundAttempt(place === undefined ? send : () => place.sending(send));
  }

  /**
   * Calls what sends the attempt inside the policy's `aroundAttempt`.
   *
   * @throws HookError if `aroundAttempt` throws before it sends
   */
  #aroundAttempt<T>(send: () => T): T {
    const { aroundAttempt } = this.policy;
    if (aroundAttempt === undefined) return send();
    let isSent = false;
    const sendNow = (): T => {
      isSent = true;
      return send();
    };
    try {
      return aroundAttempt(sendNow, { attempt: this.#attempt, request: this.request });
    } catch (error) {
      throw isSent ? error : new HookError('aroundAttempt', error);
    }
  }

  /**
   * Takes the outcome of the attempt, and returns whether and when to retry. After a decision not to retry the session is
   * over.
   *
   * @param hasAnswer true if the last response that a retry followed can still be the result: it is if the total timeout
   *   ends this attempt, and then {@link fallsBack} is true
   * @throws HookError if a hook throws; the session is then over as well
   */
  judge(outcome: Outcome, hasAnswer = false): Decision {
    const admission = this.#admission;
    try {
      if (this.#total?.hasEnded(outcome)) {
        this.#total.fallsBack = hasAnswer && !this.isInner;
        return this.#follow(OUT_OF_TIME, outcome);
      }
      if (admission !== undefined) {
        if (neverSent(outcome)) admission.returnTokens();
        admission.observe(outcome);
      }
      return this.#follow(this.isInner ? LEFT_TO_OUTER_LAYER : this.#decide(outcome), outcome);
    } catch (error) {
      this.fail(outcome, error);
      throw error;
    }
  }

  /** True if a total timeout may want the response of the attempt that the planned retry follows. */
  get hasAnswered(): boolean {
    return this.#total !== undefined && this.#toRetry?.type === 'response';
  }

  /** True if the result of the request is the last response that a retry followed. */
  get fallsBack(): boolean {
    return this.#total?.fallsBack === true;
  }

  /** Ends the session after a hook has failed that was to judge an outcome. */
  fail(outcome: Outcome, error: unknown): void {
    this.#admission?.freeSlot();
    this.#close();
    this.#emit({ type: 'end', reason: 'final', outcome, error });
  }

  #decide(outcome: Outcome): Decision {
    const { policy } = this;
    const verdict = verdictOf(policy, outcome, this);
    return verdict === 'success'
      ? succeed(this)
      : decideRetry(policy, this, outcome, verdict, policy.clock.now());
  }

  /**
   * Takes an outcome that a layer below has judged: there is no retry. The tokens stay spent, even after a refused
   * connection, because that layer may have sent before.
   */
  pass(outcome: Outcome): void {
    this.#follow(JUDGED_BY_INNER_LAYER, outcome);
  }

  #follow(decision: Decision, outcome: Outcome): Decision {
    const { reason } = decision;
    this.#note(recordOf(this.#attempt, this.#delayMs, this.#throttledMs, outcome, reason));
    if (decision.retry) {
      const { delayMs } = decision;
      this.#toRetry = outcome;
      if (this.#total !== undefined && outcome.type === 'response') this.#total.answer = outcome;
      this.#delayMs = delayMs;
      this.#previousBackoffMs = decision.backoffMs;
      this.#reportOtherRetries();
      if (isObserved(this.policy.onEvent, 'retry')) {
        this.#emit({ type: 'retry', delayMs, reason: decision.reason, outcome });
      }
      return decision;
    }
    if (outcome.type === 'failure') this.#admission?.freeSlot();
    if (reason !== 'success') this.#noteFailure(reason);
    this.#close();
    if (isObserved(this.policy.onEvent, 'end')) this.#emitEnd(decision.reason, outcome);
    return decision;
  }

  /** User code that has made this request need not be called again for it, if it was sent more than once. */
  #noteFailure(reason: Decision['reason']): void {
    const wasRepeated = this.#attempt > 1 || reason === 'judged-by-inner-layer';
    if (wasRepeated) noteFailure(this.#around);
  }

  #emitEnd(reason: StopReason, outcome: Outcome): void {
    if (!this.fallsBack || outcome.type === 'response') this.#emit({ type: 'end', reason, outcome });
    else this.#emit({ type: 'end', reason, outcome: this.#total?.answer, error: outcome.error });
  }

  #reportOtherRetries(): void {
    if (this.#attempt > 1) return;
    const other = otherRetriesOf(this.request);
    if (other === undefined) return;
    warnOfOtherRetries(other);
    this.#emit({ type: 'other-retries', header: other.header, library: other.library });
  }

  /** True if a retry that is planned may still not be sent, for another reason than an abort. */
  get keepsAnswer(): boolean {
    const { bucket, concurrency, totalTimeoutMs, stopSignal } = this.policy;
    return (
      bucket !== undefined ||
      concurrency !== undefined ||
      totalTimeoutMs !== undefined ||
      stopSignal !== undefined
    );
  }

  /** The longest time for reading a response that is followed by a retry, in milliseconds. */
  get discardMs(): number {
    // Half of the time left: the rest is for the retry.
    return Math.min(LONGEST_DISCARD_MS, Math.max(0, (this.#total?.leftMs ?? Number.POSITIVE_INFINITY) / 2));
  }

  /** The limit whose slot is held. */
  get limit(): ConcurrencyLimit | undefined {
    return this.#admission?.limit;
  }

  /** True if the function has failed after a request that it made, which was repeated and has failed. */
  get failedBelow(): boolean {
    return this.#place?.failedBelow === true;
  }

  /** True if a slot is held that {@link bodyEnded} releases. */
  get holdsSlot(): boolean {
    return this.#admission?.slot !== undefined;
  }

  /**
   * Releases the slot of the policy's `concurrency` limit. An adapter calls this after {@link judge} has returned that
   * there is no retry, when the body of the response has ended, failed, or been cancelled; at once if there is no body. Not
   * needed after a failure, nor for a response that is followed by a retry. Does nothing if no slot is held.
   */
  bodyEnded(): void {
    this.#admission?.freeSlot();
  }

  /** Ends the call for this layer, and if it is the outermost, for all. */
  #close(): void {
    if (this.isInner) return;
    // A download that breaks after its response was judged ends a second time.
    if (this.#isCounted) this.#budget?.end?.();
    this.#isCounted = false;
    this.#place?.close();
  }

  #emit(news: News): void {
    const { onEvent, clock } = this.policy;
    if (!isObserved(onEvent, news.type)) return;
    this.#reported ??= reportedRequest(this.request);
    const common = { request: this.#reported, attempt: this.#attempt, atMs: clock.now() };
    report(onEvent, makeEvent(news, this.request, common));
  }
}
