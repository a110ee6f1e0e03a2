import { hedgeRule } from '@ebb/hedge/internal';
import { RequestNumbers } from '../request-numbers.ts';

/** The numbers of an attempt: its sends, how many have failed, the outcome of the first one, when that was sent, and flags. */
const SENDS = 0;
const FAILED = 1;
const FIRST = 2;
const SENT = 3;
const OUTLASTS = 4;
const STAMPS = 0xff_ffff;
/** The race of an attempt is not over. */
export const OPEN = -1;

/** The numbers of core's rule for hedges, and how many an attempt has at most. */
export type HedgeNumbers = hedgeRule.HedgeRule & { readonly maxHedges: number };

/**
 * The several sends of an attempt that are under way at once. Each has a stamp of its own, one after the other. When a hedge is due
 * and what it costs is core's rule; the course of a race, which is `Race` in core, is done here without promises. The last stamp
 * is that of the request.
 */
export class Hedges {
  readonly #rule: HedgeNumbers;
  readonly #states: (hedgeRule.HedgeState | undefined)[];
  readonly #numbers: RequestNumbers = new RequestNumbers(5);

  constructor(clients: number, rule: HedgeNumbers) {
    this.#rule = rule;
    this.#states = new Array(clients);
  }

  #state(client: number): hedgeRule.HedgeState {
    this.#states[client] ??= hedgeRule.newHedgeState(this.#rule);
    return this.#states[client] as hedgeRule.HedgeState;
  }

  /** The first try of an attempt is sent. Returns when it is to be hedged, in milliseconds; infinite if that is not known. */
  begin(request: number, client: number, nowMs: number): number {
    this.#numbers.begin(request);
    this.#numbers.set(request, SENDS, 1);
    this.#numbers.set(request, FIRST, OPEN);
    this.#numbers.set(request, SENT, nowMs);
    const state = this.#state(client);
    hedgeRule.pay(state, this.#rule.share);
    return state.delayMs;
  }

  /** Which send of the current attempt has this stamp, from 0; below 0 for one of an earlier attempt. */
  indexOf(request: number, stamp: number, last: number): number {
    return this.#numbers.get(request, SENDS) - 1 - ((last - stamp) & STAMPS);
  }

  /** The first try has outlasted its delay. Returns whether there is a token for a hedge. */
  isDue(request: number, client: number): boolean {
    const state = this.#state(client);
    if (this.#numbers.get(request, OUTLASTS) === 0) hedgeRule.learn(state, this.#rule, true);
    this.#numbers.set(request, OUTLASTS, 1);
    return state.tokens >= 1 && this.#numbers.get(request, FIRST) === OPEN;
  }

  /** A hedge is sent. Returns when the next one is due, in milliseconds. */
  sent(request: number, client: number): number {
    const state = this.#state(client);
    state.tokens -= 1;
    const sends = this.#numbers.get(request, SENDS) + 1;
    this.#numbers.set(request, SENDS, sends);
    return sends > this.#rule.maxHedges ? Number.POSITIVE_INFINITY : state.delayMs;
  }

  /**
   * A send has settled. Returns the final outcome of the attempt: the first answer, or the outcome of the first try if all tries have
   * failed. {@link OPEN} while another send may still be answered.
   */
  settled(
    request: number,
    client: number,
    at: number,
    outcome: number,
    isFailure: boolean,
    nowMs: number,
  ): number {
    const numbers = this.#numbers;
    if (at === 0) this.#firstSettled(request, client, isFailure, nowMs);
    if (!isFailure) {
      if (at > 0) hedgeRule.pay(this.#state(client), 1);
      this.over(request);
      return outcome;
    }
    if (at === 0) numbers.set(request, FIRST, outcome);
    const failed = numbers.get(request, FAILED) + 1;
    numbers.set(request, FAILED, failed);
    if (failed < numbers.get(request, SENDS)) return OPEN;
    const first = numbers.get(request, FIRST);
    this.over(request);
    return first;
  }

  #firstSettled(request: number, client: number, isFailure: boolean, nowMs: number): void {
    if (isFailure || this.#numbers.get(request, OUTLASTS) === 1) return;
    const state = this.#state(client);
    if (hedgeRule.isNew(state, this.#rule)) {
      hedgeRule.measure(state, this.#rule, nowMs - this.#numbers.get(request, SENT));
    } else hedgeRule.learn(state, this.#rule, false);
  }

  /** The attempt has ended: what its other sends meet counts for nothing. */
  over(request: number): void {
    this.#numbers.set(request, SENDS, 0);
  }
}
