import type { Costs } from '@ebb/core';

/** Stamps have 24 bits. */
const STAMPS = 0x100_0000;

/**
 * The costs of requests in the answers on their way: an event has no room for costs. Several answers to one request may
 * be on their way, with a stamp each.
 */
export class JobCosts {
  readonly #costs = new Map<number, Costs>();

  put(job: number, stamp: number, costs: Costs): void {
    this.#costs.set(job * STAMPS + stamp, costs);
  }

  /** Takes the costs in an answer that has arrived. */
  take(job: number, stamp: number): Costs | undefined {
    const key = job * STAMPS + stamp;
    const costs = this.#costs.get(key);
    this.#costs.delete(key);
    return costs;
  }
}
