import { notNegative, positive } from '../../base/check.ts';
import { CLOCK_OPTION, ownClock, RANDOM_OPTION } from '../../base/clock.ts';
import { type Complete, type OptionTable, readOptions } from '../../base/options.ts';
import type { Clock, Random } from '../../base/time.ts';
import type { StopReason } from '../../events/events.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { BudgetMethods } from '../../policy/contracts.ts';
import type { BroughtLimit, Limit, Permit } from '../../policy/limit.ts';
import type { ChecksCalls, RetryBudget } from '../../policy/limit-options.ts';
import { mustHaveClock } from '../limit.ts';

/** Options of {@link retryBudget}. */
export interface RetryBudgetOptions {
  /**
   * Retries per successful request.
   * @default 0.2
   */
  readonly ratio?: number | undefined;
  /**
   * Retries that a client may make before its first success. Once spent, they come back with successes alone, or after
   * six windows without any use of the budget.
   *
   * Each client has a reserve of its own, and over a fleet they add up: choose less than one for a large fleet of quiet
   * clients. With 0.1 one client in ten has a retry, drawn at random at its first failure.
   * @default 3
   */
  readonly reserve?: number | undefined;
  /**
   * How long a success counts, in milliseconds.
   * @default 10_000
   */
  readonly windowMs?: number | undefined;
  /** @default that of the system. A policy must have the same */
  readonly clock?: Clock | undefined;
  /**
   * Decides whether a balance below one is spent on a retry.
   * @default Math.random
   */
  readonly random?: Random | undefined;
}

const BUDGET_OPTIONS: OptionTable<RetryBudgetOptions> = {
  ratio: { check: notNegative, default: 0.2 },
  reserve: { check: notNegative, default: 3 },
  windowMs: { check: positive, default: 10_000 },
  clock: CLOCK_OPTION,
  random: RANDOM_OPTION,
};

/** The window moves in steps of a tenth. */
const SLOTS = 10;

/** After this many windows without use a budget is as good as new. */
const RESTING_WINDOWS = 6;

/** Balances are sums of fractions, and off by less than this. */
const ROUNDING = 1e-9;

class SuccessBudget implements RetryBudget, ChecksCalls {
  readonly #ratio: number;
  readonly #reserve: number;
  readonly #slotMs: number;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Successes in each slot of the window. A plain array: a typed array this short takes three times the memory. */
  readonly #successes: number[] = new Array(SLOTS).fill(0);
  #successesInWindow = 0;
  // Numbers from the start: V8 allocates at each store to a field that was once undefined.
  #slot = 0;
  #balance = 0;
  #usedInSlot = 0;

  constructor(setup: Complete<RetryBudgetOptions>) {
    this.#ratio = setup.ratio;
    this.#reserve = setup.reserve;
    this.#slotMs = setup.windowMs / SLOTS;
    this.#clock = ownClock(setup.clock);
    this.#random = setup.random;
    this.#balance = setup.reserve;
    this.#slot = this.#slotNow();
    this.#usedInSlot = this.#slot;
  }

  get limit(): BroughtLimit {
    return budgetLimit(this);
  }

  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    mustHaveClock('a retry budget', this.#clock, calls);
  }

  get balance(): number {
    this.#moveWindow();
    const chance = this.#chance;
    return chance > 0 ? chance : this.#wholeRetries;
  }

  get isIdle(): boolean {
    this.#moveWindow();
    return this.#successesInWindow === 0 && this.#balance === this.#reserve;
  }

  deposit(): void {
    this.#moveWindow();
    const at = this.#slot % SLOTS;
    this.#successes[at] = (this.#successes[at] ?? 0) + 1;
    this.#successesInWindow += 1;
    this.#usedInSlot = this.#slot;
    this.#balance = Math.min(this.#maxBalance, this.#balance + this.#ratio);
  }

