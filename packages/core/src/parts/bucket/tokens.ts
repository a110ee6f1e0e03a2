import { type Quota, slackMs, spend, stepsBy, stepsToWait, tokensAt, waitMs } from './gcra.ts';
import { RefundMarks } from './refund-marks.ts';
import type { TokenSource } from './token-source.ts';

/** How the tokens of a limit start. */
export interface TokensSetup extends Quota {
  readonly initialTokens: number;
  /** @default 0 */
  readonly refillIntervalMs?: number;
  /**
   * The longest time that a debt takes to pay, in milliseconds.
   * @default Infinity
   */
  readonly maxPauseMs?: number;
}

/** Own time is rebased to 0 after this many fills of the capacity: larger doubles are too coarse for short intervals. */
const FAR_FILLS = 1_000;

/**
 * The tokens of one limit: the arithmetic of gcra.ts on a time of its own ("own time"), in which one token comes in each
 * second. Whole tokens then add up exactly at any rate. Own time stands still in a pause, and its speed is the rate, so
 * neither a pause nor a new rate changes the state.
 *
 * An example with 500 tokens per second and capacity 100, in milliseconds. Own time runs 500 times as fast as real time,
 * and a token is worth 1,000 of own time.
 *
 * | real | event            | own time | empty at | tokens: (own − empty) / 1,000 |
 * |-----:|------------------|---------:|---------:|------------------------------:|
 * |    0 | made full        |        0 | −100,000 |                           100 |
 * |    0 | 80 taken         |        0 |  −20,000 |                            20 |
 * |   10 | 5 came in        |    5,000 |  −20,000 |                            25 |
 * |   10 | pause until 60   |    5,000 |    5,000 |                             0 |
 * |   60 | the pause ends   |    5,000 |    5,000 |                             0 |
 * |   70 | 5 came in        |   10,000 |    5,000 |                             5 |
 * |   70 | rate set to 100  |   10,000 |    5,000 |                             5 |
 * |  120 | 5 came in        |   15,000 |    5,000 |                            10 |
 */
export class Tokens extends RefundMarks implements TokenSource<unknown> {
  refillPerSecond: number;
  capacity: number;
  /** The first rate and capacity, once they have changed. */
  #made: Quota | undefined;
  /** False if the user has set another rate or capacity. */
  #isAsMade = true;
  readonly #intervalMs: number;
  readonly #longestDebtMs: number;
  // Numbers from the start: V8 allocates at each store to a field that was once undefined.
  /** When the limit is or would be empty, in own time. */
  #emptyAtMs = 0;
  /** The real time at which own time is 0, or refill steps begin: adding up many intervals would drift. In a pause its end. */
  #originMs = 0;
  /** The refill step at which own time is 0. */
  #step = 0;

  /** @param nowMs when it is made */
  constructor(setup: TokensSetup, nowMs = 0) {
    super();
    const { refillPerSecond, capacity, initialTokens, refillIntervalMs = 0 } = setup;
    this.refillPerSecond = refillPerSecond;
    this.capacity = capacity;
    this.#intervalMs = refillIntervalMs;
    this.#longestDebtMs = setup.maxPauseMs ?? Infinity;
    this.#emptyAtMs = -initialTokens * 1_000;
    this.#originMs = nowMs;
  }

