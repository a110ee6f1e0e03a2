import { mayBeLayered } from '#around';
import { HookError } from '../base/errors.ts';
import type { ReadFeedback } from '../http/feedback.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { Hop } from './header-changes.ts';
import { NO_LAYERS, type Surroundings, type Way } from './layer.ts';
import { LayerPlace } from './layer-place.ts';
import { Ledger } from './ledger.ts';
import type { Around, Call, Lack, PlannedRetry, Skip, Turn } from './part.ts';
import { insideOf, type Policy } from './policy.ts';
import type { StopReason } from './reason.ts';

export const NO_TURNS: readonly Turn[] = [];
const ALONE: Around = { isInner: false, taken: [], slots: [], paid: undefined };

/** The parts of a policy in one call, and the layers around it. */
export class Turns extends Ledger implements Call {
  /** Set by a client that sees each hop of a redirect as a request, for all hops but the first. */
  declare hop?: Hop;
  /** The parts of the policy in this call. */
  turns: readonly Turn[] = NO_TURNS;
  bucket: object | undefined;
  limit: object | undefined;
  /** True if parts look into responses. */
  reads = false;
  /** True if user code changes the headers of attempts. */
  protected dresses: boolean;
  /** `undefined` unless another layer may be above or below. */
  protected place: LayerPlace | undefined;
  readonly #isLayered: boolean;

  /**
   * @param around the layers around the request; by default none
   * @param way what its attempts are sent with
   */
  constructor(policy: Policy, request: RequestTraits, around: Surroundings = NO_LAYERS, way: Way = 'client') {
    super(policy, request);
    this.dresses = policy.beforeAttempt !== undefined || policy.idempotencyKey !== undefined;
    // While it holds a slot, a call that user code starts below must find that out.
    this.#isLayered =
      policy.aroundAttempt !== undefined || mayBeLayered(policy.concurrency === undefined ? way : 'client');
    if (around !== NO_LAYERS || way === 'function')
      this.place = new LayerPlace(way === 'function' ? undefined : request, around);
  }

  get givenFeedback(): ReadFeedback | false | undefined {
    return insideOf(this.policy).feedback;
  }

  get around(): Around {
    return this.place ?? ALONE;
  }

  /** True if another layer around this one retries, and this one sends once. */
  get isInner(): boolean {
    return this.place?.isInner === true;
  }

  /**
   * To be passed on under `LAYER` in the options of the underlying client, if they reach the layers below; `undefined` if
   * there is no other layer.
   */
  get layer(): object | undefined {
    return this.place?.passage;
  }

  /** Before anything is sent: a part whose key cannot be had must not cost a response later. */
  protected beginTurns(): void {
    for (const part of insideOf(this.policy).parts) {
      const turn = part.begin(this);
      if (turn === undefined) continue;
      // Not by `push`, which makes room for many more.
      this.turns = this.turns === NO_TURNS ? [turn] : [...this.turns, turn];
      if (turn.read !== undefined) this.reads = true;
      if (turn.dress !== undefined) this.dresses = true;
    }
  }

  take(): Lack | Skip | undefined {
    const { turns } = this;
    for (let at = 0; at < turns.length; at += 1) {
      const lack = turns[at]?.enter?.();
      if (lack !== undefined) {
        this.leave(undefined);
        return lack;
      }
    }
    return undefined;
  }

  protected leave(outcome: Outcome | undefined): void {
    const { turns } = this;
    for (let at = 0; at < turns.length; at += 1) turns[at]?.leave?.(outcome);
  }

  /** The attempt is about to be sent. */
  protected begin(): undefined {
    this.attempt += 1;
    if (this.#isLayered) {
      this.place ??= new LayerPlace(this.request, NO_LAYERS);
      this.place.enter(this.bucket, this.limit);
    }
    if (this.grant?.conforming === false) this.emit({ type: 'mark' });
    this.emit({ type: 'attempt' });
  }

  /**
   * Calls what sends the attempt, so that the layers of ebb below know that they are not the first. Nothing else belongs
   * in here: what a hook or a body factory sends is a call of its own.
   */
  sending<T>(send: () => T): T {
    const place = this.place;
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

  /** Asks the parts whether a retry may be sent. */
  permit(retry: PlannedRetry): StopReason | undefined {
    for (const turn of this.turns) {
      const reason = turn.permit?.(retry);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  /** User code begins (1) or ends (-1) that runs with what the attempt has taken. */
  occupy(by: 1 | -1): void {
    for (const turn of this.turns) turn.occupy?.(by);
  }

  /** True if the function has failed after a request that it made, which was repeated and has failed. */
  get failedBelow(): boolean {
    return this.place?.failedBelow === true;
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

  /** The limits whose slots the request and the calls around it hold. */
  protected get slots(): readonly object[] {
    const { slots } = this.around;
    return this.limit === undefined ? slots : [...slots, this.limit];
  }

  /** Ends the call for this layer, and if it is the outermost, for all. */
  protected close(reason: StopReason): void {
    const { turns } = this;
    for (let at = 0; at < turns.length; at += 1) turns[at]?.end?.(reason);
    if (!this.isInner) this.place?.close();
  }
}
