import type { Clock, Costs, Grant, InspectedResponse } from '@ebb/core';
import {
  devText,
  HookError,
  inNextTurn,
  isObject,
  isPromise,
  notNegative,
  report,
  wrongType,
} from '@ebb/core/internal';

/**
 * Reads costs from a response: a number for a bucket of one unit, or by unit; `undefined` if the response has none. A unit that is not
 * named stays as it is.
 */
export type CostOfResponse = (
  response: InspectedResponse,
) => number | Costs | undefined | Promise<number | Costs | undefined>;

/** @throws TypeError, RangeError for anything but costs */
export function checkCosts(name: string, said: unknown): asserts said is number | Costs {
  if (typeof said === 'number') {
    notNegative(name, said);
    return;
  }
  if (!isObject(said) || Array.isArray(said))
    throw wrongType(name, devText('a number, or an object with a number for each unit'), said);
  for (const [unit, cost] of Object.entries(said)) notNegative(`${name}: ${unit}`, cost);
}

/** Reports that a function which reads answers has failed: once, and nothing else comes of it. */
export function reportFailure(name: string, read: CostOfResponse, cause: unknown): void {
  report(name, read, new HookError(name, cause));
}

/**
 * The known cost of one attempt. A tally settles the tokens of the attempt once.
 *
 * Hazard: a tally must hold neither the response nor the session. A tally waits for the end of the body, which may be the garbage
 * collection of the response.
 */
export class Tally {
  readonly #grant: Grant;
  readonly #read: CostOfResponse;
  readonly #learn: ((actual: number | Costs) => void) | undefined;
  #costs: number | Costs | undefined;
  /** The last answer of the user's code that has not settled. */
  #pending: Promise<void> | undefined;
  #isSuccess = false;
  #isSettled = false;
  #hasEnded = false;

  /** @param learn what learns from the cost of a success */
  constructor(grant: Grant, read: CostOfResponse, learn: ((actual: number | Costs) => void) | undefined) {
    this.#grant = grant;
    this.#read = read;
    this.#learn = learn;
  }

  /** Adds an answer of the user's code. A later answer replaces an earlier one, unit by unit. Never throws. */
  add(ask: () => ReturnType<CostOfResponse>): Promise<void> | undefined {
    try {
      const said = ask();
      if (isPromise(said) || this.#pending !== undefined) this.#pending = this.#after(this.#pending, said);
      else this.#merge(said);
    } catch (error) {
      reportFailure('actualCost', this.#read, error);
    }
    return this.#pending;
  }

  /** Answers count in the order of what they are about. */
  async #after(before: Promise<void> | undefined, said: ReturnType<CostOfResponse>): Promise<void> {
    const [, result] = await Promise.allSettled([before, said]);
    try {
      if (result.status === 'rejected') throw result.reason;
      this.#merge(result.value);
    } catch (error) {
      reportFailure('actualCost', this.#read, error);
    }
  }

  #merge(said: number | Costs | undefined): void {
    if (said === undefined || said === null) return;
    checkCosts('its result', said);
    const known = this.#costs;
    const isByUnit = typeof said === 'object' && typeof known === 'object';
    this.#costs = isByUnit ? { ...known, ...said } : said;
  }

  /**
   * The stream has ended. Settles once the user's code has answered, or after so long. May be called again.
   *
   * @returns what resolves once the code has answered, if it has not
   */
  end(clock: Clock, patienceMs: number): Promise<void> | undefined {
    if (this.#hasEnded) return this.#pending;
    this.#hasEnded = true;
    const settle = (): void => this.settle(true);
    if (this.#pending === undefined) {
      settle();
      return undefined;
    }
    let cancel: (() => void) | undefined;
    this.#pending = this.#pending.then(() => {
      cancel?.();
      settle();
    });
    // Most answers take a few microtasks, and no timer.
    inNextTurn(() => {
      if (!this.#isSettled) cancel = clock.schedule(settle, patienceMs, true);
    });
    return this.#pending;
  }

  /** @param isLast if nothing is known then what was taken is settled */
  settle(isLast = false): void {
    if (this.#isSettled) return;
    const actual = this.#costs ?? (isLast ? this.#grant.cost : undefined);
    if (actual === undefined) return;
    this.#isSettled = true;
    try {
      this.#grant.settle(actual);
    } catch (error) {
      // A unit that the bucket does not have.
      reportFailure('actualCost', this.#read, error);
      this.#costs = undefined;
      this.#grant.settle(this.#grant.cost);
    }
    this.#teach();
  }

  /** The call has ended. */
  judge(isSuccess: boolean): void {
    this.#isSuccess = isSuccess;
    if (this.#isSettled) this.#teach();
  }

  #teach(): void {
    const actual = this.#costs;
    if (this.#isSuccess && actual !== undefined) this.#learn?.(actual);
  }
}
