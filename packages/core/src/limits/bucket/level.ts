import type { Quota } from './gcra.ts';
import type { TokenSource } from './token-source.ts';

/** How a level starts. */
export interface LevelSetup extends Quota {
  readonly initialTokens: number;
  /** @default 0 */
  readonly refillIntervalMs?: number;
  /**
   * The longest time that a debt takes to pay, in milliseconds.
   * @default Infinity
   */
  readonly maxPauseMs?: number;
}

/** Rounding errors, as a share of the capacity: tokens that lack by less are there. */
const TOLERANCE = 1e-9;

/** Two marks become one if they differ by less than this share of the lacking tokens, so that a level has few marks. */
const APART = 1 / 32;

const NO_MARKS: number[] = [];

/**
 * The tokens of one limit: how many there were at the last change, and from when on more come in. In a pause that is its end. Times
 * are in milliseconds from any origin, and never go back.
 *
 * A grant that is settled gives tokens back as if it had never taken them, as far as the level had room for them ever since. More
 * would let others send more than `capacity + refillPerSecond · window`. So a level remembers marks: how much it lacked of being full
 * just before each change that takes tokens. A grant gives back the lowest mark since it took tokens at most, and all marks since then
 * sink by that. A mark below earlier ones replaces them, so that they rise from the first to the last.
 */
export class Level implements TokenSource<unknown> {
  refillPerSecond = 0;
  capacity = 0;
  readonly refillIntervalMs: number;
  readonly #longestDebtMs: number;
  /** The first rate and capacity, once they have changed. */
  #made: Quota | undefined;
  /** False if the user has set another rate or capacity. */
  #isAsMade = true;
  /** The tokens of a millisecond, or of a step. */
  #perRefill = 0;
  /** How many there were at the last change. */
  #tokens: number;
  /** From then on tokens come in: since it was made, or since the end of the last pause. */
  #startMs: number;
  /** How much had come in by the last change: milliseconds since then, or steps. Adding up many times would drift. */
  #refills = 0;
  /** The sum of all that was taken: a grant remembers it to know the marks since then. */
  #taken = 0;
  /** Two numbers for each mark: the tokens that were lacking, and the tokens taken before the last change for which the mark stands. */
  #marks = NO_MARKS;
  /** How many of the numbers are in use. */
  #end = 0;

  /** @param nowMs when it is made */
  constructor(setup: LevelSetup, nowMs = 0) {
    this.refillIntervalMs = setup.refillIntervalMs ?? 0;
    this.#longestDebtMs = setup.maxPauseMs ?? Infinity;
    this.#tokens = setup.initialTokens;
    this.#startMs = nowMs;
    this.#refillBy(setup);
  }

