import type { Quota } from './gcra.ts';
import type { QuotaState } from './quota-state.ts';
import type { TokenSource } from './token-source.ts';

/** A state for each limit that {@link MemoryTokens.settle} needs later. A plain number if there is only one limit. */
export type Held = number | readonly number[];

/** The limits of one bucket in memory. Tokens are taken from all of them, or from none. */
export class MemoryTokens implements TokenSource<Held> {
  readonly #first: QuotaState;
  readonly #further: readonly QuotaState[];

  constructor(first: QuotaState, further: readonly QuotaState[]) {
    this.#first = first;
    this.#further = further;
  }

  get refillPerSecond(): number {
    return this.#first.refillPerSecond;
  }

  /** The capacity of the first limit. */
  get ownCapacity(): number {
    return this.#first.capacity;
  }

  get capacity(): number {
    return this.#least((quota) => quota.capacity);
  }

  tokens(nowMs: number): number {
    return this.#least((quota) => quota.tokens(nowMs));
  }

  isIdle(nowMs: number): boolean {
    const isFull = (quota: QuotaState): boolean => quota.tokens(nowMs) >= quota.capacity;
    return isFull(this.#first) && this.#further.every(isFull);
  }

  #least(of: (quota: QuotaState) => number): number {
    return this.#further.reduce((least, quota) => Math.min(least, of(quota)), of(this.#first));
  }

  take(cost: number, nowMs: number): boolean {
    if (this.#further.length === 0) return this.#first.take(cost, nowMs);
    if (this.#further.some((quota) => quota.waitMs(cost, nowMs) > 0)) return false;
    if (!this.#first.take(cost, nowMs)) return false;
    for (const quota of this.#further) quota.spend(cost, nowMs);
    return true;
  }

  get held(): Held {
    if (this.#further.length === 0) return this.#first.held;
    return [this.#first.held, ...this.#further.map((quota) => quota.held)];
  }

  waitMs(cost: number, nowMs: number): number {
    let waitMs = this.#first.waitMs(cost, nowMs);
    for (const quota of this.#further) waitMs = Math.max(waitMs, quota.waitMs(cost, nowMs));
    return waitMs;
  }

  dueMs(firstCost: number, nowMs: number): number {
    return firstCost === 0 ? Number.POSITIVE_INFINITY : nowMs + this.waitMs(firstCost, nowMs);
  }

  settle(surplus: number, held: Held, nowMs: number): void {
    const each = typeof held === 'number' ? [held] : held;
    [this.#first, ...this.#further].forEach((quota, index) => {
      if (surplus < 0) quota.spend(-surplus, nowMs);
      else quota.giveBack(surplus, each[index] ?? Number.NEGATIVE_INFINITY, nowMs);
    });
  }

  /** Pauses the first limit only: emptying the quota of a day would close the bucket for a day. */
  pause(untilMs: number, nowMs: number): void {
    this.#first.pause(untilMs, nowMs);
  }

  resume(nowMs: number): void {
    this.#first.resume(nowMs);
  }

  pausedMs(nowMs: number): number {
    return this.#first.pausedMs(nowMs);
  }

  /** Changes the first limit; further limits stay as they are. */
  setRate(rate: Quota, nowMs: number): void {
    this.#first.setRate(rate, nowMs);
  }
}
