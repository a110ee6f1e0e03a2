import { mayBeLayered } from '#around';
import { prose } from '#prose';
import { HookError } from '../base/errors.ts';
import { must, nameOf } from '../base/option-error.ts';
import type { ReadFeedback } from '../http/feedback.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { Total } from './bounds.ts';
import type { Grant } from './contracts.ts';
import { fairKeyOf } from './costs.ts';
import { type EbbEvent, isObserved, makeEvent, type News, report } from './events.ts';
import { headersNow, type KeptKey } from './header-changes.ts';
import { type Attempt, recordOf, type Trace } from './history.ts';
import type { HeaderChanges, SentHeaders } from './hooks.ts';
import { NO_LAYERS, type Surroundings, type Way } from './layer.ts';
import { LayerPlace } from './layer-place.ts';
import type { Around, Call, Lack, PlannedRetry, Turn } from './part.ts';
import { insideOf, type Policy } from './policy.ts';
import type { StopReason } from './reason.ts';
import { type ReportedRequest, reportedRequest } from './reported.ts';

const NO_TURNS: readonly Turn[] = [];
const ALONE: Around = { isInner: false, taken: [], slots: [], paid: undefined };

/** What a request is at on its way through its policy, and its parts, asked all at once. */
export abstract class State implements Call {
  readonly policy: Policy;
  readonly request: RequestTraits;
  /** The attempt in flight, from 1; 0 before the first. */
  attempt = 0;
  /** The delay that the backoff rule returned for the retry before, in milliseconds; `undefined` at the first. */
  abstract previousBackoffMs: number | undefined;
  /** The delay before the next attempt, in milliseconds. */
  delayMs = 0;
  /** How long the attempt has waited for what its parts take, in milliseconds. */
  waitedMs = 0;
  /** The tokens of the attempt. */
  grant: Grant | undefined;
  bucket: object | undefined;
  limit: object | undefined;
  /** The parts of the policy in this call. */
  turns: readonly Turn[] = NO_TURNS;
  /** True if parts look into responses. */
  reads = false;
  /** True if user code changes the headers of attempts. */
  dresses: boolean;
  /** True if something stands around the send of attempts. */
  protected wraps: boolean;
  /** `undefined` without a total timeout. */
  readonly total: Total | undefined;
  /** The outcome that the planned retry follows. */
  toRetry: Outcome | undefined;
  /** What hooks have returned for the next attempt. */
  declare pendingHeaders?: HeaderChanges | undefined;
  /** True once it has ended. */
  hasEnded = false;
  /** The headers that the attempt changes; `undefined` for none. Known once it is sent. */
  headerChanges: SentHeaders | undefined;
  /** `undefined` unless another layer may be above or below. */
  protected place: LayerPlace | undefined;
  #history: Attempt[] | undefined;
  readonly #way: Way;
  // Of requests with hooks, waits or skipped chances: others save the room.
  /** The idempotency key. */
  declare key?: KeptKey | undefined;
  /** How long hooks and the body factory have taken for this attempt, in milliseconds. */
  declare hookMs?: number;
  /** The part of {@link waitedMs} that was for the slot. */
  declare slotMs?: number;
  /** How many chances were skipped: they count as retries. */
  declare skipped?: number;
  /** True if the total timeout bounds the wait more than `maxWaitMs`. */
  declare isBoundByTotal?: boolean;
  /** Whose request it is, if it has a key. */
  declare whose?: { readonly fairKey: string };
  declare metered?: Grant;
  /** The request in events. */
  declare private reported?: ReportedRequest;

  /**
   * @param around the layers around the request; by default none
   * @param way what its attempts are sent with
   */
  constructor(policy: Policy, request: RequestTraits, around: Surroundings = NO_LAYERS, way: Way = 'client') {
    this.policy = policy;
    this.request = request;
    this.dresses = policy.beforeAttempt !== undefined || policy.idempotencyKey !== undefined;
    // Reading a clock takes as long as half of the rest.
    this.total = policy.totalTimeoutMs === undefined ? undefined : new Total(policy);
    this.#way = way;
    this.wraps = policy.aroundAttempt !== undefined;
    if (around !== NO_LAYERS || way === 'function')
      this.place = new LayerPlace(way === 'function' ? undefined : request, around);
  }

  /** The attempts that were judged. The array grows while the session goes on. */
  get history(): Attempt[] {
    this.#history ??= [];
    return this.#history;
  }

  /** What to note on the result. */
  get trace(): Trace {
    const { grant, history } = this;
    return grant === undefined ? history : { attempts: history, grant };
  }

