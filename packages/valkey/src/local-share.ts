import { gcra } from '@ebb/core';

/**
 * What a process lets go by itself while the store cannot be reached: its share of the rate and of the
 * capacity, from empty, so that an outage is no burst. Tokens are in millionths.
 */
export class LocalShare {
  readonly #quota: gcra.Quota;
  #emptyAtMs: number;
  spent = 0;

  constructor(perMs: number, capacity: number, emptyAtMs: number) {
    this.#quota = { refillPerSecond: perMs * 1_000, capacity, refillIntervalMs: 0 };
    this.#emptyAtMs = emptyAtMs;
  }

  /** One that asks for more than the share holds goes when that is full, and leaves a debt. */
  take(amount: number, nowMs: number): boolean {
    if (this.turnMs(amount, nowMs) > 0) return false;
    this.charge(amount, nowMs);
    return true;
  }

  charge(amount: number, nowMs: number): void {
    this.#emptyAtMs = gcra.spend(this.#quota, this.#emptyAtMs, amount, nowMs);
    this.spent += amount;
  }

  /** How long until one that is the first may go. */
  turnMs(amount: number, nowMs: number): number {
    return this.waitMs(Math.min(amount, this.#quota.capacity), nowMs);
  }

  /** How long until so many have come in. */
  waitMs(amount: number, nowMs: number): number {
    return gcra.waitMs(this.#quota, this.#emptyAtMs, amount, nowMs);
  }

  tokens(nowMs: number): number {
    return gcra.tokensAt(this.#quota, this.#emptyAtMs, nowMs);
  }

  pause(untilMs: number): void {
    this.#emptyAtMs = Math.max(this.#emptyAtMs, untilMs);
  }

  /** The most that can have been spent in the last so many milliseconds. */
  spentIn(durationMs: number): number {
    if (durationMs <= 0) return 0;
    const { refillPerSecond, capacity } = this.#quota;
    return Math.min(this.spent, capacity + (durationMs * refillPerSecond) / 1_000);
  }
}
