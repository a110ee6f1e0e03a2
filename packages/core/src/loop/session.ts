import { noteFailure, otherRetriesOf, withSlots } from '#around';
import { isPromise } from '../base/promise.ts';
import { LONGEST_DISCARD_MS } from '../bodies/set-aside.ts';
import { withJudgement } from '../http/judged.ts';
import type { Judgement, Outcome, Responded } from '../http/outcome.ts';
import type { Opened } from '../http/peek.ts';
import { bounded } from './bounded.ts';
import { OutOfTime } from './bounds.ts';
import { type Decision, decideRetry, type Progress, SUCCESS, stop, verdictOf } from './decide.ts';
import type { Turn } from './part.ts';
import { type MakeBody, prepare, type Readiness } from './prepare.ts';
import { State } from './state.ts';

/**
 * What a driver does next: wait for {@link Session.waiting}; send an attempt; look into its response; set it aside, because a retry
 * follows; or finish.
 */
export type Step = 'wait' | 'send' | 'look' | 'set aside' | 'finish';

/** What an observer or a hook has aborted while its outcome was judged: its end is known. */
const ENDED: Decision = stop('aborted');

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
export class Session extends State implements Progress {
  /** What the step `wait` waits for. */
  waiting: Promise<Readiness> | undefined;
  /** The delay that the backoff rule returned for the retry before, in milliseconds; `undefined` at the first. */
  previousBackoffMs: number | undefined;
  /** True if the retry was not sent: the result is that of the attempt before. */
  declare isUnsent?: boolean;
  /** When the attempt runs into its timeout, or that of the call, if parts read its response. */
  declare endsAtMs?: number;
  /** True if the last attempt was a success. */
  declare isGood?: boolean;
  /** The response that the parts are to look into. */
  declare toLookAt?: Responded | undefined;

  /**
   * The next step after an event. `begin`: an attempt is to be prepared, see {@link prepare}. `woken`: {@link waiting} has resolved with
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
      if (what === true) return 'send';
      this.isUnsent = true;
      return 'finish';
    }
    const outcome = what as Outcome;
    // What a function returned is no response, and has no status.
    if (event === 'settled' && this.reads && outcome.type === 'response' && outcome.status !== 0) {
      this.toLookAt = outcome;
      return 'look';
    }
    return this.judge(outcome, more as boolean).retry ? 'set aside' : 'finish';
  }

  /** See the function of this name. */
  ready(
    made?: AbortSignal | (() => AbortSignal),
    released?: Promise<void>,
    makeBody?: MakeBody,
  ): Promise<Readiness> | undefined {
    return prepare(this, made, released, makeBody);
  }