  #refillBy({ refillPerSecond, capacity }: Quota): void {
    this.refillPerSecond = refillPerSecond;
    this.capacity = capacity;
    this.#perRefill = (refillPerSecond * (this.refillIntervalMs || 1)) / 1_000;
  }

  /** The milliseconds, or the refill steps, since the last change. */
  #refillsSince(nowMs: number): number {
    const stepMs = this.refillIntervalMs;
    const ms = Math.max(0, nowMs - this.#startMs);
    const steps = ms / stepMs;
    return (stepMs === 0 ? ms : Math.floor(steps + TOLERANCE + steps * 4e-16)) - this.#refills;
  }

  #tokensAt(nowMs: number, refills: number = this.#refillsSince(nowMs)): number {
    return Math.min(this.capacity, this.#tokens + refills * this.#perRefill);
  }

  tokens(nowMs: number): number {
    return this.#tokensAt(nowMs);
  }

  take(cost: number, nowMs: number): boolean {
    const refills = this.#refillsSince(nowMs);
    const tokens = this.#tokensAt(nowMs, refills);
    if (nowMs < this.#startMs || cost - tokens > this.capacity * TOLERANCE) return false;
    this.#mark(this.capacity - tokens, cost);
    this.#tokens = tokens - cost;
    this.#refills += refills;
    return true;
  }

  /**
   * Takes tokens even if they are not there, and leaves a debt: no longer than it takes to pay in the longest time.
   *
   * @param counted how much of them `held` counts
   */
  spend(cost: number, nowMs: number, counted: number = cost): void {
    const tokens = this.#tokensAt(nowMs);
    const most = Math.max(0, tokens + (this.#longestDebtMs / 1_000) * this.refillPerSecond);
    this.#mark(this.capacity - tokens, Math.min(counted, most));
    this.#set(tokens - Math.min(cost, most), nowMs);
  }

  #set(tokens: number, nowMs: number): void {
    this.#refills += this.#refillsSince(nowMs);
    this.#tokens = tokens;
  }

  /** Tokens above this are lost, as if they had not fitted. */
  #cap(most: number, nowMs: number): void {
    const tokens = this.#tokensAt(nowMs);
    this.#mark(Math.max(0, most - tokens), 0);
    this.#set(Math.min(most, tokens), nowMs);
  }

  get held(): unknown {
    return this.#taken;
  }

  settle(surplus: number, held: unknown, nowMs: number): void {
    if (surplus < 0) this.spend(-surplus, nowMs, 0);
    else this.#tokens += this.#refund(surplus, held as number);
  }

  atMost(left: number, nowMs: number): void {
    this.spend(Math.max(0, this.#tokensAt(nowMs) - left), nowMs);
  }

  /**
   * The tokens that an answer leaves for more requests. Tokens taken since, which the server may not have counted yet, are
   * subtracted: at most half the capacity, because a late answer may count all of them, and must not stop everything.
   */
  heard(left: number, held: unknown): number {
    // 0 of a grant that has taken nothing here.
    const since = (held as number) > 0 ? this.#taken - (held as number) : 0;
    return left - Math.min(since, this.capacity / 2);
  }

  /** The time until this many tokens have come in, in milliseconds; 0 if they can be taken now. */
  waitMs(cost: number, nowMs: number): number {
    const refills = this.#refillsSince(nowMs);
    const lacking = Math.max(0, cost - this.#tokensAt(nowMs, refills));
    if (lacking <= this.capacity * TOLERANCE) return this.pausedMs(nowMs);
    const stepMs = this.refillIntervalMs;
    if (stepMs === 0) return this.pausedMs(nowMs) + lacking / this.#perRefill;
    return this.#startMs + (this.#refills + refills + this.#stepsFor(cost, lacking)) * stepMs - nowMs;
  }

  /**
   * The number of steps in which the lacking tokens come in. A cost above the capacity is taken in parts, each before the next
   * comes in.
   */
  #stepsFor(cost: number, lacking: number): number {
    const { capacity } = this;
    const perStep = this.#perRefill;
    const beyond = perStep > capacity ? Math.max(0, cost - capacity) : 0;
    const first = Math.max(1, Math.ceil((lacking - beyond) / perStep - TOLERANCE));
    return first + Math.ceil(beyond / capacity - TOLERANCE);
  }

  dueMs(firstCost: number, nowMs: number): number {
    return firstCost === 0 ? Infinity : nowMs + this.waitMs(firstCost, nowMs);
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#startMs - nowMs);
  }

  /** Lets no tokens come in until `untilMs`, and empties the level. Never shortens a pause. */
  pause(untilMs: number, nowMs: number): void {
    if (untilMs <= Math.max(nowMs, this.#startMs)) return;
    this.#cap(0, nowMs);
    this.#start(untilMs);
  }

  resume(nowMs: number): void {
    if (nowMs < this.#startMs) this.#start(nowMs);
  }

  #start(atMs: number): void {
    this.#startMs = atMs;
    this.#refills = 0;
  }

  /**
   * Sets rate and capacity. The tokens that are there are kept up to the capacity.
   *
   * @param isWanted false if that is no reason to keep the limit: another one would find this rate by itself
   */
  setRate(rate: Quota, nowMs: number, isWanted = true): void {
    const { refillPerSecond, capacity } = this;
    this.#made ??= { refillPerSecond, capacity };
    const made = this.#made;
    if (isWanted)
      this.#isAsMade = rate.refillPerSecond === made.refillPerSecond && rate.capacity === made.capacity;
    this.#cap(Math.min(capacity, rate.capacity), nowMs);
    this.#refillBy(rate);
  }

  isIdle(nowMs: number): boolean {
    return this.#isAsMade && this.waitMs(this.capacity, nowMs) === 0;
  }

  /** Notes how much is lacking of full before tokens are taken, or are lost. */
  #mark(lacking: number, taken: number): void {
    let marks = this.#marks;
    let end = this.#end;
    while (end > 0 && (marks[end - 2] as number) > lacking) end -= 2;
    if (end === 0 || lacking >= (marks[end - 2] as number) * (1 + APART) + this.capacity * TOLERANCE) {
      if (end === marks.length) {
        // Twice as long, and no longer: `push` makes room for 17 numbers more. Fractions, so that V8 makes it a list of doubles.
        marks = end === 0 ? [0.5, 0.5] : marks.concat(marks);
        this.#marks = marks;
      }
      marks[end] = lacking;
      end += 2;
    }
    marks[end - 1] = this.#taken;
    this.#end = end;
    this.#taken += taken;
  }

  /**
   * How much of a surplus can be given back, also to a level that is nearly full: what does not fit is lost.
   *
   * @param held the sum of taken tokens after its grant
   */
  #refund(surplus: number, held: number): number {
    const marks = this.#marks;
    const end = this.#end;
    let first = end;
    while (first > 0 && (marks[first - 1] as number) >= held) first -= 2;
    const lowest = first < end ? (marks[first] as number) : Infinity;
    const given = Math.max(0, Math.min(surplus, lowest));
    // Earlier marks that are not lower any more are replaced.
    let to = first;
    while (to > 0 && (marks[to - 2] as number) >= lowest - given) to -= 2;
    for (let at = first; at < end; at += 2, to += 2) {
      marks[to] = (marks[at] as number) - given;
      marks[to + 1] = marks[at + 1] as number;
    }
    this.#end = to;
    return given;
  }
}
