import type { ThrottleState } from '../../events/events.ts';

/** Why an attempt is to be sent: a first attempt, or a retry after a timeout or another failure. */
export type Occasion = 'first' | 'after-timeout' | 'after-failure';

function costOf(occasion: Occasion): number {
  return occasion === 'after-timeout' ? AFTER_TIMEOUT_COSTS : 1;
}

// The purpose of each number: `pnpm bench overload constants`.
const FLOOR = 0.3;
/** The level at which the trouble is over. */
const CALM = 3;
/** From this many failures in a row on, less is sent. */
const IN_A_ROW = 3;
/** The factor of the level after a second of failures. */
const CUT_PER_SECOND = 0.7;
/** The time of answers that raises the level by 1, in milliseconds. */
const OPENS_IN_MS = 2_000;
/** Above 1, where each new request is sent, the level rises this many times as slowly. */
const SLOWER_ABOVE_ONE = 5;
/** An answer that takes half of the timeout leaves the level as it is. A later one takes away from it. */
const LATE = 2;
/** The rule is calm again after this time without an outcome, in milliseconds. */
const FORGETS_MS = 45_000;
/** The deposit of an answer in the retry balance while all is calm, and the most that the balance holds. */
const CALM_DEPOSIT = 0.02;
const MAX_BALANCE = 2;
/** A timeout has cost the service its work, which the retry asks for again. */
const AFTER_TIMEOUT_COSTS = 2;
/** The reserve: this many retries for each request of the last ten seconds, or one. */
const RESERVE_PER_REQUEST = 2.5;
const MIN_RESERVE = 1;
const COUNTS_MS = 10_000;
/** The deposit of the answer to a first attempt in the reserve. An answered retry gives back its own cost. */
const ANSWER_DEPOSIT = 0.2;
/** Sums of fractions are off by less than this. */
const ROUNDING = 1e-9;

/**
 * How much a client sends while little succeeds. Time is an argument, so it is the same in a program, in a test and in a simulation.
 *
 * Failures begin trouble; slowness never does. In trouble there is a `level`, which failures cut and prompt answers raise, and a retry
 * balance: a new request adds up to 1 of the level to it, and an answer adds the rest above 1, for requests that were put off. First
 * attempts, and retries after timeouts, are paid from the balance; a skipped attempt adds nothing. Other retries are paid from a
 * reserve, which answers fill again. While all is calm first attempts are free, and answers alone add to the balance.
 */
export class ThrottleRule {
  /** True if the last outcome, an answer or a failure, took less than half of the timeout: no queue was in its way. */
  isPrompt = true;
  /** Failures in a row. */
  #inARow = 0;
  /** True if nothing is put off. */
  #isCalm = true;
  #level = CALM;
  #balance = 0;
  /** The rest of the reserve, from 0 to 1. */
  #reserve = 1;
  /** About how many first attempts have ended in the last ten seconds, when the last one did. */
  #ended = 0;
  #endedAtMs = 0;
  /** When it has learned last. */
  #atMs = Number.NEGATIVE_INFINITY;
  /** How long the last answer took, as a share of the timeout. */
  #lateness = 0;

  /** The share of new requests that is sent. */
  get level(): number {
    return Math.min(1, this.#level);
  }

  /** True if it has learned nothing for so long that it is as good as new. */
  isIdle(nowMs: number): boolean {
    return nowMs - this.#atMs > FORGETS_MS;
  }

  get state(): ThrottleState {
    return this.#isCalm ? 'closed' : this.#level === FLOOR ? 'open' : 'half-open';
  }

  /** A request begins. */
  ask(): void {
    if (!this.#isCalm) this.#deposit(Math.max(FLOOR, this.level * (1 - this.#lateness)));
  }

  /** True if a scheduled attempt may be sent: to be asked once for each. */
  take(nowMs: number, occasion: Occasion): boolean {
    this.#forget(nowMs);
    if (occasion === 'first' && this.#isCalm) return true;
    const has = occasion === 'after-failure' ? this.#reserve * this.#size(nowMs) : this.#balance;
    if (has < costOf(occasion) - ROUNDING) return false;
    this.#pay(nowMs, occasion, -costOf(occasion));
    return true;
  }

  /** A scheduled attempt was allowed, and nothing was sent. */
  giveBack(nowMs: number, occasion: Occasion): void {
    if (occasion !== 'first' || !this.#isCalm) this.#pay(nowMs, occasion, costOf(occasion));
  }

  #pay(nowMs: number, occasion: Occasion, attempts: number): void {
    if (occasion === 'after-failure') this.#refill(nowMs, attempts);
    else this.#deposit(attempts);
  }

  /** Adds to the retry balance. */
  #deposit(attempts: number): void {
    this.#balance = Math.min(MAX_BALANCE, this.#balance + attempts);
  }

  /** Adds to the reserve. */
  #refill(nowMs: number, retries: number): void {
    this.#reserve = Math.min(1, this.#reserve + retries / this.#size(nowMs));
  }

  /**
   * An attempt has ended.
   *
   * @param lateness how long it took, as a share of its timeout; 0 without a timeout
   */
  learn(nowMs: number, failed: boolean, isRetry: boolean, lateness: number): void {
    this.#forget(nowMs);
    // A clock may be set back.
    const sinceMs = Math.max(0, nowMs - this.#atMs);
    this.#atMs = nowMs;
    this.isPrompt = LATE * lateness < 1;
    if (!isRetry) {
      this.#ended = this.#recent(nowMs) + 1;
      this.#endedAtMs = nowMs;
    }
    if (failed) {
      this.#inARow += 1;
      if (this.#inARow >= IN_A_ROW) this.#cut(Math.min(1_000, sinceMs));
      return;
    }
    this.#inARow = 0;
    if (this.#reserve < 1) this.#refill(nowMs, isRetry ? 1 : ANSWER_DEPOSIT);
    this.#lateness = Math.min(1, lateness);
    this.#deposit(this.#isCalm ? CALM_DEPOSIT : Math.max(0, this.#level - 1) * (1 - this.#lateness));
    if (!this.#isCalm) this.#raise((sinceMs / OPENS_IN_MS) * (1 - LATE * this.#lateness));
  }

  #cut(sinceMs: number): void {
    if (this.#isCalm) this.#balance = 0;
    this.#isCalm = false;
    this.#level = Math.max(FLOOR, this.level * CUT_PER_SECOND ** (sinceMs / 1_000));
  }

  #raise(by: number): void {
    const toOne = by > 0 ? Math.min(by, Math.max(0, 1 - this.#level)) : by;
    this.#level = Math.max(FLOOR, this.#level + toOne + (by - toOne) / SLOWER_ABOVE_ONE);
    if (this.#level >= CALM) this.reset();
  }

  /** Sends everything again. */
  reset(): void {
    this.#isCalm = true;
    this.#level = CALM;
    this.#inARow = 0;
  }

  #forget(nowMs: number): void {
    if (!this.#isCalm && this.isIdle(nowMs)) this.reset();
  }

  /** How many retries the full reserve allows. The request that is to be retried does not count. */
  #size(nowMs: number): number {
    return Math.max(MIN_RESERVE, RESERVE_PER_REQUEST * (this.#recent(nowMs) - 1));
  }

  #recent(nowMs: number): number {
    // A clock may be set back.
    const sinceMs = Math.max(0, nowMs - this.#endedAtMs);
    return this.#ended * Math.max(0, 1 - sinceMs / COUNTS_MS);
  }
}
