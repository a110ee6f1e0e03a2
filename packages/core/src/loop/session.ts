import { mayBeLayered, noteFailure, otherRetriesOf, withSlots } from '#around';
import { HookError, ThrottledError } from '../base/errors.ts';
import { sleep } from '../base/sleep.ts';
import { LONGEST_DISCARD_MS } from '../bodies/set-aside.ts';
import type { ReadFeedback } from '../http/feedback.ts';
import { withJudgement } from '../http/judged.ts';
import type { Judgement, Outcome, RequestTraits, Responded } from '../http/outcome.ts';
import type { Opened } from '../http/peek.ts';
import type { HeaderChanges } from './before-attempt.ts';
import type { Grant } from './contracts.ts';
import { type Decision, decideRetry, type Progress, SUCCESS, verdictOf } from './decide.ts';
import { isObserved, makeEvent, type News, report } from './events.ts';
import type { Hop } from './header-changes.ts';
import { type Attempt, recordOf, type Trace } from './history.ts';
import { NO_LAYERS, type Surroundings, type Way } from './layer.ts';
import { LayerPlace } from './layer-place.ts';
import { OutOfTime } from './out-of-time.ts';
import type { Around, Call, Lack, PlannedRetry, Turn } from './part.ts';
import { insideOf, type Policy } from './policy.ts';
import { hasHooks, type MakeBody, Preparation } from './preparation.ts';
import type { StopReason } from './reason.ts';
import { type ReportedRequest, reportedRequest } from './reported.ts';
import { abortOrStop, isStop, stopped } from './stop.ts';
import { Total } from './total.ts';

const LEFT_TO_OUTER_LAYER: Decision = { retry: false, reason: 'left-to-outer-layer' };
const JUDGED_BY_INNER_LAYER: Decision = { retry: false, reason: 'judged-by-inner-layer' };
const OUT_OF_TIME: Decision = { retry: false, reason: 'deadline-exceeded' };

const NO_TURNS: readonly Turn[] = [];
const ALONE: Around = { isInner: false, taken: [], slots: [], paid: undefined };

/**
 * What follows {@link Session.ready}: the attempt is to be sent; or not, and the result of the one before is that of the
 * request; or it is to be judged as one that ran into `attemptTimeoutMs`, though it has not been sent.
 */
export type Readiness = boolean | OutOfTime;

/**
 * What a driver does next: wait for {@link Session.waiting}; send an attempt; look into its response; set it aside, because a retry
 * follows; or finish.
 */
export type Step = 'wait' | 'send' | 'look' | 'set aside' | 'finish';

/** What was done for an attempt before it turned out that it has to wait. */
interface Begun {
  readonly lack?: Lack | undefined;
  /** The hooks, if they have been asked. */
  readonly dressing?: PromiseLike<void> | undefined;
  /** True if the hooks have answered. */
  readonly isDressed: boolean;
}

const NOT_BEGUN: Begun = { isDressed: false };

/**
 * One request on its way through a policy, as a machine without a socket: a driver tells it what has happened, and it returns what is
 * to be done next. An attempt goes through
 *
 * ```text
 * begin → [wait → woken →] send → settled → [look → looked →] set aside → begin …
 *                                                            finish
 * ```
 *
 * After the end a driver calls {@link bodyEnded} if {@link holdsSlot}.
 */
export class Session implements Progress, Call {
  readonly policy: Policy;
  readonly request: RequestTraits;
  /** Set by a client that sees each hop of a redirect as a request, for all hops but the first. */
  declare hop?: Hop;
  /** The attempt in flight, from 1; 0 before the first. */
  attempt = 0;
  /** The delay that the backoff rule returned for the retry before, in milliseconds; `undefined` at the first. */
  previousBackoffMs: number | undefined;
  /** The parts of the policy in this call. */
  turns: readonly Turn[] = NO_TURNS;
  bucket: object | undefined;
  grant: Grant | undefined;
  limit: object | undefined;
  waitedMs = 0;
  slotMs = 0;
  placeMs = 0;
  isBoundByTotal = false;
  readonly total: Total | undefined;
  /** True if parts look into responses. */
  reads = false;
  /** What the step `wait` waits for. */
  waiting: Promise<Readiness> | undefined;
  /** True if the retry was not sent: the result is that of the attempt before. */
  isUnsent = false;
  #history: Attempt[] | undefined;
  /** `undefined` unless another layer may be above or below. */
  #place: LayerPlace | undefined;
  readonly #isLayered: boolean;
  /** The delay before the next attempt, in milliseconds. */
  #delayMs = 0;
  /** The outcome that the planned retry follows. */
  #toRetry: Outcome | undefined;
  /** Made for hooks, limits and body factories. */
  #preparation: Preparation | undefined;
  /** The response that the parts are to look into. */
  declare toLookAt?: Responded;
  /** The request in events; `undefined` before the first. */
  #reported: ReportedRequest | undefined;

