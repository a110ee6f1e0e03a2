import type { Quota } from './gcra.ts';
import type { QuotaState } from './quota-state.ts';
import type { TokenSource } from './token-source.ts';

/** A state for each limit that {@link MemoryTokens.settle} needs later. A plain number if there is only one limit. */
export type Held = number | readonly number[];

/** The limits of one bucket in memory. Tokens are taken from all of them, or from none. */
export class MemoryTokens implements TokenSource<Held> {
  readonly #first: QuotaState;
  readonly #all: readonly QuotaState[];

  constructor(first: QuotaState, further: readonly QuotaState[]) {
    this.#first = first;
    this.#all = [first, ...further];
  }

  get refillPerSecond(): number {
    return this.#first.refillPerSecond;
  }

  /** The capacity of the first limit. */
  get ownCapacity(): number {
    return this.#first.capacity;
  }

  get capacity(): number {
    return Math.min(...this.#all.map((quota) => quota.capacity));
  }

  tokens(nowMs: number): number {
    return Math.min(...this.#all.map((quota) => quota.tokens(nowMs)));
  }

  isIdle(nowMs: number): boolean {
    return this.#all.every((quota) => quota.tokens(nowMs) >= quota.capacity);
  }

  take(cost: number, nowMs: number): boolean {
    const all = this.#all;
    if (all.length === 1) return this.#first.take(cost, nowMs);
    if (this.waitMs(cost, nowMs) > 0) return false;
    for (const quota of all) quota.spend(cost, nowMs);
    return true;
  }

  get held(): Held {
    return this.#all.length === 1 ? this.#first.held : this.#all.map((quota) => quota.held);
  }

  waitMs(cost: number, nowMs: number): number {
    let waitMs = 0;
    for (const quota of this.#all) waitMs = Math.max(waitMs, quota.waitMs(cost, nowMs));
    return waitMs;
  }

  dueMs(firstCost: number, nowMs: number): number {
    return firstCost === 0 ? Number.POSITIVE_INFINITY : nowMs + this.waitMs(firstCost, nowMs);
  }

  settle(surplus: number, held: Held, nowMs: number): void {
    const each = [held].flat() as readonly number[];
    this.#all.forEach((quota, index) => {
      if (surplus < 0) quota.spend(-surplus, nowMs);
      else quota.giveBack(surplus, each[index] as number, nowMs);
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