  withdraw(): boolean {
    this.#moveWindow();
    this.#usedInSlot = this.#slot;
    const chance = this.#chance;
    if (chance > 0) {
      // Spent even if the draw fails: otherwise a client that keeps failing would always get its retry in the end.
      this.#balance = 0;
      return this.#random() < chance;
    }
    if (this.#wholeRetries < 1) return false;
    // May become a rounding error below 0. Not cut off, so that a refund restores the balance exactly.
    this.#balance -= 1;
    return true;
  }

  /**
   * Restores the balance from before the last withdrawal, as far as successes have not left the window since. A retry that
   * was drawn brings back at most what the budget can hold: on average no more than was spent, because other draws failed.
   */
  refund(): void {
    this.#balance = Math.min(this.#maxBalance, this.#balance + 1);
  }

  get #wholeRetries(): number {
    return Math.floor(this.#balance + ROUNDING);
  }

  /**
   * The probability of a retry if the budget cannot hold a whole one at present; else 0. With a reserve of 0 it is always
   * 0: no retry before successes have paid for a whole one.
   */
  get #chance(): number {
    return this.#reserve > 0 && this.#maxBalance + ROUNDING < 1 ? Math.max(0, this.#balance) : 0;
  }

  get #maxBalance(): number {
    return this.#reserve + this.#ratio * this.#successesInWindow;
  }

  #slotNow(): number {
    return Math.floor(this.#clock.now() / this.#slotMs);
  }

  /** Drops the successes that have left the window. If the clock was set back, they count for longer. */
  #moveWindow(): void {
    const slot = this.#slotNow();
    const passed = Math.min(SLOTS, slot - this.#slot);
    for (let step = 0; step < passed; step += 1) {
      const at = (slot - step) % SLOTS;
      this.#successesInWindow -= this.#successes[at] ?? 0;
      this.#successes[at] = 0;
    }
    if (passed === 0) return;
    this.#slot = slot;
    const hasRested = slot - this.#usedInSlot >= RESTING_WINDOWS * SLOTS;
    this.#balance = hasRested ? this.#reserve : Math.min(this.#balance, this.#maxBalance);
  }
}

/** Every retry withdraws from the budget. */
export function budgetLimit(budget: BudgetMethods): BroughtLimit {
  return { limit: new BudgetLimit(budget) };
}

class BudgetLimit implements Limit {
  readonly name = 'budget';
  readonly #budget: BudgetMethods;
  /** Each retry gets this one. */
  readonly #paid: Permit;

  constructor(budget: BudgetMethods) {
    this.#budget = budget;
    this.#paid = { cancel: () => budget.refund?.() };
  }

  started(): void {
    this.#budget.begin?.();
  }

  planRetry(): Permit | StopReason {
    return this.#budget.withdraw() ? this.#paid : 'budget-exhausted';
  }

  ended(_call: CallView, reason: StopReason): void {
    if (reason === 'success') this.#budget.deposit();
    this.#budget.end?.();
  }
}

/**
 * Limits retries to a share of the successful requests.
 *
 * Why a budget, when there is `maxRetries`? A retry count limits one request. In an outage every request fails, and five
 * retries each are six times the load, just when the service can bear it least. A budget looks at all requests together:
 * while most succeed each failure can be retried, and while most fail hardly any is, so that retries add a fifth to the
 * load instead of multiplying it. A request whose retry is denied ends at once with its last outcome.
 *
 * A retry costs one, a success deposits `ratio`, and the balance never exceeds `reserve` plus `ratio` per success of the
 * last `windowMs`. If this bound is below one, the next failure spends the whole balance, and is retried with the balance as the
 * probability: a fleet retries the same share, and no client has to save up. The balance does not grow with time while requests
 * fail: an allowance per second, however small, adds up over a fleet and keeps a struggling service down.
 *
 * Sources: gRPC A6 (a failure costs one token, a success returns a part, no retries below half); Finagle `RetryBudget` (a
 * fifth of the requests of 10 s); AWS SDKs, standard retry mode (500 tokens, 14 per retry, returned by success); Google,
 * "Site Reliability Engineering", chapter 21 (a tenth of each client's requests). With the defaults a simulated fleet of
 * 10,000 recovers from an outage as soon, and sends as little, as with the best of these.
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
  return new SuccessBudget(readOptions('retryBudget', options, BUDGET_OPTIONS));
}
