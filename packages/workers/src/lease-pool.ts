import { gcra } from '@ebb/core/bucket';

/** Tokens of a stretch of time, which come in at the rate of the bucket. No two leases of an object share a stretch. */
interface Lease {
  left: number;
  /** When the last of them comes in. */
  endMs: number;
}

/** A token may be spent at least so long after it has come in, in milliseconds: the event loop may stall. */
const LEAST_GRACE_MS = 50;

/**
 * The tokens that this isolate has leased and not spent. Each expires in the time in which the bucket fills, from when it was leased and
 * had come in.
 */
export class LeasePool {
  /** All of them, future ones included. */
  left = 0;
  /** When the last of the tokens came in that were taken last. */
  takenAtMs = 0;
  #leases: Lease[] = [];
  readonly #perMs: number;
  readonly #fillMs: number;

  constructor({ refillPerSecond, capacity }: gcra.Quota) {
    this.#perMs = refillPerSecond / 1_000;
    this.#fillMs = capacity / this.#perMs;
  }

  /** @param endMs when the last of the tokens comes in, or came in */
  add(tokens: number, endMs: number, nowMs: number): void {
    // Leases follow each other, so those before it end before it begins. A faster reply shows that they end sooner than known.
    let byMs = endMs - tokens / this.#perMs;
    for (const lease of this.#leases.toReversed()) {
      lease.endMs = Math.min(lease.endMs, byMs);
      byMs = lease.endMs - lease.left / this.#perMs;
    }
    this.#leases.push({ left: tokens, endMs: Math.max(nowMs, endMs) });
    this.left += tokens;
  }

  /** Takes back tokens that were taken and not used. @param takenAtMs of these tokens */
  giveBack(tokens: number, takenAtMs: number): void {
    this.#leases.unshift({ left: tokens, endMs: takenAtMs });
    this.left += tokens;
  }

  #available({ left, endMs }: Lease, nowMs: number): number {
    return Math.max(0, left - Math.max(0, endMs - nowMs) * this.#perMs);
  }

  #slack(nowMs: number): number {
    return gcra.slackMs(this.#fillMs, nowMs) * this.#perMs;
  }

  /** Takes the tokens if all of them are available. */
  take(cost: number, nowMs: number): boolean {
    const available = this.#leases.reduce((sum, lease) => sum + this.#available(lease, nowMs), 0);
    if (available + this.#slack(nowMs) < cost) return false;
    // None of a later lease is available before all of an earlier one.
    let lacking = cost;
    for (const lease of this.#leases) {
      const taken = Math.min(lacking, lease.left);
      if (taken === 0) break;
      lease.left -= taken;
      lacking -= taken;
      this.takenAtMs = lease.endMs - lease.left / this.#perMs;
    }
    this.#tidy();
    return true;
  }

  /** How long until as many tokens are available, in milliseconds; `undefined` if the pool does not hold as many. */
  waitMs(cost: number, nowMs: number): number | undefined {
    let sum = 0;
    for (const { left, endMs } of this.#leases) {
      sum += left;
      if (sum + this.#slack(nowMs) >= cost)
        return Math.max(0, endMs - Math.max(0, sum - cost) / this.#perMs - nowMs);
    }
    return undefined;
  }

  /** Discards what has expired. */
  expire(nowMs: number): void {
    const sinceMs = nowMs - Math.max(LEAST_GRACE_MS, this.#fillMs);
    for (const lease of this.#leases)
      lease.left = Math.min(lease.left, (lease.endMs - sinceMs) * this.#perMs);
    this.#tidy();
  }

  #tidy(): void {
    this.#leases = this.#leases.filter(({ left }) => left > 0);
    this.left = this.#leases.reduce((sum, { left }) => sum + left, 0);
  }

  clear(): void {
    this.#leases = [];
    this.left = 0;
  }
}
