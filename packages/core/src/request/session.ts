import { sleep } from '../base/clock.ts';
import { HookError } from '../base/errors.ts';
import { LONGEST_DISCARD_MS } from '../http/drain.ts';
import { neverSent } from '../http/failure.ts';
import type { Peek } from '../http/inspect.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { forRequest, type RetryBudget } from '../limits/contracts.ts';
import type { HeaderChanges } from '../policy/before-attempt.ts';
import { type Decision, decideRetry, type Progress, succeed, verdictOf } from '../policy/decide.ts';
import { isObserved, makeEvent, type News, report } from '../policy/events.ts';
import type { Policy } from '../policy/policy.ts';
import type { StopReason } from '../policy/reason.ts';
import { type ReportedRequest, reportedRequest } from '../policy/reported.ts';
import { Admission, type Lack } from './admission.ts';
import { type Hop, headerChangesOf, idempotencyKeyOf, isAway } from './header-changes.ts';
import { type Attempt, recordOf, type Trace } from './history.ts';
import { LayerPlace } from './layer-place.ts';
import { mayBeLayered, NO_LAYERS, type Surroundings, type Way } from './layers.ts';
import { otherRetriesOf, warnOfOtherRetries } from './other-retries.ts';
import { leftMs, Patience } from './patience.ts';
import { abortOrStop, isStop, stopped } from './stop.ts';

const LEFT_TO_OUTER_LAYER: Decision = { retry: false, reason: 'left-to-outer-layer' };
const JUDGED_BY_INNER_LAYER: Decision = { retry: false, reason: 'judged-by-inner-layer' };

/**
 * One request on its way through a policy. For each attempt an adapter calls {@link ready}, sends with {@link sending},
 * and calls {@link judge}. After the last one it calls {@link bodyEnded} if {@link holdsSlot}.
 */
export class Session implements Progress {
  readonly policy: Policy;
  readonly request: RequestTraits;
  /** When the call began, in milliseconds since the epoch; `undefined` if the policy has no total timeout. */
  readonly startedAtMs: number | undefined;
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
  #idempotencyKey: string | undefined;
  /** The request in events; `undefined` before the first. */
  #reported: ReportedRequest | undefined;

  /**
   * @param around the layers around the request; by default none
   * @param way what its attempts are sent with
   */
  constructor(policy: Policy, request: RequestTraits, around: Surroundings = NO_LAYERS, way: Way = 'client') {
    this.policy = policy;
    this.request = request;
    // Reading a clock takes as long as half of the rest of a session.
    this.startedAtMs = policy.totalTimeoutMs === undefined ? undefined : policy.clock.now();
    // While it holds a slot, a call that user code starts below must find that out.
    this.#isLayered = mayBeLayered(policy.concurrency === undefined ? way : 'client');
    if (around !== NO_LAYERS) this.#place = new LayerPlace(request, around);
    if (policy.bucket !== undefined || policy.concurrency !== undefined) {
      this.#admission = new Admission(policy, request, around);
    }
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
    return this.#idempotencyKey;
  }

  /** True if every attempt carries the same idempotency key of ebb. */
  get isKeyed(): boolean {
    return this.#idempotencyKey !== undefined;
  }