  /** How long the capacity takes to come in, in own time. */
  get #fillMs(): number {
    return this.capacity * 1_000;
  }

  /** In own time. Made when it is needed: it would take memory in each of many limits. */
  get #quota(): Quota {
    return { refillPerSecond: 1, capacity: this.capacity };
  }

  get refillIntervalMs(): number {
    return this.#intervalMs;
  }

  /** Refill steps since the origin; 0 in a pause. */
  #stepsBy(nowMs: number): number {
    return stepsBy(this.#intervalMs, Math.max(0, nowMs - this.#originMs));
  }

  #ownMs(nowMs: number): number {
    const intervalMs = this.#intervalMs;
    const ranMs =
      intervalMs === 0
        ? Math.max(0, nowMs - this.#originMs)
        : (this.#stepsBy(nowMs) - this.#step) * intervalMs;
    const ownMs = ranMs * this.refillPerSecond;
    return ownMs <= FAR_FILLS * this.#fillMs ? ownMs : this.#rebase(nowMs, ownMs);
  }

  /** Lets own time be 0 now, or at the last step. Returns 0. */
  #rebase(nowMs: number, ownMs: number): number {
    this.#emptyAtMs -= ownMs;
    if (this.#intervalMs > 0) this.#step = this.#stepsBy(nowMs);
    else this.#originMs = Math.max(this.#originMs, nowMs);
    return 0;
  }

  /** Lets own time, and refill steps, run from `atMs`; until then it is a pause. */
  #startAt(atMs: number): void {
    this.#originMs = atMs;
    this.#step = 0;
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#originMs - nowMs);
  }

  tokens(nowMs: number): number {
    const ownMs = this.#ownMs(nowMs);
    return tokensAt(this.#quota, this.#emptyAtMs, ownMs);
  }

  isIdle(nowMs: number): boolean {
    return this.#isAsMade && this.tokens(nowMs) >= this.capacity;
  }

  take(cost: number, nowMs: number): boolean {
    const sinceMs = nowMs - this.#originMs;
    if (sinceMs < 0) return false;
    // As in gcra.ts and `#ownMs`, in one piece: calls would take longer than the sums.
    const fillMs = this.capacity * 1_000;
    let ownMs = sinceMs * this.refillPerSecond;
    if (this.#intervalMs > 0 || ownMs > FAR_FILLS * fillMs) ownMs = this.#ownMs(nowMs);
    const lowMs = Math.max(0, this.#emptyAtMs - ownMs + fillMs);
    const afterMs = ownMs - fillMs + lowMs + cost * 1_000;
    if (afterMs > ownMs + slackMs(fillMs, ownMs)) return false;
    this.mark(lowMs, fillMs, cost);
    this.#emptyAtMs = afterMs;
    return true;
  }

  /** @param counted how much of what was taken `held` counts */
  #empty(afterMs: number, ownMs: number, counted: number): void {
    const fillMs = this.#fillMs;
    this.mark(Math.max(0, this.#emptyAtMs - ownMs + fillMs), fillMs, counted);
    this.#emptyAtMs = afterMs;
  }

  /** The sum of all that was taken. */
  get held(): unknown {
    return this.taken;
  }

  /**
   * Takes the tokens even if they are not available, and leaves a debt: no longer than it takes to pay in the longest time.
   *
   * @param counted how much of it `held` counts
   */
  spend(cost: number, nowMs: number, counted: number = cost): void {
    const ownMs = this.#ownMs(nowMs);
    const debt = (this.#longestDebtMs / 1_000) * this.refillPerSecond;
    const most = Math.max(0, tokensAt(this.#quota, this.#emptyAtMs, ownMs) + debt);
    const afterMs = spend(this.#quota, this.#emptyAtMs, Math.min(cost, most), ownMs);
    this.#empty(afterMs, ownMs, Math.min(counted, most));
  }

  /** How long until so many tokens have come in, in milliseconds; 0 if they can be taken now. */
  waitMs(cost: number, nowMs: number): number {
    const pausedMs = this.pausedMs(nowMs);
    const ownMs = this.#ownMs(nowMs);
    const speed = this.refillPerSecond;
    const intervalMs = this.#intervalMs;
    if (intervalMs === 0) return pausedMs + waitMs(this.#quota, this.#emptyAtMs, cost, ownMs) / speed;
    const steps = stepsToWait(this.#quota, this.#emptyAtMs, cost, ownMs, intervalMs * speed);
    return steps === 0 ? pausedMs : this.#originMs + (this.#stepsBy(nowMs) + steps) * intervalMs - nowMs;
  }

  dueMs(firstCost: number, nowMs: number): number {
    return firstCost === 0 ? Infinity : nowMs + this.waitMs(firstCost, nowMs);
  }

  settle(surplus: number, held: unknown, nowMs: number): void {
    // Part of an earlier grant: a server that has seen that has counted it.
    if (surplus < 0) this.spend(-surplus, nowMs, 0);
    else this.#giveBack(surplus, held as number, nowMs);
  }

  /** Gives tokens back, as far as they would be there now if they had never been taken. */
  #giveBack(tokens: number, held: number, nowMs: number): void {
    const ownMs = this.#ownMs(nowMs);
    const beforeMs = this.#emptyAtMs;
    this.#emptyAtMs -= this.refund(tokens * 1_000, held, beforeMs - ownMs + this.#fillMs);
    // A paused bucket stays empty.
    if (nowMs < this.#originMs) {
      this.#emptyAtMs = Math.max(this.#emptyAtMs, Math.min(beforeMs, 0));
    }
  }

  atMost(left: number, nowMs: number): void {
    this.spend(Math.max(0, this.tokens(nowMs) - left), nowMs);
  }

  /**
   * The tokens that an answer leaves for more requests. The server may not have counted yet what was taken since, here or by
   * others, so that is subtracted: up to half the capacity, because a server that answers late may have counted all of it, and
   * must not stop everything.
   */
  heard(left: number, held: unknown): number {
    // 0 of a grant that has taken nothing here.
    const since = typeof held === 'number' && held > 0 ? this.taken - held : 0;
    return left - Math.min(since, this.capacity / 2);
  }

  /** Stops own time until `untilMs`, and empties the limit. Never shortens a pause. */
  pause(untilMs: number, nowMs: number): void {
    if (untilMs <= Math.max(nowMs, this.#originMs)) return;
    this.#rebase(nowMs, this.#ownMs(nowMs));
    this.#emptyAtMs = Math.max(this.#emptyAtMs, 0);
    this.#startAt(untilMs);
  }

  resume(nowMs: number): void {
    if (nowMs < this.#originMs) this.#startAt(nowMs);
  }

  /**
   * Sets rate and capacity. Available tokens are kept up to the capacity.
   *
   * @param isWanted false if that is no reason to keep the limit: another one would find this rate by itself
   */
  setRate({ refillPerSecond, capacity }: Quota, nowMs: number, isWanted = true): void {
    this.#made ??= { refillPerSecond: this.refillPerSecond, capacity: this.capacity };
    const made = this.#made;
    if (isWanted) this.#isAsMade = refillPerSecond === made.refillPerSecond && capacity === made.capacity;
    this.#rebase(nowMs, this.#ownMs(nowMs));
    // Tokens above a lower capacity are lost, and those that came in above the one before.
    this.spend(0, nowMs);
    this.capacity = capacity;
    this.spend(0, nowMs);
    this.refillPerSecond = refillPerSecond;
  }
}