  /**
   * @param around the layers around the request; by default none
   * @param way what its attempts are sent with
   */
  constructor(policy: Policy, request: RequestTraits, around: Surroundings = NO_LAYERS, way: Way = 'client') {
    this.policy = policy;
    this.request = request;
    this.total = Total.of(policy);
    // While it holds a slot, a call that user code starts below must find that out.
    this.#isLayered =
      policy.aroundAttempt !== undefined || mayBeLayered(policy.concurrency === undefined ? way : 'client');
    if (around !== NO_LAYERS || way === 'function')
      this.#place = new LayerPlace(way === 'function' ? undefined : request, around);
  }

  get givenFeedback(): ReadFeedback | false | undefined {
    return insideOf(this.policy).feedback;
  }

  get around(): Around {
    return this.#place ?? ALONE;
  }

  /** When the call began, in milliseconds since the epoch; `undefined` if the policy has no total timeout. */
  get startedAtMs(): number | undefined {
    return this.total?.startedAtMs;
  }

  /** The attempts that were judged. The array grows while the session goes on. */
  get history(): readonly Attempt[] {
    this.#history ??= [];
    return this.#history;
  }

  /** What to note on the result. */
  get trace(): Trace {
    const { grant, history } = this;
    return grant === undefined ? history : { attempts: history, grant };
  }

  #note(record: Attempt): void {
    // A literal has no room for more entries, which most requests do not need.
    if (this.#history === undefined) this.#history = [record];
    else this.#history.push(record);
  }

  /** The tokens that the attempt took; `undefined` if there is no bucket. */
  get cost(): number | undefined {
    return this.grant?.cost;
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
    return this.total === undefined ? ownMs : this.total.bound(ownMs);
  }

  /** The timeout that an attempt runs into if it takes {@link timeoutMs}, for messages. */
  get namedTimeoutMs(): number {
    return this.total?.bindsAttempt ? this.total.timeoutMs : (this.policy.attemptTimeoutMs as number);
  }

  /**
   * The next step after an event. `begin`: an attempt is to be prepared, see {@link ready}. `woken`: {@link waiting} has resolved with
   * true or false. `settled`: the attempt has ended. `looked`: so it has, and the parts have looked into its response.
   *
   * @throws HookError if a hook throws; the request has then ended
   */
  next(event: 'begin', ...prepare: Parameters<Session['ready']>): Step;
  next(event: 'woken', isReady: boolean): Step;
  next(event: 'settled' | 'looked', outcome: Outcome, hasAnswer?: boolean): Step;
  next(event: string, what: unknown, more?: unknown, makeBody?: MakeBody): Step {
    if (event === 'begin') {
      this.waiting = this.ready(what as AbortSignal, more as Promise<void>, makeBody);
      return this.waiting === undefined ? 'send' : 'wait';
    }
    if (event === 'woken') {
      this.isUnsent = what === false;
      return this.isUnsent ? 'finish' : 'send';
    }
    const outcome = what as Outcome;
    // What a function returned is no response, and has no status.
    if (event === 'settled' && this.reads && outcome.type === 'response' && outcome.status !== 0) {
      this.toLookAt = outcome;
      return 'look';
    }
    return this.judge(outcome, more as boolean).retry ? 'set aside' : 'finish';
  }

