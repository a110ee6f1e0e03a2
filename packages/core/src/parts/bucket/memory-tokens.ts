import type { Quota } from './gcra.ts';
import { QuotaState } from './quota-state.ts';
import type { TokenSource } from './token-source.ts';

/** A state for each limit that {@link MemoryTokens.settle} needs later. A plain number if there is only one limit. */
export type Held = number | readonly number[];

/**
 * The limits of one bucket in memory. Tokens are taken from all of them, or from none. A pause and a new rate are for the first
 * alone: emptying the quota of a day would close the bucket for a day.
 */
export class MemoryTokens extends QuotaState implements TokenSource<Held> {
  readonly #further: readonly QuotaState[];

  constructor(first: Quota, intervalMs: number, tokens: number, further: readonly Quota[]) {
    super(first, intervalMs, tokens, 0);
    this.#further = further.map((rate) => new QuotaState(rate, 0, rate.capacity, 0));
  }

  /** The capacity of the first limit. */
  get ownCapacity(): number {
    return super.capacity;
  }

  override get capacity(): number {
    return Math.min(super.capacity, ...this.#further.map((quota) => quota.capacity));
  }

  override tokens(nowMs: number): number {
    return Math.min(super.tokens(nowMs), ...this.#further.map((quota) => quota.tokens(nowMs)));
  }

  isIdle(nowMs: number): boolean {
    const isFull = this.#further.every((quota) => quota.tokens(nowMs) >= quota.capacity);
    return isFull && super.tokens(nowMs) >= super.capacity;
  }

  override take(cost: number, nowMs: number): boolean {
    if (this.#further.length === 0) return super.take(cost, nowMs);
    if (this.waitMs(cost, nowMs) > 0) return false;
    this.spend(cost, nowMs);
    for (const quota of this.#further) quota.spend(cost, nowMs);
    return true;
  }

  get held(): Held {
    return this.#further.length === 0
      ? this.takenAs
      : [this.takenAs, ...this.#further.map((quota) => quota.takenAs)];
  }

  override waitMs(cost: number, nowMs: number): number {
    let waitMs = super.waitMs(cost, nowMs);
    for (const quota of this.#further) waitMs = Math.max(waitMs, quota.waitMs(cost, nowMs));
    return waitMs;
  }

  dueMs(firstCost: number, nowMs: number): number {
    return firstCost === 0 ? Number.POSITIVE_INFINITY : nowMs + this.waitMs(firstCost, nowMs);
  }

  settle(surplus: number, held: Held, nowMs: number): void {
    const each = [held].flat() as readonly number[];
    [this, ...this.#further].forEach((quota, index) => {
      if (surplus < 0) quota.spend(-surplus, nowMs);
      else quota.giveBack(surplus, each[index] as number, nowMs);
    });
  }
}
