import { checkOptions, having, notNegative, positive } from './check.ts';
import { type Clock, systemClock } from './clock.ts';
import type { PerKey, RetryBudget } from './limits.ts';
import { KeyMap, type PerKeyOptions } from './per-key.ts';

/** What {@link retryBudget} takes. */
export interface RetryBudgetOptions {
  /**
   * Retries for each request that went well.
   * @default 0.2
   */
  readonly ratio?: number | undefined;
  /**
   * Retries each second that are there in any case, for a client that has sent little as yet.
   * @default 1
   */
  readonly minPerSecond?: number | undefined;
  /**
   * How long a request counts, in milliseconds.
   * @default 10_000
   */
  readonly windowMs?: number | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

/** The window moves on by a tenth of it. */
const SLOTS = 10;

class WindowBudget implements RetryBudget {
  readonly #ratio: number;
  readonly #floor: number;
  readonly #slotMs: number;
  readonly #clock: Clock;
  /** How many there were in each part of the window. A typed array this short weighs three times as much. */
  readonly #successes: number[] = new Array(SLOTS).fill(0);
  readonly #retries: number[] = new Array(SLOTS).fill(0);
  #slot: number;

  constructor(options: RetryBudgetOptions) {
    checkOptions('retryBudget', options, {
      ratio: notNegative,
      minPerSecond: notNegative,
      windowMs: positive,
      clock: having('a clock', 'now', 'schedule'),
    });
    const { ratio = 0.2, minPerSecond = 1, windowMs = 10_000, clock = systemClock } = options;
    this.#ratio = ratio;
    this.#floor = (minPerSecond * windowMs) / 1_000;
    this.#slotMs = windowMs / SLOTS;
    this.#clock = clock;
    this.#slot = this.#slotNow();
  }
  get balance(): number {
    this.#moveOn();
    const sum = (total: number, count: number): number => total + count;
    const earned = this.#successes.reduce(sum, 0) * this.#ratio;
    return Math.max(0, Math.floor(this.#floor + earned - this.#retries.reduce(sum, 0) + 1e-9));
  }

  /** Whether nothing counts any more. */
  get idle(): boolean {
    this.#moveOn();
    return [...this.#successes, ...this.#retries].every((count) => count === 0);
  }

  deposit(): void {
    const at = this.#moveOn();
    this.#successes[at] = (this.#successes[at] ?? 0) + 1;
  }

  withdraw(): boolean {
    if (this.balance < 1) return false;
    const at = this.#moveOn();
    this.#retries[at] = (this.#retries[at] ?? 0) + 1;
    return true;
  }

  #slotNow(): number {
    return Math.floor(this.#clock.now() / this.#slotMs);
  }

  /** Forgets what has left the window, and answers the place for what comes in now. */
  #moveOn(): number {
    const slot = this.#slotNow();
    const passed = Math.min(SLOTS, slot - this.#slot);
    for (let step = 1; step <= passed; step += 1) {
      const at = (slot - passed + step) % SLOTS;
      this.#successes[at] = 0;
      this.#retries[at] = 0;
    }
    // A clock that was set back makes what is there count a while longer.
    this.#slot = slot;
    return slot % SLOTS;
  }
}

/**
 * Retries as a share of the requests that went well, plus a few each second: enough for failures that pass, and
 * too little to double an outage. Every request of a policy draws on it; one that is denied ends with the
 * outcome that it has, and costs nothing.
 *
 * A retry is allowed while those of the last `windowMs` are fewer than `ratio` times the successes in it and
 * `minPerSecond` for each of its seconds. Only successes count, so that an outage leaves the floor alone.
 *
 * Models: Finagle's RetryBudget (a fifth of the requests and 10 a second, each good for 10 s); gRPC A6 (a token
 * for each failure, a part of one back for each success, no retries in the lower half); the AWS SDKs' standard
 * mode (500 tokens, 5 for a retry, 1 back for each success); Google, "Site Reliability Engineering", chapter
 * 21 (a tenth of each client's requests).
 *
 * @throws TypeError, RangeError for a wrong option
 */
export function retryBudget(options: RetryBudgetOptions = {}): RetryBudget {
  return new WindowBudget(options);
}

/**
 * A {@link retryBudget} for each key: for each origin, if nothing else is said.
 * @throws TypeError, RangeError for a wrong option
 */
export function budgetPerKey(
  budget: RetryBudgetOptions = {},
  options: PerKeyOptions = {},
): PerKey<RetryBudget> {
  new WindowBudget(budget);
  return new KeyMap<WindowBudget>(
    'budgetPerKey',
    () => new WindowBudget(budget),
    ({ idle }) => idle,
    options,
  );
}
