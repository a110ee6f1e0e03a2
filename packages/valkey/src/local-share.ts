import type { Random } from '@ebb/core';
import { gcra } from '@ebb/core/bucket';

/**
 * The tokens of one process while the store is unreachable: its share of the rate and of the capacity. The share starts
 * empty, so that an outage causes no burst. Amounts are millionths of a token.
 */
export class LocalShare {
  #quota: gcra.Quota;
  readonly #random: Random;
  #emptyAtMs: number;
  /** By how much pauses have put `#emptyAtMs` off. */
  #pausedMs = 0;
  /** All that was charged. */
  spent = 0;
  /** The tokens collected so far for a request that costs more than the share's capacity. */
  #collected = 0;
  /** Whether this process was delayed at random before it began to collect. */
  #isStaggered = false;

  constructor(perMs: number, capacity: number, emptyAtMs: number, random: Random) {
    this.#random = random;
    this.#quota = { refillPerSecond: perMs * 1_000, capacity };
    this.#emptyAtMs = emptyAtMs;
  }

  /**
   * Whether the tokens are available. A request that costs more than the share's capacity collects them over several calls.
   * Without a random delay the processes of a fleet would all collect, and send, at the same time.
   */
  collect(amount: number, nowMs: number): boolean {
    const { capacity } = this.#quota;
    if (amount <= capacity) this.#collected = Math.min(this.#collected, capacity);
    else if (!this.#isStaggered) {
      this.#isStaggered = true;
      this.charge(amount * this.#random(), nowMs);
    }
    if (this.headWaitMs(amount, nowMs) > 0) return false;
    const lacking = amount - this.#collected;
    if (lacking <= capacity) return true;
    this.charge(capacity, nowMs);
    this.#collected += capacity;
    return false;
  }

  /** Takes tokens that {@link collect} has found. */
  take(amount: number, nowMs: number): void {
    const paid = Math.max(0, amount - this.#collected);
    this.charge(paid, nowMs);
    this.#collected = Math.max(0, this.#collected + paid - amount);
  }

  /** Changes the share by a factor. Spent tokens stay spent, and a larger share has no more tokens at first. */
  resize(factor: number, nowMs: number): void {
    const { refillPerSecond, capacity } = this.#quota;
    const tokens = Math.min(this.tokens(nowMs), capacity * factor);
    this.#quota = { refillPerSecond: refillPerSecond * factor, capacity: capacity * factor };
    this.#emptyAtMs = nowMs - (tokens / this.#quota.refillPerSecond) * 1_000;
  }

  charge(amount: number, nowMs: number): void {
    this.#emptyAtMs = gcra.spend(this.#quota, this.#emptyAtMs, amount, nowMs);
    this.spent += amount;
  }

  /** How long until the first request in the queue can take its tokens, or collect more, in milliseconds. */
  headWaitMs(amount: number, nowMs: number): number {
    const lacking = amount - this.#collected;
    return lacking <= 0 ? 0 : this.waitMs(Math.min(lacking, this.#quota.capacity), nowMs);
  }

  /** How long until as many tokens have come in, in milliseconds. */
  waitMs(amount: number, nowMs: number): number {
    return gcra.waitMs(this.#quota, this.#emptyAtMs, amount, nowMs);
  }

  /** The tokens that are available; below 0 if they are spent in advance. */
  tokens(nowMs: number): number {
    return gcra.tokensAt(this.#quota, this.#emptyAtMs, nowMs);
  }

  /** Empties the share until then. */
  pause(untilMs: number): void {
    const laterMs = Math.max(0, untilMs - this.#emptyAtMs);
    this.#emptyAtMs += laterMs;
    this.#pausedMs += laterMs;
  }

  /** Ends a pause so many milliseconds early. */
  resume(earlierMs: number): void {
    this.#emptyAtMs -= Math.min(earlierMs, this.#pausedMs);
    this.#pausedMs = 0;
  }

  /** An upper bound of the amount spent in the last `durationMs`. */
  maxSpentIn(durationMs: number): number {
    if (durationMs <= 0) return 0;
    const { refillPerSecond, capacity } = this.#quota;
    return Math.min(this.spent, capacity + (durationMs * refillPerSecond) / 1_000);
  }
}