  /**
   * The outcome of the attempt with what the parts that read responses say of it.
   *
   * @param open opens the body; called only if a part asks for it
   * @throws HookError if a part fails: the driver then calls {@link fail}
   * @throws OutOfTime if the timeout of the attempt or of the call passes: the driver judges the attempt as one that ran into it
   */
  async look(
    open: (maxBytes: number) => Opened,
    signal?: AbortSignal,
    outcome: Outcome | undefined = this.toLookAt,
  ): Promise<Outcome> {
    if (outcome?.type !== 'response') return outcome as Outcome;
    // What reads must end with the call.
    const ended = this.endsAtMs === undefined ? undefined : new AbortController();
    const signals = [signal, ended?.signal].filter((one) => one !== undefined);
    const look = {
      attempt: this.attempt,
      open,
      signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
    };
    let said: Judgement | undefined;
    // User code that reads a response runs while its slot is held. What it calls must not wait for another one.
    const { slots } = this;
    for (const turn of this.turns) {
      if (turn.read === undefined) continue;
      const read = () => turn.read?.(outcome, said, look);
      const reading = slots.length === 0 ? read() : withSlots(slots, read);
      said = (isPromise(reading) ? await this.#bounded(reading, signal, ended) : reading) ?? said;
    }
    // Hazard: what waits for the end of a body may hold the session, and the response could never be collected.
    this.toLookAt = undefined;
    return said === undefined ? outcome : withJudgement(outcome, said);
  }

  /** Ends a look with the call: a function that reads may never settle. */
  async #bounded<T>(
    reading: PromiseLike<T>,
    signal: AbortSignal | undefined,
    ended: AbortController | undefined,
  ): Promise<T> {
    const { endsAtMs } = this;
    if (endsAtMs === undefined) return reading;
    const { clock } = this.policy;
    const late = (): unknown => new OutOfTime(this.namedTimeoutMs, this.total?.bindsAttempt === true);
    try {
      return await bounded(reading, { clock, signal, leftMs: endsAtMs - clock.now(), late });
    } catch (error) {
      ended?.abort(error);
      throw error;
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
        return this.#follow(stop('deadline-exceeded'), outcome);
      }
      if (this.turns.length > 0) this.leave(outcome);
      if (this.hasEnded) return ENDED;
      return this.#follow(this.isInner ? stop('left-to-outer-layer') : this.#decide(outcome), outcome);
    } catch (error) {
      this.fail(outcome, error);
      throw error;
    }
  }

  #decide(outcome: Outcome): Decision {
    const { policy } = this;
    const verdict = verdictOf(policy, outcome, this);
    return verdict === 'success' ? SUCCESS : decideRetry(policy, this, outcome, verdict, policy.clock.now());
  }

  /** Ends the session after a hook has failed that was to judge an outcome. */
  fail(outcome: Outcome, error: unknown): void {
    this.bodyEnded();
    this.end('final', { outcome, error });
  }

  /**
   * Takes an outcome that a layer below has judged: there is no retry. The tokens stay spent, even after a refused
   * connection, because that layer may have sent before.
   */
  pass(outcome: Outcome): void {
    this.#follow(stop('judged-by-inner-layer'), outcome);
  }

  #follow(decision: Decision, outcome: Outcome): Decision {
    if (this.hasEnded) return ENDED;
    const { reason } = decision;
    const { total, place } = this;
    this.note(outcome, reason);
    this.isGood = reason === 'success';
    if (decision.retry) {
      const { delayMs } = decision;
      this.toRetry = outcome;
      if (total !== undefined && outcome.type === 'response') total.answer = outcome;
      this.delayMs = delayMs;
      this.previousBackoffMs = decision.backoffMs;
      const other = this.attempt === 1 ? otherRetriesOf(this.request) : undefined;
      if (other !== undefined) this.emit({ type: 'other-retries', ...other });
      if (this.hasEnded) return ENDED;
      this.emit({ type: 'retry', delayMs, reason: decision.reason, outcome });
      return decision;
    }
    if (outcome.type === 'failure') this.bodyEnded();
    // User code that has made this request need not be called again for it, if it was sent more than once.
    const wasRepeated = this.attempt > 1 || reason === 'judged-by-inner-layer';
    if (place !== undefined && wasRepeated && reason !== 'success') noteFailure(place.surroundings);
    this.end(
      decision.reason,
      !this.fallsBack || outcome.type === 'response'
        ? { outcome }
        : { outcome: total?.answer, error: outcome.error },
    );
    return decision;
  }

  /** In milliseconds since the epoch; `undefined` if the policy has no total timeout. */
  get startedAtMs(): number | undefined {
    return this.total?.startedAtMs;
  }

  /** True if the result of the request is the last response that a retry followed. */
  get fallsBack(): boolean {
    return this.total?.fallsBack === true;
  }

  /** The tokens that the attempt took; `undefined` if there is no bucket. */
  get cost(): number | undefined {
    return this.grant?.cost as number | undefined;
  }

  /** True if every attempt carries the same idempotency key of ebb. */
  get isKeyed(): boolean {
    return this.key?.isOurs === true && this.key.isKept;
  }

  /** True if an attempt did not carry the idempotency key of the request, or carried another one. */
  get isKeyLost(): boolean {
    return this.key?.isKept === false;
  }

  /** True if the function has failed after a request that it made, which was repeated and has failed. */
  get failedBelow(): boolean {
    return this.place?.failedBelow === true;
  }

  /** What watches the bodies of responses, if a part needs to know their end. */
  get whenBodyEnds(): Turn['whenBodyEnds'] {
    return this.turns.find((turn) => turn.whenBodyEnds !== undefined)?.whenBodyEnds;
  }

  /** How long the attempt may take until its response, in milliseconds. To be called once for each, when it is sent. */
  timeoutMs(): number | undefined {
    const { attemptTimeoutMs, clock } = this.policy;
    const ownMs = attemptTimeoutMs && Math.max(0, attemptTimeoutMs - (this.hookMs ?? 0));
    const timeoutMs = this.total === undefined ? ownMs : this.total.bound(ownMs);
    if (this.reads && timeoutMs !== undefined) this.endsAtMs = clock.now() + timeoutMs;
    return timeoutMs;
  }

  /** The timeout that an attempt runs into if it takes {@link timeoutMs}, for messages. */
  get namedTimeoutMs(): number {
    return this.total?.bindsAttempt ? this.total.timeoutMs : (this.policy.attemptTimeoutMs as number);
  }

  /** True if a total timeout may want the response of the attempt that the planned retry follows. */
  get hasAnswered(): boolean {
    return this.total !== undefined && this.toRetry?.type === 'response';
  }

  /** True if a retry that is planned may still not be sent, for another reason than an abort. */
  get keepsAnswer(): boolean {
    const { totalTimeoutMs, stopSignal } = this.policy;
    const mayBeRefused = this.turns.find(({ enter }) => enter !== undefined);
    return (totalTimeoutMs ?? stopSignal ?? mayBeRefused) !== undefined;
  }

  /** The longest time for reading a response that is followed by a retry, in milliseconds. Half of what is left is for the retry. */
  get discardMs(): number {
    return Math.min(LONGEST_DISCARD_MS, Math.max(0, (this.total?.leftMs ?? Number.POSITIVE_INFINITY) / 2));
  }
}
