import type { Random } from '@ebb/core';
import { gcra } from '@ebb/core/bucket';

/**
 * What a process lets go by itself while the store cannot be reached: its share of the rate and of the
 * capacity, from empty, so that an outage is no burst. Tokens are in millionths.
 */
export class LocalShare {
  readonly #quota: gcra.Quota;
  readonly #random: Random;
  #emptyAtMs: number;
  /** By how much pauses have put that off. */
  #pausedMs = 0;
  spent = 0;
  /** What a request that is larger than the share has collected so far, a fill at a time. */
  #collected = 0;
  #isStaggered = false;

  /** `random` keeps processes apart that all begin to collect at once. */
  constructor(perMs: number, capacity: number, emptyAtMs: number, random: Random) {
    this.#random = random;
    this.#quota = { refillPerSecond: perMs * 1_000, capacity, refillIntervalMs: 0 };
    this.#emptyAtMs = emptyAtMs;
  }

  /** One that asks for more than the share holds collects it before it goes. */
  take(amount: number, nowMs: number): boolean {
    const { capacity } = this.#quota;
    if (amount <= capacity) this.#collected = Math.min(this.#collected, capacity);
    else if (!this.#isStaggered) {
      this.#isStaggered = true;
      this.charge(amount * this.#random(), nowMs);
    }
    if (this.turnMs(amount, nowMs) > 0) return false;
    const lacking = Math.max(0, amount - this.#collected);
    const paid = Math.min(lacking, capacity);
    this.charge(paid, nowMs);
    this.#collected += paid;
    if (lacking > capacity) return false;
    this.#collected = Math.max(0, this.#collected - amount);
    return true;
  }

  charge(amount: number, nowMs: number): void {
    this.#emptyAtMs = gcra.spend(this.#quota, this.#emptyAtMs, amount, nowMs);
    this.spent += amount;
  }

  /** How long until one that is the first may go, or collect more. */
  turnMs(amount: number, nowMs: number): number {
    const lacking = amount - this.#collected;
    return lacking <= 0 ? 0 : this.waitMs(Math.min(lacking, this.#quota.capacity), nowMs);
  }

  /** How long until so many have come in. */
  waitMs(amount: number, nowMs: number): number {
    return gcra.waitMs(this.#quota, this.#emptyAtMs, amount, nowMs);
  }

  tokens(nowMs: number): number {
    return gcra.tokensAt(this.#quota, this.#emptyAtMs, nowMs);
  }

  pause(untilMs: number): void {
    const laterMs = Math.max(0, untilMs - this.#emptyAtMs);
    this.#emptyAtMs += laterMs;
    this.#pausedMs += laterMs;
  }

  /** Ends a pause so many milliseconds before its time. */
  resume(earlierMs: number): void {
    this.#emptyAtMs -= Math.min(earlierMs, this.#pausedMs);
    this.#pausedMs = 0;
  }

  /** The most that can have been spent in the last so many milliseconds. */
  maxSpentIn(durationMs: number): number {
    if (durationMs <= 0) return 0;
    const { refillPerSecond, capacity } = this.#quota;
    return Math.min(this.spent, capacity + (durationMs * refillPerSecond) / 1_000);
  }
}