  /**
   * The headers that the attempt changes, to be asked for once for each attempt after {@link ready}; `undefined` for none.
   *
   * @throws HookError, at once or as a rejection, if `beforeAttempt` or `idempotencyKey` fails
   */
  headerChanges(): HeaderChanges | undefined | Promise<HeaderChanges | undefined> {
    const { policy, request } = this;
    if (policy.beforeAttempt === undefined && policy.idempotencyKey === undefined) return undefined;
    if (this.#attempt === 1 && !this.isInner) {
      this.#idempotencyKey = this.hop?.key ?? idempotencyKeyOf(policy, request);
    }
    const next = {
      attempt: this.#attempt,
      request,
      previous: this.#toRetry,
      leftMs: policy.totalTimeoutMs === undefined ? undefined : leftMs(policy, this.startedAtMs),
    };
    const away = isAway(request, this.hop, this.#place?.callRequest);
    return headerChangesOf(policy, next, this.#idempotencyKey, away);
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
   * Waits until the next attempt may be sent: for the delay, then for `released` (the connection of the attempt before),
   * then for a slot and tokens. Returns `undefined` synchronously if there is nothing to wait for. The slot of the attempt
   * before is released when `released` settles.
   *
   * Resolves with `false` if the retry must not be sent, because its tokens or its slot cannot be had, the total timeout
   * has passed, or the policy has stopped. The result of the attempt before is then the result of the request, and its end has been reported.
   *
   * If the signal has aborted before the first attempt, the attempt is sent without tokens and slot, so that the client
   * fails in its own way.
   *
   * @param made the caller's signal, or what makes one, which is called only if there is something to wait for
   * @throws the signal's own reason when it aborts
   * @throws ThrottledError if the first attempt cannot get its slot or its tokens in time, or the policy has stopped
   * @throws HookError if `cost`, `keyOf` or `make` throws
   */
  ready(made?: AbortSignal | (() => AbortSignal), released?: Promise<void>): Promise<boolean> | undefined {
    const signal = typeof made === 'function' ? undefined : made;
    const admission = this.#admission;
    admission?.freeSlot(released);
    admission?.reset();
    let lack: Lack | undefined;
    try {
      if (this.#attempt === 0) {
        this.#openBudget();
        if (signal?.aborted) return this.#begin();
      }
      if (this.policy.stopSignal?.aborted) throw stopped();
      if (this.#delayMs === 0 && released === undefined) {
        if (signal?.aborted) throw signal.reason;
        lack = admission?.take();
        if (lack === undefined) return this.#begin();
      }
    } catch (error) {
      return this.#endUnsent(error, signal);
    }
    const own = typeof made === 'function' ? made() : made;
    const { stopSignal } = this.policy;
    if (stopSignal === undefined) return this.#wait(own, released, lack);
    const either = abortOrStop(own, stopSignal);
    return this.#wait(either.signal, released, lack).finally(either.forget);
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

  async #wait(
    signal: AbortSignal | undefined,
    released: Promise<void> | undefined,
    lack: Lack | undefined,
  ): Promise<boolean> {
    const patience = new Patience(this.policy, this.startedAtMs);
    const isRetry = this.#attempt > 0;
    try {
      if (this.#delayMs > 0) await sleep(this.policy.clock, this.#delayMs, signal);
      // Each `await` takes a turn of the microtasks, even of `undefined`.
      if (released !== undefined) await released;
      if (signal?.aborted) throw signal.reason;
      if (this.#admission !== undefined) {
        await this.#admission.wait((waitedMs) => patience.acquireOptions(signal, isRetry, waitedMs), lack);
        // The signal may have aborted in the turn in which the tokens were granted.
        if (signal?.aborted) throw signal.reason;
      }
      if (isRetry) patience.checkTotal();
      if (this.#throttledMs > 0) this.#emitThrottle();
      this.#begin();
      return true;
    } catch (error) {
      return this.#endUnsent(error, signal, patience.isTotalTimeout(error));
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
      const reason = isAbort ? 'aborted' : error instanceof HookError ? 'final' : refusal;
      this.#emit({ type: 'end', reason, outcome, error });
      throw error;
    }
    const reason: StopReason = isTotalTimeout ? 'deadline-exceeded' : refusal;
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
    return this.#place === undefined ? send() : this.#place.sending(send);
  }

  /**
   * Takes the outcome of the attempt, and returns whether and when to retry. After a decision not to retry the session is
   * over.
   *
   * @throws HookError if a hook throws; the session is then over as well
   */
  judge(outcome: Outcome): Decision {
    const admission = this.#admission;
    try {
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

  /** Ends the session after a hook has failed that was to judge an outcome. */
  fail(outcome: Outcome, error: unknown): void {
    this.#admission?.freeSlot();
    this.#close();
    this.#emit({ type: 'end', reason: 'final', outcome, error });
  }

  #decide(outcome: Outcome): Decision {
    const { policy } = this;
    const verdict = verdictOf(policy, outcome, this.request);
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
      this.#delayMs = delayMs;
      this.#previousBackoffMs = decision.backoffMs;
      this.#reportOtherRetries();
      if (isObserved(this.policy.onEvent, 'retry')) {
        this.#emit({ type: 'retry', delayMs, reason: decision.reason, outcome });
      }
      return decision;
    }
    const admission = this.#admission;
    if (outcome.type === 'failure') admission?.freeSlot();
    this.#close();
    if (isObserved(this.policy.onEvent, 'end')) this.#emit({ type: 'end', reason: decision.reason, outcome });
    return decision;
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
    return Math.min(LONGEST_DISCARD_MS, Math.max(0, leftMs(this.policy, this.startedAtMs) / 2));
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
