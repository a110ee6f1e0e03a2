import { withSlots } from '#around';
import { HookError, ThrottledError } from '../base/errors.ts';
import { sleep } from '../base/sleep.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { abortOrStop, isStop, OutOfTime, stopped, Total } from './bounds.ts';
import type { Surroundings, Way } from './layer.ts';
import type { Lack, Skip } from './part.ts';
import { insideOf, type Policy } from './policy.ts';
import { type MakeBody, Preparation } from './preparation.ts';
import type { StopReason } from './reason.ts';
import { NO_TURNS, Turns } from './turns.ts';

/**
 * What follows {@link Approach.ready}: the attempt is to be sent; or not, and the result of the one before is that of the
 * request; or it is to be judged as one that ran into `attemptTimeoutMs`, though it has not been sent.
 */
export type Readiness = boolean | OutOfTime;

/** What was done for an attempt before it turned out that it has to wait. */
interface Begun {
  readonly lack?: Lack | Skip | undefined;
  /** The hooks, if they have been asked. */
  readonly dressing?: PromiseLike<void> | undefined;
  /** True if the hooks have answered. */
  readonly isDressed: boolean;
}

const NOT_BEGUN: Begun = { isDressed: false };

/**
 * The way of a request to its next attempt: the delay, the connection of the attempt before, the hooks, what the parts take, the body.
 * User code runs while nothing is held, but for a body. What was true before a wait is looked at again after it.
 */
export abstract class Approach extends Turns {
  /** The delay that the backoff rule returned for the retry before, in milliseconds; `undefined` at the first. */
  previousBackoffMs: number | undefined;
  // Of requests that wait, or are skipped: others save the room.
  declare slotMs?: number;
  declare placeMs?: number;
  declare skipped?: number;
  declare isBoundByTotal?: boolean;
  readonly total: Total | undefined;
  /** The outcome that the planned retry follows. */
  protected toRetry: Outcome | undefined;
  /** Made for hooks, limits and body factories. */
  protected preparation: Preparation | undefined;

  /** See {@link SKIP}. */
  abstract skip(): number;

  constructor(policy: Policy, request: RequestTraits, around?: Surroundings, way?: Way) {
    super(policy, request, around, way);
    this.total = Total.of(policy);
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
        this.beginTurns();
        if (signal?.aborted) return this.begin();
      }
      if (this.policy.stopSignal?.aborted) throw stopped();
      if (this.delayMs === 0 && released === undefined && makeBody === undefined) {
        if (signal?.aborted) throw signal.reason;
        const start = this.#start(signal);
        if (start === undefined) return this.begin();
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

  /** Before an attempt that follows another. */
  #reset(released: Promise<void> | undefined): void {
    for (const turn of this.turns) turn.free?.(released);
    this.bucket = undefined;
    this.grant = undefined;
    this.waitedMs = 0;
    if (this.slotMs !== undefined) this.slotMs = 0;
    if (this.placeMs !== undefined) this.placeMs = 0;
    this.preparation?.reset();
  }

  /** Does what takes no time; returns `undefined` if that is all. */
  #start(signal: AbortSignal | undefined): Begun | undefined {
    if (this.dresses) {
      const dressing = this.#dress();
      if (dressing !== undefined) return { dressing, isDressed: false };
      this.#lookAgain(signal);
    }
    const lack = this.take();
    return lack === undefined ? undefined : { lack, isDressed: true };
  }

  /** After a wait or user code: what was true before it need not be true any more. */
  #lookAgain(signal: AbortSignal | undefined): void {
    if (signal?.aborted) throw signal.reason;
    if (this.policy.stopSignal?.aborted) throw stopped();
    this.total?.check();
  }

  get #prepared(): Preparation {
    if (this.preparation === undefined) {
      const { policy, request, isInner, hop, total } = this;
      const callRequest = this.place?.callRequest;
      this.preparation = new Preparation({ policy, request, isInner, hop, callRequest, total });
    }
    return this.preparation;
  }

  /** Asks the hooks for the headers of the next attempt. Returns a promise if they return one. */
  #dress(): PromiseLike<void> | undefined {
    return this.#prepared.dress(this.attempt + 1, this.toRetry, this.turns);
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
      prepared.settle(() => withSlots(this.slots, () => this.#dress()), signal);
    const dress = this.dresses ? again : undefined;
    if (dress !== undefined && !isDressed) await prepared.settle(() => dressing ?? this.#dress(), signal);
    const make = makeBody && (() => this.#makeBody(prepared, makeBody, signal));
    if (admit !== undefined) return admit(this, { dress, makeBody: make }, signal, lack);
    if ((lack ?? this.take()) !== undefined)
      throw new TypeError('A part that lacks something brings `admit`');
    await make?.();
  }

  async #makeBody(prepared: Preparation, make: MakeBody, signal: AbortSignal | undefined): Promise<number> {
    const slots = this.slots;
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
      if (this.delayMs > 0) await sleep(policy.clock, this.delayMs, signal);
      // Each `await` takes a turn of the microtasks, even of `undefined`.
      if (released !== undefined) await released;
      this.#lookAgain(signal);
      if (this.turns !== NO_TURNS || makeBody !== undefined || this.dresses) {
        await this.#approach(signal, makeBody, begun);
        // The signal may have aborted in the turn in which the tokens were granted.
        this.#lookAgain(signal);
      }
      if (this.waitedMs > 0) this.emit({ type: 'throttle', waitMs: this.waitedMs, slotMs: this.slotMs ?? 0 });
      this.begin();
      return true;
    } catch (error) {
      if (!(error instanceof OutOfTime) || error.isTotal) return this.#endUnsent(error, signal);
      this.leave(undefined);
      this.begin();
      return error;
    }
  }

  /**
   * The end in front of an attempt: an abort, a hook that threw, or a limit that refuses. Returns `false` if the result of
   * the attempt before is the result of the request.
   */
  async #endUnsent(error: unknown, signal: AbortSignal | undefined): Promise<false> {
    // Nothing was sent: what was taken goes back.
    this.leave(undefined);
    const outcome = this.toRetry;
    const isAbort = signal?.aborted === true && error === signal.reason && !isStop(error);
    const isLate = error instanceof OutOfTime || (outcome !== undefined && this.#isTotalTimeout(error));
    let reason: StopReason = isLate ? 'deadline-exceeded' : isStop(error) ? 'stopped' : 'throttled';
    if (isAbort) reason = 'aborted';
    else if (error instanceof HookError) reason = 'final';
    const isLost = isAbort || error instanceof HookError || outcome === undefined;
    if (!isLost) this.noteUnsent(reason);
    this.close(reason);
    this.emit({ type: 'end', reason, outcome, error });
    if (isLost) throw error;
    return false;
  }

  /** True if a wait failed with this error because of the total timeout. */
  #isTotalTimeout(error: unknown): boolean {
    return (
      this.isBoundByTotal === true && error instanceof ThrottledError && error.reason === 'wait-too-long'
    );
  }

  /** When the call began, in milliseconds since the epoch; `undefined` if the policy has no total timeout. */
  get startedAtMs(): number | undefined {
    return this.total?.startedAtMs;
  }

  /** True if the result of the request is the last response that a retry followed. */
  get fallsBack(): boolean {
    return this.total?.fallsBack === true;
  }
}
