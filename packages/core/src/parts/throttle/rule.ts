import type { Random } from '../../base/clock.ts';

/** The numbers of a {@link ThrottleRule}: see the options of the same names. */
export interface ThrottleNumbers {
  readonly floor: number;
  readonly credit: number;
  readonly reserve: number;
}

/** From so many bad outcomes in a row on less is sent. */
const BAD_IN_A_ROW = 3;
/** After a second of bad outcomes the share is this much of what it was. */
const CUT_PER_SECOND = 0.3;
/** So long of good outcomes takes the share from nothing to 1, in milliseconds. */
const OPENS_IN_MS = 4_000;
/** What was learned so long ago holds no more, in milliseconds. */
const FORGETS_IN_MS = 45_000;
/** What an answer to a first attempt pays into the credit, in retries. An answered retry pays back what it took. */
const PAYS = 0.2;
/** An answer is slow if it takes this many times what is usual. While few answers are known, it is more. */
const SLOW = 2;
const SLOW_AT_FIRST = 10;
/** What is usual is the longest of so many answers at first: with one alone a healthy client could be kept down for good. */
const FIRST = 20;
/** How much a slow answer of the first may raise what is usual. */
const RAISES_AT_FIRST = 1.5;
/** How long what is usual is remembered, in milliseconds. If it were shorter, it would follow the trouble. */
const REMEMBERS_MS = 60_000;
const LARGEST_STEP = 0.1;
/** The share of answers that take no longer than what is usual. */
const QUANTILE = 0.95;
/** How much a slow answer counts in what is usual. */
const SLOW_COUNTS = 0.1;
/** At the floor, where hardly anything is sent, answers that are slow all the same are the new usual. */
const SLOW_COUNTS_AT_FLOOR = 10;
/** Shorter times are all the same, in milliseconds: an answer from a cache must not make the others slow. */
const SHORTEST_MS = 20;
/** How far back requests are counted, in milliseconds: one counts the less the longer ago it was. */
const COUNTS_MS = 10_000;
/** Sums of fractions are off by less than this. */
const ROUNDING = 1e-9;

/**
 * How much a client sends while little succeeds. Time and randomness are arguments, so it is the same in a program, in a test and in
 * a simulation.
 *
 * Sends a `share` of the new requests. It falls by degrees with each bad outcome from the third in a row on, and rises with good
 * ones. An outcome is bad if the attempt has failed, or was far slower than usual: in an overload answers get slow before they fail.
 * Retries are paid from a credit, a multiple of the requests of the last ten seconds, which answers pay back. A retry that fails
 * teaches nothing, because a request that fails again says nothing new: to a quiet client one bad server of ten would look like an
 * outage.
 */
export class ThrottleRule {
  /** From `floor` to 1. */
  share = 1;
  readonly #numbers: ThrottleNumbers;
  /** About how many requests there were in the last ten seconds, when the last one began. */
  #asked = 0;
  #askedAtMs = 0;
  /** The shares of the chances since one was last sent; -1 before the first. */
  #due = -1;
  /** The rest of the credit, from 0 to 1. */
  #fill = 1;
  #badInARow = 0;
  /** When it has learned last. */
  #atMs = Number.NEGATIVE_INFINITY;
  /** What 95 % of the answers stay below, in milliseconds. */
  #usualMs = 0;
  #answers = 0;

  constructor(numbers: ThrottleNumbers) {
    this.#numbers = numbers;
  }

  /** A request begins. */
  ask(nowMs: number): void {
    this.#asked = this.#recent(nowMs) + 1;
    this.#askedAtMs = nowMs;
  }

  /**
   * True if a chance is used: to be asked once for each. Shares are added up, and not drawn, from a random start: with a die for each
   * chance a client that is alone with one request a second would answer half or all of them in the same trouble, by luck.
   */
  take(nowMs: number, isRetry: boolean, random: Random): boolean {
    if (isRetry) {
      const size = this.#size(nowMs);
      if (this.#fill * size < 1 - ROUNDING) return false;
      this.#fill -= 1 / size;
      return true;
    }
    if (this.share === 1 || nowMs - this.#atMs > FORGETS_IN_MS) return true;
    if (this.#due < 0) this.#due = random();
    this.#due += this.share;
    if (this.#due < 1 - ROUNDING) return false;
    this.#due -= 1;
    return true;
  }

  /** A chance was taken, and nothing was sent. */
  giveBack(nowMs: number, isRetry: boolean): void {
    if (isRetry) this.#earn(nowMs, 1);
    else this.#due = 1;
  }

  /**
   * An attempt has ended.
   *
   * @param tookMs from its sending to its outcome, in milliseconds
   * @param failed it got no answer, or one that says that the service is in trouble
   */
  learn(nowMs: number, tookMs: number, failed: boolean, isRetry: boolean): void {
    // A clock may be set back.
    const sinceMs = Math.max(0, nowMs - this.#atMs);
    const slow = tookMs > this.#usualMs * (SLOW + SLOW_AT_FIRST / this.#answers);
    if (!failed) {
      this.#answers += 1;
      this.#earn(nowMs, isRetry ? 1 : PAYS);
      this.#learnUsual(Math.max(SHORTEST_MS, tookMs), slow, sinceMs);
    }
    if (!failed && !slow) {
      this.#badInARow = 0;
      this.share = Math.min(1, this.share + sinceMs / OPENS_IN_MS);
    } else {
      if (isRetry) return;
      this.#badInARow += 1;
      if (this.#badInARow >= BAD_IN_A_ROW) {
        const cut = CUT_PER_SECOND ** Math.min(1, sinceMs / 1_000);
        this.share = Math.max(this.#numbers.floor, this.share * cut);
      }
    }
    this.#atMs = nowMs;
  }

  /** Sends everything again. What is usual stays. */
  reset(): void {
    this.share = 1;
    this.#badInARow = 0;
  }

  /** How many retries the whole credit is good for. The request that asks does not count. */
  #size(nowMs: number): number {
    const { credit, reserve } = this.#numbers;
    return Math.max(reserve, credit * (this.#recent(nowMs) - 1));
  }

  #recent(nowMs: number): number {
    const sinceMs = nowMs - this.#askedAtMs;
    // Most requests of a busy client come in the millisecond of another.
    return sinceMs > 0 ? this.#asked * Math.exp(-sinceMs / COUNTS_MS) : this.#asked;
  }

  #earn(nowMs: number, retries: number): void {
    if (this.#fill === 1) return;
    const size = this.#size(nowMs);
    if (size > 0) this.#fill = Math.min(1, this.#fill + retries / size);
  }

  #learnUsual(tookMs: number, slow: boolean, sinceMs: number): void {
    const usualMs = this.#usualMs;
    if (this.#answers <= FIRST) {
      this.#usualMs = Math.max(usualMs, slow ? Math.min(tookMs, usualMs * RAISES_AT_FIRST) : tookMs);
    } else if (sinceMs > 0) {
      const step = Math.min(LARGEST_STEP, sinceMs / REMEMBERS_MS);
      const counts = !slow ? 1 : this.share > this.#numbers.floor ? SLOW_COUNTS : SLOW_COUNTS_AT_FLOOR;
      const by = tookMs > usualMs ? QUANTILE * counts : QUANTILE - 1;
      this.#usualMs = usualMs * Math.exp(by * step);
    }
  }
}
