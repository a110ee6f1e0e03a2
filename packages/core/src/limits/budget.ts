import { callable, checkOptions, having, notNegative, positive } from '../base/check.ts';
import { type Clock, type Random, systemClock, systemRandom } from '../base/clock.ts';
import type { RetryBudget } from './contracts.ts';

/** What {@link retryBudget} takes. */
export interface RetryBudgetOptions {
  /**
   * Retries for each request that went well.
   * @default 0.2
   */
  readonly ratio?: number | undefined;
  /**
   * Retries that are there in any case, for a client that has sent little so far. What is spent of them comes
   * back with successes alone, or after six windows in which nothing is asked of the budget.
   *
   * It may be less than one: with 0.1 one client in ten has a retry, drawn at its first failure. Choose that for a
   * large fleet of quiet clients, because each has a reserve of its own, and the reserves add up.
   * @default 3
   */
  readonly reserve?: number | undefined;
  /**
   * How long a success counts, in milliseconds.
   * @default 10_000
   */
  readonly windowMs?: number | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /**
   * Decides whether a balance below one is a retry.
   * @default Math.random
   */
  readonly random?: Random | undefined;
}

/** The window moves on by a tenth of it. */
const SLOTS = 10;

/** After this many windows in which nothing was asked of it a budget is as good as a new one. */
const RESTING_WINDOWS = 6;

/** What {@link retryBudget} makes. */
export class SuccessBudget implements RetryBudget {
  readonly #ratio: number;
  readonly #reserve: number;
  readonly #slotMs: number;
  readonly #clock: Clock;
  readonly #random: Random;
  /** How many there were in each part of the window. A typed array this short weighs three times as much. */
  readonly #successes: number[] = new Array(SLOTS).fill(0);
  #inWindow = 0;
  #slot: number;
  #tokens: number;
  #usedInSlot: number;

  constructor(options: RetryBudgetOptions) {
    checkOptions('retryBudget', options, {
      ratio: notNegative,
      reserve: notNegative,
      windowMs: positive,
      clock: having('a clock', 'now', 'schedule'),
      random: callable,
    });
    const { ratio = 0.2, reserve = 3, windowMs = 10_000, clock = systemClock } = options;
    const { random = systemRandom } = options;
    this.#ratio = ratio;
    this.#reserve = reserve;
    this.#slotMs = windowMs / SLOTS;
    this.#clock = clock;
    this.#random = random;
    this.#tokens = reserve;
    this.#slot = this.#slotNow();
    this.#usedInSlot = this.#slot;
  }

  get balance(): number {
    this.#moveOn();
    const chance = this.#chance;
    return chance > 0 ? chance : this.#whole;
  }

  /** Sums of fractions are a little off. */
  get #whole(): number {
    return Math.floor(this.#tokens + 1e-9);
  }

  /**
   * The probability of a retry, if the budget cannot hold a whole one at present; else 0. With a reserve of 0 it is
   * always 0: there is no retry before successes have brought a whole one.
   */
  get #chance(): number {
    return this.#reserve > 0 && this.#most + 1e-9 < 1 ? Math.max(0, this.#tokens) : 0;
  }

  /** Whether it is as good as a new one. */
  get isIdle(): boolean {
    this.#moveOn();
    return this.#inWindow === 0 && this.#tokens === this.#reserve;
  }

  deposit(): void {
    this.#moveOn();
    const at = this.#slot % SLOTS;
    this.#successes[at] = (this.#successes[at] ?? 0) + 1;
    this.#inWindow += 1;
    this.#usedInSlot = this.#slot;
    this.#tokens = Math.min(this.#most, this.#tokens + this.#ratio);
  }

  withdraw(): boolean {
    this.#moveOn();
    this.#usedInSlot = this.#slot;
    const chance = this.#chance;
    if (chance > 0) {
      // Spent whether it is drawn or not. If it stayed, asking often enough would always draw it.
      this.#tokens = 0;
      return this.#random() < chance;
    }
    if (this.#whole < 1) return false;
    // Not cut off at 0, where it may be a rounding error below: a refund must restore what was there.
    this.#tokens -= 1;
    return true;
  }

  /**
   * Leaves the budget as if the retry had not been asked for. If successes have left the window meanwhile, that
   * may be less than one more. A retry that was drawn brings back at most what the budget can hold: on average
   * no more than was spent, because other draws were lost.
   */
  refund(): void {
    this.#moveOn();
    this.#tokens = Math.min(this.#most, this.#tokens + 1);
  }

  get #most(): number {
    return this.#reserve + this.#ratio * this.#inWindow;
  }

  #slotNow(): number {
    return Math.floor(this.#clock.now() / this.#slotMs);
  }

  /** Forgets what has left the window. A clock that was set back makes what is there count a while longer. */
  #moveOn(): void {
    const slot = this.#slotNow();
    const passed = Math.min(SLOTS, slot - this.#slot);
    for (let step = 0; step < passed; step += 1) {
      const at = (slot - step) % SLOTS;
      this.#inWindow -= this.#successes[at] ?? 0;
      this.#successes[at] = 0;
    }
    if (passed === 0) return;
    this.#slot = slot;
    const rested = slot - this.#usedInSlot >= RESTING_WINDOWS * SLOTS;
    this.#tokens = rested ? this.#reserve : Math.min(this.#tokens, this.#most);
  }
}

/**
 * Retries as a share of the requests that went well, and a few besides: enough for failures that pass, and too
 * little to double an outage. Every request of a policy draws on it; one that is denied ends with the outcome
 * that it has, and costs nothing.
 *
 * A retry takes one, a success brings `ratio`, and there are never more than `reserve` and `ratio` times the
 * successes of the last `windowMs`. If that is less than one, the next failure spends what is there, and is
 * retried with that probability: over a fleet it is the same share, and no client needs to save up. Nothing comes
 * back by time while requests go on failing: an allowance per second, however small, adds up over a fleet, and
 * keeps down what it should let up.
 *
 * Models: gRPC A6 (a token for each failure, a part of one back for each success, no retries in the lower half);
 * Finagle's RetryBudget (a fifth of the requests of 10 s); the AWS SDKs' standard mode (500 tokens, 14 for a
 * retry, back with success); Google, "Site Reliability Engineering", chapter 21 (a tenth of each client's
 * requests). The defaults are those with which a fleet of ten thousand comes back from an outage as soon, and
 * sends as little, as with the best of these.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, retryBudget } from '@ebb/core';
 *
 * // One retry for every ten successes, plus one in reserve.
 * const policy = createPolicy({ budget: retryBudget({ ratio: 0.1, reserve: 1 }) });
 * ```
 */
export function retryBudget(options: RetryBudgetOptions = {}): RetryBudget {
  return new SuccessBudget(options);
}