  protected note(outcome: Outcome, reason: Attempt['reason']): void {
    const record = recordOf(this.attempt, this.delayMs, this.waitedMs, outcome, reason);
    // A literal has no room for more entries, which most requests do not need.
    if (this.#history === undefined) this.#history = [record];
    else this.#history.push(record);
  }

  /** The retry that the last attempt was followed by is not sent. */
  noteUnsent(reason: Attempt['reason']): void {
    const last = this.#history?.pop();
    if (last !== undefined) this.#history?.push({ ...last, reason });
  }

  /** Tells all who want to know. */
  emit(news: News): void {
    const { onEvent, clock } = this.policy;
    if (!isObserved(onEvent, news.type)) return;
    this.reported ??= reportedRequest(this.request);
    const common = { request: this.reported, attempt: this.attempt, atMs: clock.now() };
    report(onEvent, makeEvent(news, this.request, common));
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

  /** For `LAYER` in the options of the client, if they reach the layers below; `undefined` if there is no other layer. */
  get layer(): object | undefined {
    return this.place?.passage;
  }

  /** Before anything is sent: a part whose key cannot be had must not cost a response later. */
  beginTurns(): void {
    const { fairKey } = this.policy;
    // Not only once it has to wait: a wrong key would fail under load alone.
    if (fairKey !== undefined) this.whose = { fairKey: fairKeyOf(fairKey, this.request) };
    for (const part of insideOf(this.policy).parts) {
      const turn = part.begin(this);
      if (turn === undefined) continue;
      // Not by `push`, which makes room for many more.
      this.turns = this.turns === NO_TURNS ? [turn] : [...this.turns, turn];
      if (turn.read !== undefined) this.reads = true;
      if ((turn.dress ?? turn.label) !== undefined) this.dresses = true;
      if (turn.around !== undefined) this.wraps = true;
      if (turn.dress !== undefined)
        must(
          nameOf(part.name, 'place'),
          prose("'headers' beside `dress`"),
          part.place,
          part.place === 'headers',
        );
    }
  }

  take(): Lack | undefined {
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

  leave(outcome: Outcome | undefined): void {
    const { turns } = this;
    for (let at = 0; at < turns.length; at += 1) turns[at]?.leave?.(outcome);
  }

  /** The attempt is about to be sent. */
  begin(): undefined {
    this.attempt += 1;
    // What runs below a call that holds a slot must find that out. Asked for each attempt: a layer may have been made meanwhile.
    if (this.limit !== undefined || this.wraps || mayBeLayered(this.#way)) {
      this.place ??= new LayerPlace(this.request, NO_LAYERS);
      this.place.enter(this.bucket, this.limit);
    }
    if (this.grant?.conforming === false) this.emit({ type: 'mark' });
    this.emit({ type: 'attempt' });
    this.setHeaders();
  }

  /** @throws HookError if a function that returns a value fails */
  setHeaders(): void {
    if (this.pendingHeaders !== undefined) this.headerChanges = headersNow(this.pendingHeaders);
  }

  /**
   * Calls what sends the attempt, so that the layers of ebb below know that they are not the first. Nothing else belongs
   * in here: what a hook or a body factory sends is a call of its own.
   *
   * @throws HookError if `aroundAttempt` throws before it sends
   */
  sending<T>(send: () => T): T {
    const { place, attempt, request } = this;
    let inner = place === undefined ? send : () => place.sending(send);
    for (const turn of this.turns) {
      const { around } = turn;
      if (around !== undefined) {
        const below = inner;
        inner = () => around.call(turn, below) as T;
      }
    }
    const { aroundAttempt } = this.policy;
    if (aroundAttempt === undefined) return inner();
    let isSent = false;
    const sendNow = (): T => {
      isSent = true;
      return inner();
    };
    try {
      return aroundAttempt(sendNow, { attempt, request });
    } catch (error) {
      if (isSent) throw error;
      // Nothing was sent: what was taken goes back.
      this.leave(undefined);
      throw new HookError('aroundAttempt', error);
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

  /** True if a slot is held that {@link bodyEnded} releases. */
  get holdsSlot(): boolean {
    return this.limit !== undefined;
  }

  /**
   * Releases the slot, if one is held. An adapter calls this when the body of the last response has ended, failed, or been
   * cancelled; at once if there is no body. Not needed after a failure.
   */
  bodyEnded(): void {
    for (const turn of this.turns) turn.free?.();
  }

  /** The limits whose slots the request and the calls around it hold. */
  get slots(): readonly object[] {
    const { slots } = this.around;
    return this.limit === undefined ? slots : [...slots, this.limit];
  }

  /** True if it has not ended: a call ends once. */
  close(reason: StopReason): boolean {
    if (this.hasEnded) return false;
    this.hasEnded = true;
    for (const turn of this.turns) turn.end?.(reason);
    // For this layer, and if it is the outermost, for all.
    if (!this.isInner) this.place?.close();
    return true;
  }

  /** Ends the call, and tells all who want to know. */
  end(reason: StopReason, news: Omit<News<Extract<EbbEvent, { type: 'end' }>>, 'type' | 'reason'>): void {
    if (this.close(reason) && isObserved(this.policy.onEvent, 'end'))
      this.emit({ type: 'end', reason, ...news });
  }
}