  /**
   * The outcome of the attempt with what the parts that read responses say of it.
   *
   * @param open opens the body; called only if a part asks for it
   * @throws HookError if a part fails: the driver then calls {@link fail}
   */
  async look(
    open: (maxBytes: number) => Opened,
    signal?: AbortSignal,
    outcome: Outcome | undefined = this.toLookAt,
  ): Promise<Outcome> {
    if (outcome?.type !== 'response') return outcome as Outcome;
    const look = { attempt: this.attempt, open, signal };
    let said: Judgement | undefined;
    for (const turn of this.turns) said = (await turn.read?.(outcome, said, look)) ?? said;
    return said === undefined ? outcome : withJudgement(outcome, said);
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
    let begun = NOT_BEGUN;
    try {
      if (this.attempt > 0) this.#reset(released);
      else {
        this.turns = this.#beginTurns();
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

  /** Before anything is sent: a part whose key cannot be had must not cost a response later. */
  #beginTurns(): readonly Turn[] {
    const { parts } = insideOf(this.policy);
    if (parts.length === 0) return NO_TURNS;
    const turns: Turn[] = [];
    this.turns = turns;
    for (const part of parts) {
      const turn = part.begin(this);
      if (turn === undefined) continue;
      turns.push(turn);
      if (turn.read !== undefined) this.reads = true;
    }
    return turns;
  }

  /** Before an attempt that follows another. */
  #reset(released: Promise<void> | undefined): void {
    for (const turn of this.turns) turn.free?.(released);
    this.bucket = undefined;
    this.grant = undefined;
    this.waitedMs = 0;
    this.slotMs = 0;
    this.placeMs = 0;
    this.#preparation?.reset();
  }

  /** Does what takes no time; returns `undefined` if that is all. */
  #start(signal: AbortSignal | undefined): Begun | undefined {
    if (hasHooks(this.policy)) {
      const dressing = this.#dress();
      if (dressing !== undefined) return { dressing, isDressed: false };
      this.#lookAgain(signal);
    }
    const lack = this.take();
    return lack === undefined ? undefined : { lack, isDressed: true };
  }

  take(): Lack | undefined {
    for (const turn of this.turns) {
      const lack = turn.enter?.();
      if (lack !== undefined) {
        this.#leave(undefined);
        return lack;
      }
    }
    return undefined;
  }

