import { type Quota, slackMs, spend, stepsBy, stepsToWait, tokensAt, waitMs } from './gcra.ts';
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

/** Marks that differ by less than this share of what lacks become one, so that a limit has few: near a full limit each grant has its own. */
const APART = 1 / 32;

/** And by less than this share of the capacity. */
const SMALLEST = 1e-9;

/**
 * How much of what was taken from a limit can be given back: exactly as if it had never been taken, as far as the limit had
 * room for it ever since. What comes in while a limit is full is lost.
 *
 * Each time when something is taken the limit lacks something of being full: that is a mark. A grant can give back the lowest
 * mark since then at most, and all marks since then sink by what it gives back. A mark below all before it replaces them,
 * so those that are kept rise from the first to the last.
 */
class RefundLimit {
  /** The sum of all that was taken: what a grant remembers to know the marks that came after it. */
  taken = 0;
  // Lists of numbers, not of objects, and never shortened: both take memory for each mark. The first is below all.
  /** How much was lacking of full, at least, in the moments that a mark stands for. */
  readonly #lows = [Number.NEGATIVE_INFINITY];
  /** What had been taken before the last of them. */
  readonly #ends = [0.5];
  #count = 1;

  /**
   * Adds a mark: `taken` was taken, and the limit now lacks `low` of `full`. `taken` is 0 if the limit changes in another way.
   */
  mark(low: number, full: number, taken: number): void {
    const lows = this.#lows;
    let last = this.#count - 1;
    while ((lows[last] as number) > low) last -= 1;
    const apart = Math.max((lows[last] as number) * APART, full * SMALLEST);
    if (low >= (lows[last] as number) + apart) {
      last += 1;
      lows[last] = low;
    }
    this.#ends[last] = this.taken;
    this.#count = last + 1;
    this.taken += taken;
  }

  /**
   * How much can be given back.
   *
   * @param taken what `taken` was with it
   * @param lacking what is lacking of full now
   */
  giveBack(surplus: number, taken: number, lacking: number): number {
    const [lows, ends] = [this.#lows, this.#ends];
    let first = this.#count;
    while (first > 1 && (ends[first - 1] as number) >= taken) first -= 1;
    const lowest = first < this.#count ? (lows[first] as number) : Number.POSITIVE_INFINITY;
    const given = Math.max(0, Math.min(surplus, lacking, lowest));
    // Those before that are not lower any more are replaced.
    let to = first;
    while ((lows[to - 1] as number) >= lowest - given) to -= 1;
    for (let at = first; at < this.#count; at += 1, to += 1) {
      lows[to] = (lows[at] as number) - given;
      ends[to] = ends[at] as number;
    }
    this.#count = to;
    return given;
  }
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
export class Tokens implements TokenSource<unknown> {
  refillPerSecond: number;
  readonly #made: Quota;
  /** False if the user has set another rate or capacity. */
  #isAsMade = true;
  #quota: Quota;
  readonly #intervalMs: number;
  readonly #longestDebtMs: number;
  readonly #marks = new RefundLimit();
  // Numbers from the start: V8 allocates at each store to a field that was once undefined.
  /** How long the capacity takes to come in, in own time. */
  #fillMs = 0;
  /** When the limit is or would be empty, in own time. */
  #emptyAtMs = 0;
  /** The real time at which own time is 0, or refill steps begin: adding up many intervals would drift. In a pause its end. */
  #originMs = 0;
  /** The refill step at which own time is 0. */
  #step = 0;

  constructor(setup: TokensSetup) {
    const { refillPerSecond, capacity, initialTokens, refillIntervalMs = 0 } = setup;
    this.refillPerSecond = refillPerSecond;
    this.#made = { refillPerSecond, capacity };
    this.#quota = { refillPerSecond: 1, capacity };
    this.#fillMs = capacity * 1_000;
    this.#intervalMs = refillIntervalMs;
    this.#longestDebtMs = setup.maxPauseMs ?? Number.POSITIVE_INFINITY;
    this.#emptyAtMs = -initialTokens * 1_000;
  }

  get capacity(): number {
    return this.#quota.capacity;
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
    let ownMs = sinceMs * this.refillPerSecond;
    if (this.#intervalMs > 0 || ownMs > FAR_FILLS * this.#fillMs) ownMs = this.#ownMs(nowMs);
    const fillMs = this.#fillMs;
    const lowMs = Math.max(0, this.#emptyAtMs - ownMs + fillMs);
    const afterMs = ownMs - fillMs + lowMs + cost * 1_000;
    if (afterMs > ownMs + slackMs(fillMs, ownMs)) return false;
    this.#marks.mark(lowMs, fillMs, cost);
    this.#emptyAtMs = afterMs;
    return true;
  }

  /** @param counted how much of what was taken `held` counts */
  #empty(afterMs: number, ownMs: number, counted: number): void {
    const fillMs = this.#fillMs;
    this.#marks.mark(Math.max(0, this.#emptyAtMs - ownMs + fillMs), fillMs, counted);
    this.#emptyAtMs = afterMs;
  }

  /** The sum of all that was taken. */
  get held(): unknown {
    return this.#marks.taken;
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
    return firstCost === 0 ? Number.POSITIVE_INFINITY : nowMs + this.waitMs(firstCost, nowMs);
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
    this.#emptyAtMs -= this.#marks.giveBack(tokens * 1_000, held, beforeMs - ownMs + this.#fillMs);
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
    const since = typeof held === 'number' && held > 0 ? this.#marks.taken - held : 0;
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
    const made = this.#made;
    if (isWanted) this.#isAsMade = refillPerSecond === made.refillPerSecond && capacity === made.capacity;
    this.#rebase(nowMs, this.#ownMs(nowMs));
    // Tokens above a lower capacity are lost, and those that came in above the one before.
    this.spend(0, nowMs);
    this.#quota = { refillPerSecond: 1, capacity };
    this.#fillMs = capacity * 1_000;
    this.spend(0, nowMs);
    this.refillPerSecond = refillPerSecond;
  }
}
