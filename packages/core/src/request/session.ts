import { callObserver } from '../base/call-observer.ts';
import { sleep } from '../base/clock.ts';
import { HookError, ThrottledError } from '../base/errors.ts';
import { LONGEST_DISCARD_MS } from '../http/drain.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import {
  type AcquireOptions,
  type ConcurrencyLimit,
  forRequest,
  type RetryBudget,
} from '../limits/contracts.ts';
import { type Decision, decide, type Progress } from '../policy/decide.ts';
import type { EbbEvent } from '../policy/events.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { overridePolicy, type Policy } from '../policy/policy.ts';
import type { StopReason } from '../policy/reason.ts';
import { Admission, type Lack } from './admission.ts';
import { type Attempt, keepGrant, recordOf } from './history.ts';
import { areLayered, type LayeredCall, type Passage, surroundings, within } from './layers.ts';

/** What one request may change of its client's policy; `false` sends it as if ebb were not there. */
export type RequestOptions = PolicyOptions | false;

type Happening<E extends EbbEvent = EbbEvent> = E extends EbbEvent
  ? Omit<E, 'request' | 'attempt' | 'atMs'>
  : never;

const LEFT_TO_OUTER_LAYER: Decision = { retry: false, reason: 'left-to-outer-layer' };
const JUDGED_BY_INNER_LAYER: Decision = { retry: false, reason: 'judged-by-inner-layer' };

/** Whether it is known that the attempt reached no server. After a redirect it has reached the first one. */
function neverLeft(outcome: Outcome): boolean {
  return outcome.type === 'failure' && outcome.kind === 'connect' && outcome.redirected === false;
}

/**
 * One request on its way through a policy. For each attempt an adapter calls {@link ready}, sends with
 * {@link sending}, and calls {@link judge}.
 */
export class Session implements Progress {
  readonly request: RequestTraits;
  readonly startedAtMs: number;
  /** The attempt that is under way, from 1; 0 before the first is ready. */
  attempt = 0;
  previousBackoffMs: number | undefined;
  readonly history: Attempt[] = [];
  /** What retries are withdrawn from. */
  budget: RetryBudget | undefined;
  /** Whether the budget counts this request as under way. */
  #isCounted = false;
  readonly #policy: Policy;
  /** Nothing without a bucket and without a limit. */
  readonly #admission: Admission | undefined;
  /** The layers above this one. */
  readonly #outer: Passage | undefined;
  /** The slots of the calls around this one. */
  readonly #slotsAround: readonly ConcurrencyLimit[];
  /** What this layer shows to those below it. */
  #passage: Passage | undefined;
  #delayMs = 0;
  /** Whether it is the total timeout that bounds the wait under way. */
  #isBoundByTotal = false;
  /** The outcome that a retry was decided upon. */
  #toRetry: Outcome | undefined;

  /** @param around what the request begins in; nothing, where it cannot be in anything */
  constructor(policy: Policy, request: RequestTraits, around?: ReturnType<typeof surroundings>) {
    this.#policy = policy;
    this.request = request;
    this.startedAtMs = policy.clock.now();
    this.#outer = around?.outer;
    this.#slotsAround = around?.slotsOf ?? [];
    const taken = around?.outer?.tookFrom ?? [];
    if (policy.bucket !== undefined || policy.concurrency !== undefined) {
      this.#admission = new Admission(policy, request, around?.outer === undefined, taken, this.#slotsAround);
    }
  }