  #leave(outcome: Outcome | undefined): void {
    for (const turn of this.turns) turn.leave?.(outcome);
  }

  /** After a wait or user code: what was true before it need not be true any more. */
  #lookAgain(signal: AbortSignal | undefined): void {
    if (signal?.aborted) throw signal.reason;
    if (this.policy.stopSignal?.aborted) throw stopped();
    this.total?.check();
  }

  get #prepared(): Preparation {
    if (this.#preparation === undefined) {
      const { policy, request, isInner, hop, total } = this;
      const callRequest = this.#place?.callRequest;
      this.#preparation = new Preparation({ policy, request, isInner, hop, callRequest, total });
    }
    return this.#preparation;
  }

  /** Asks the hooks for the headers of the next attempt. Returns a promise if they return one. */
  #dress(): PromiseLike<void> | undefined {
    return this.#prepared.dress(this.attempt + 1, this.#toRetry);
  }

  /** The hooks, slot and tokens, the body. User code runs while nothing is held, but for a body. */
  async #approach(
    signal: AbortSignal | undefined,
    makeBody: MakeBody | undefined,
    { dressing, isDressed, lack }: Begun,
  ): Promise<void> {
    const { admit } = insideOf(this.policy);
    const prepared = this.#prepared;
    const again = (): Promise<number> =>
      prepared.settle(() => withSlots(this.#slots, () => this.#dress()), signal);
    const dress = hasHooks(this.policy) ? again : undefined;
    if (dress !== undefined && !isDressed) await prepared.settle(() => dressing ?? this.#dress(), signal);
    const make = makeBody && (() => this.#makeBody(prepared, makeBody, signal));
    if (admit === undefined) await make?.();
    else await admit(this, { dress, makeBody: make }, signal, lack);
  }

  async #makeBody(prepared: Preparation, make: MakeBody, signal: AbortSignal | undefined): Promise<number> {
    const slots = this.#slots;
    this.occupy(1);
    try {
      return await prepared.makeBody(
        slots.length === 0 ? make : (state) => withSlots(slots, () => make(state)),
        signal,
      );
    } finally {
      this.occupy(-1);
    }
  }

  /** The limits whose slots the request and the calls around it hold. */
  get #slots(): readonly object[] {
    const { slots } = this.around;
    return this.limit === undefined ? slots : [...slots, this.limit];
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
    try {
      if (this.#delayMs > 0) await sleep(policy.clock, this.#delayMs, signal);
      // Each `await` takes a turn of the microtasks, even of `undefined`.
      if (released !== undefined) await released;
      this.#lookAgain(signal);
      if (this.turns !== NO_TURNS || makeBody !== undefined || hasHooks(policy)) {
        await this.#approach(signal, makeBody, begun);
        // The signal may have aborted in the turn in which the tokens were granted.
        this.#lookAgain(signal);
      }
      if (this.waitedMs > 0) this.emit({ type: 'throttle', waitMs: this.waitedMs, slotMs: this.slotMs });
      this.#begin();
      return true;
    } catch (error) {
      if (!(error instanceof OutOfTime) || error.isTotal) return this.#endUnsent(error, signal);
      this.#leave(undefined);
      this.#begin();
      return error;
    }
  }

  /** The first attempt was sent before the session was made. */
  begun(): void {
    this.attempt = 1;
  }

  #begin(): undefined {
    this.attempt += 1;
    if (this.#isLayered) {
      this.#place ??= new LayerPlace(this.request, NO_LAYERS);
      this.#place.enter(this.bucket, this.limit);
    }
    if (this.grant?.conforming === false) this.emit({ type: 'mark' });
    this.emit({ type: 'attempt' });
  }

  /**
   * The end in front of an attempt: an abort, a hook that threw, or a limit that refuses. Returns `false` if the result of
   * the attempt before is the result of the request.
   */
  async #endUnsent(error: unknown, signal: AbortSignal | undefined): Promise<false> {
    // Nothing was sent: what was taken goes back.
    this.#leave(undefined);
    const outcome = this.#toRetry;
    const isAbort = signal?.aborted === true && error === signal.reason && !isStop(error);
    const isLate = error instanceof OutOfTime || (outcome !== undefined && this.#isTotalTimeout(error));
    let reason: StopReason = isLate ? 'deadline-exceeded' : isStop(error) ? 'stopped' : 'throttled';
    if (isAbort) reason = 'aborted';
    else if (error instanceof HookError) reason = 'final';
    const isLost = isAbort || error instanceof HookError || outcome === undefined;
    if (!isLost) {
      const last = this.#history?.pop();
      if (last !== undefined) this.#note({ ...last, reason });
    }
    this.#close(reason);
    this.emit({ type: 'end', reason, outcome, error });
    if (isLost) throw error;
    return false;
  }

  /** True if a wait failed with this error because of the total timeout. */
  #isTotalTimeout(error: unknown): boolean {
    return this.isBoundByTotal && error instanceof ThrottledError && error.reason === 'wait-too-long';
  }

  /**
   * Calls what sends the attempt, so that the layers of ebb below know that they are not the first. Nothing else belongs
   * in here: what a hook or a body factory sends is a call of its own.
   */
  sending<T>(send: () => T): T {
    const place = this.#place;
    let inner = place === undefined ? send : () => place.sending(send);
    for (const turn of this.turns) {
      const { around } = turn;
      if (around !== undefined) {
        const below = inner;
        inner = () => around.call(turn, below) as T;
      }
    }
    return this.#aroundAttempt(inner);
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
      return aroundAttempt(sendNow, { attempt: this.attempt, request: this.request });
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
    const { total } = this;
    try {
      if (total?.hasEnded(outcome)) {
        total.fallsBack = hasAnswer && !this.isInner;
        return this.#follow(OUT_OF_TIME, outcome);
      }
      if (this.turns !== NO_TURNS) this.#leave(outcome);
      return this.#follow(this.isInner ? LEFT_TO_OUTER_LAYER : this.#decide(outcome), outcome);
    } catch (error) {
      this.fail(outcome, error);
      throw error;
    }
  }

  /** True if a total timeout may want the response of the attempt that the planned retry follows. */
  get hasAnswered(): boolean {
    return this.total !== undefined && this.#toRetry?.type === 'response';
  }

  /** True if the result of the request is the last response that a retry followed. */
  get fallsBack(): boolean {
    return this.total?.fallsBack === true;
  }

  /** Ends the session after a hook has failed that was to judge an outcome. */
  fail(outcome: Outcome, error: unknown): void {
    this.bodyEnded();
    this.#close('final');
    this.emit({ type: 'end', reason: 'final', outcome, error });
  }

  #decide(outcome: Outcome): Decision {
    const { policy } = this;
    const verdict = verdictOf(policy, outcome, this);
    return verdict === 'success' ? SUCCESS : decideRetry(policy, this, outcome, verdict, policy.clock.now());
  }

  /** Asks the parts whether a retry may be sent. */
  permit(retry: PlannedRetry): StopReason | undefined {
    for (const turn of this.turns) {
      const reason = turn.permit?.(retry);
      if (reason !== undefined) return reason;
    }
    return undefined;
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
    this.#note(recordOf(this.attempt, this.#delayMs, this.waitedMs, outcome, reason));
    if (decision.retry) {
      const { delayMs } = decision;
      this.#toRetry = outcome;
      if (this.total !== undefined && outcome.type === 'response') this.total.answer = outcome;
      this.#delayMs = delayMs;
      this.previousBackoffMs = decision.backoffMs;
      this.#reportOtherRetries();
      this.emit({ type: 'retry', delayMs, reason: decision.reason, outcome });
      return decision;
    }
    if (outcome.type === 'failure') this.bodyEnded();
    if (reason !== 'success') this.#noteFailure(reason);
    this.#close(decision.reason);
    if (isObserved(this.policy.onEvent, 'end')) this.#emitEnd(decision.reason, outcome);
    return decision;
  }

  /** User code that has made this request need not be called again for it, if it was sent more than once. */
  #noteFailure(reason: Decision['reason']): void {
    const wasRepeated = this.attempt > 1 || reason === 'judged-by-inner-layer';
    if (wasRepeated && this.#place !== undefined) noteFailure(this.#place.surroundings);
  }

  #emitEnd(reason: StopReason, outcome: Outcome): void {
    if (!this.fallsBack || outcome.type === 'response') this.emit({ type: 'end', reason, outcome });
    else this.emit({ type: 'end', reason, outcome: this.total?.answer, error: outcome.error });
  }

  #reportOtherRetries(): void {
    if (this.attempt > 1) return;
    const other = otherRetriesOf(this.request);
    if (other !== undefined) this.emit({ type: 'other-retries', ...other });
  }

  /** True if a retry that is planned may still not be sent, for another reason than an abort. */
  get keepsAnswer(): boolean {
    const { totalTimeoutMs, stopSignal } = this.policy;
    const isBound = totalTimeoutMs !== undefined || stopSignal !== undefined;
    return isBound || insideOf(this.policy).admit !== undefined;
  }

  /** The longest time for reading a response that is followed by a retry, in milliseconds. */
  get discardMs(): number {
    // Half of the time left: the rest is for the retry.
    return Math.min(LONGEST_DISCARD_MS, Math.max(0, (this.total?.leftMs ?? Number.POSITIVE_INFINITY) / 2));
  }

  /** User code begins (1) or ends (-1) that runs with what the attempt has taken. */
  occupy(by: 1 | -1): void {
    for (const turn of this.turns) turn.occupy?.(by);
  }

  /** True if the function has failed after a request that it made, which was repeated and has failed. */
  get failedBelow(): boolean {
    return this.#place?.failedBelow === true;
  }

  /** True if a slot is held that {@link bodyEnded} releases. */
  get holdsSlot(): boolean {
    return this.limit !== undefined;
  }

  /**
   * Releases the slot of the policy's `concurrency` limit. An adapter calls this after {@link judge} has returned that
   * there is no retry, when the body of the response has ended, failed, or been cancelled; at once if there is no body. Not
   * needed after a failure, nor for a response that is followed by a retry. Does nothing if no slot is held.
   */
  bodyEnded(): void {
    for (const turn of this.turns) turn.free?.();
  }

  /** What watches the bodies of responses, if a part needs to know their end. */
  get whenBodyEnds(): Turn['whenBodyEnds'] {
    return this.turns.find((turn) => turn.whenBodyEnds !== undefined)?.whenBodyEnds;
  }

  /** Ends the call for this layer, and if it is the outermost, for all. */
  #close(reason: StopReason): void {
    for (const turn of this.turns) turn.end?.(reason);
    if (!this.isInner) this.#place?.close();
  }

  /** Tells all who want to know. */
  emit(news: News): void {
    const { onEvent, clock } = this.policy;
    if (!isObserved(onEvent, news.type)) return;
    this.#reported ??= reportedRequest(this.request);
    const common = { request: this.#reported, attempt: this.attempt, atMs: clock.now() };
    report(onEvent, makeEvent(news, this.request, common));
  }
}