  /** How long this attempt waited for a slot and for tokens, in milliseconds. */
  get #throttledMs(): number {
    return this.#admission?.waitedMs ?? 0;
  }

  get policy(): Policy {
    return this.#policy;
  }

  /**
   * Waits until the next attempt may be sent: for the delay, for `released` (the connection of the attempt
   * before), then for a slot and for tokens. Returns nothing, and takes no turn of the event loop, if there is
   * nothing to wait for. The slot of the attempt before is given back when `released` settles.
   *
   * Resolves with `false` if the attempt is not to be sent, because its tokens or its slot cannot be had, or the
   * total timeout has passed. Then the answer that was there is the result, and the end has been told.
   *
   * A signal that has aborted before the first attempt stops nothing here: the client is asked, without tokens
   * and without a slot, so that it fails in its own way.
   *
   * @throws the signal's own reason when it aborts
   * @throws ThrottledError when no slot or no token can be had in time for the first attempt
   * @throws HookError when `cost` or `keyOf` throws
   */
  ready(signal?: AbortSignal, released?: Promise<void>): Promise<boolean> | undefined {
    const admission = this.#admission;
    admission?.freeSlot(released);
    admission?.reset();
    let lack: Lack | undefined;
    try {
      if (this.attempt === 0) {
        const { budget, key } = this.#policy;
        // Before anything is sent: a key that cannot be had must not cost an answer later.
        if (budget !== undefined) this.#open(forRequest(budget, this.request, key));
        if (signal?.aborted) return this.#begin();
      }
      if (this.#delayMs === 0 && released === undefined) {
        if (signal?.aborted) throw signal.reason;
        lack = admission?.take();
        if (lack === undefined) return this.#begin();
      }
    } catch (error) {
      return this.#ended(error, signal);
    }
    return this.#wait(signal, released, lack);
  }

  async #wait(
    signal: AbortSignal | undefined,
    released: Promise<void> | undefined,
    lack?: Lack,
  ): Promise<boolean> {
    const admission = this.#admission;
    try {
      if (this.#delayMs > 0) await sleep(this.#policy.clock, this.#delayMs, signal);
      await released;
      if (signal?.aborted) throw signal.reason;
      await admission?.wait(() => this.#ask(signal), lack);
      // It may have aborted in the same turn in which they were granted.
      if (signal?.aborted) throw signal.reason;
      if (this.attempt > 0 && this.#leftMs() < 0) throw this.#tooLate();
      if (this.#throttledMs > 0) this.#tell({ type: 'throttle', waitMs: this.#throttledMs });
      this.#begin();
      return true;
    } catch (error) {
      return this.#ended(error, signal);
    }
  }

  #tooLate(): ThrottledError {
    this.#isBoundByTotal = true;
    return new ThrottledError('Not sent: the total timeout has passed', undefined, {
      reason: 'wait-too-long',
    });
  }

  /** How much of the total timeout is left, in milliseconds. */
  #leftMs(): number {
    const { clock, totalTimeoutMs } = this.#policy;
    if (totalTimeoutMs === undefined) return Number.POSITIVE_INFINITY;
    return this.startedAtMs + totalTimeoutMs - clock.now();
  }

  #ask(signal: AbortSignal | undefined): AcquireOptions {
    const { maxWaitMs, priority } = this.#policy;
    const retry = this.attempt > 0;
    const patienceMs = (maxWaitMs ?? Number.POSITIVE_INFINITY) - this.#throttledMs;
    const leftMs = this.#leftMs();
    this.#isBoundByTotal = leftMs < patienceMs;
    const mostMs = Math.max(0, Math.min(leftMs, patienceMs));
    return { signal, maxWaitMs: mostMs === Number.POSITIVE_INFINITY ? undefined : mostMs, priority, retry };
  }

  #begin(): undefined {
    this.attempt += 1;
    if (areLayered()) this.#enterLayer();
    if (this.#admission?.grant?.conforming === false) this.#tell({ type: 'mark' });
    this.#tell({ type: 'attempt' });
  }

  #enterLayer(): void {
    const { bucket, limit } = this.#admission ?? {};
    const call: LayeredCall = this.#outer?.call ??
      this.#passage?.call ?? { request: this.request, open: true, dispatched: false, slotsOf: [] };
    if (this.#outer === undefined) {
      // A download that broke goes on after its answer was judged.
      call.open = true;
      call.slotsOf = limit === undefined ? this.#slotsAround : [...this.#slotsAround, limit];
    }
    const taken = this.#outer?.tookFrom ?? [];
    this.#passage = { call, tookFrom: bucket === undefined ? taken : [...taken, bucket] };
  }

  /** Whether another layer around this one retries, and this one sends once. */
  get isInner(): boolean {
    return this.#outer !== undefined;
  }

  /**
   * What the options of the underlying client hold under `LAYER`, if they reach the layers below; `undefined`
   * where there is no other layer.
   */
  get layer(): object | undefined {
    return this.#passage;
  }

  /**
   * Calls what sends the attempt, so that layers of ebb below know that they are not the first. Only that: what
   * a hook or a body factory sends is a call of its own.
   */
  sending<T>(send: () => T): T {
    return this.#passage === undefined ? send() : within(this.#passage, send);
  }

  /** Whether a retry that is planned may still not be sent, for another reason than an abort. */
  get keepsAnswer(): boolean {
    const { bucket, concurrency, totalTimeoutMs } = this.#policy;
    return bucket !== undefined || concurrency !== undefined || totalTimeoutMs !== undefined;
  }

  /** How long to read an answer that is followed by a retry, at most, in milliseconds. */
  get discardMs(): number {
    // Half of what is left, so that there is a rest for the attempt.
    return Math.min(LONGEST_DISCARD_MS, Math.max(0, this.#leftMs() / 2));
  }

  /** Whether a slot is held that {@link bodyEnded} gives back: if not, that need not be called. */
  get holdsSlot(): boolean {
    return this.#admission?.slot !== undefined;
  }

  /**
   * Gives back the slot of the policy's `concurrency` limit. An adapter calls this once {@link judge} has
   * returned that there is no retry and the response has gone to the caller, as soon as its body has ended, has
   * failed, or was cancelled or destroyed; at once when there is no body. Not after a failure, which has no body,
   * and not for a response that is followed by a retry: their slots are given back without it.
   * To call it more often than once, or with no slot held, does nothing.
   */
  bodyEnded(): void {
    this.#admission?.freeSlot();
  }

  /**
   * Takes what became of the attempt, and returns what to do. After a decision not to retry the session is over.
   *
   * @throws HookError when a hook throws; the session is over then, too
   */
  judge(outcome: Outcome): Decision {
    const admission = this.#admission;
    try {
      const { bucket, grant } = admission ?? {};
      if (neverLeft(outcome)) admission?.returnTokens();
      if (grant !== undefined) bucket?.observe?.(outcome, grant, this.request);
      const { clock } = this.#policy;
      const decision =
        this.#outer === undefined ? decide(this.#policy, this, outcome, clock.now()) : LEFT_TO_OUTER_LAYER;
      return this.#follow(decision, outcome);
    } catch (error) {
      admission?.freeSlot();
      this.#leave();
      this.#tell({ type: 'end', reason: 'final', outcome, error });
      throw error;
    }
  }

  /**
   * For an outcome that a layer below has judged: there is nothing to be decided any more. The tokens stay spent, even
   * if the outcome is a refused connection: that layer may have sent before.
   */
  pass(outcome: Outcome): void {
    this.#follow(JUDGED_BY_INNER_LAYER, outcome);
  }

  #follow(decision: Decision, outcome: Outcome): Decision {
    this.history.push(recordOf(this.attempt, this.#delayMs, this.#throttledMs, outcome, decision.reason));
    if (decision.retry) {
      this.#toRetry = outcome;
      this.#delayMs = decision.delayMs;
      this.previousBackoffMs = decision.backoffMs;
      this.#tell({ type: 'retry', delayMs: decision.delayMs, reason: decision.reason, outcome });
      return decision;
    }
    const { grant } = this.#admission ?? {};
    if (outcome.type === 'failure') this.#admission?.freeSlot();
    if (grant !== undefined) keepGrant(this.history, grant);
    this.#leave();
    this.#tell({ type: 'end', reason: decision.reason, outcome });
    return decision;
  }

  /**
   * The end in the wait for an attempt: by the caller's abort, by a hook, or by limits that refuse.
   * Returns `false` if the answer of the attempt before is the result.
   */
  async #ended(error: unknown, signal: AbortSignal | undefined): Promise<false> {
    // What was granted goes back: nothing was sent for it. So does the retry that the budget had allowed.
    this.#admission?.giveBack();
    if (this.attempt > 0) this.budget?.refund?.();
    this.#leave();
    const outcome = this.#toRetry;
    const isAbort = signal?.aborted === true && error === signal.reason;
    if (isAbort || error instanceof HookError || outcome === undefined) {
      const reason = isAbort ? 'aborted' : error instanceof HookError ? 'final' : 'throttled';
      this.#tell({ type: 'end', reason, outcome, error });
      throw error;
    }
    const isLate =
      this.#isBoundByTotal && error instanceof ThrottledError && error.reason === 'wait-too-long';
    const reason: StopReason = isLate ? 'deadline-exceeded' : 'throttled';
    const last = this.history.pop();
    if (last !== undefined) this.history.push({ ...last, reason });
    this.#tell({ type: 'end', reason, outcome, error });
    return false;
  }

  /** The layer that retries is the one that draws on the budget. */
  #open(budget: RetryBudget): void {
    this.budget = budget;
    if (this.#outer !== undefined) return;
    this.#isCounted = true;
    budget.begin?.();
  }

  /** The call is over for this layer, and if it is the outermost, for all. */
  #leave(): void {
    if (this.#outer !== undefined) return;
    // A download that breaks after its answer was judged ends a second time.
    if (this.#isCounted) this.budget?.end?.();
    this.#isCounted = false;
    if (this.#passage !== undefined) this.#passage.call.open = false;
  }

  #tell(event: Happening): void {
    const { clock, onEvent } = this.#policy;
    if (onEvent === undefined) return;
    const { request, attempt } = this;
    callObserver('onEvent', onEvent, { ...event, request, attempt, atMs: clock.now() } as EbbEvent);
  }
}

/**
 * The session of a request with its own `ebb` options; nothing for `ebb: false`.
 *
 * @param carried what the options of the request hold under `LAYER`
 * @param isDispatch whether the client is a dispatcher, below what follows redirects
 */
export function startSession(
  policy: Policy,
  request: RequestTraits,
  options?: RequestOptions,
  carried?: unknown,
  isDispatch = false,
): Session | undefined {
  if (options === false) return undefined;
  const around = surroundings(request, carried, isDispatch);
  // What a request changes it changes of the layer that it was given to.
  if (options === undefined || around.outer !== undefined) return new Session(policy, request, around);
  return new Session(overridePolicy(policy, options), request, around);
}
