import type { Quota } from '@ebb/core/bucket';
import type { LeaseMark } from './store-call.ts';

/**
 * Tokens that were leased and not spent yet. They come in at the bucket's rate, the last of them at `availableAtMs`.
 */
export interface Lease {
  /** Tokens left, in millionths. */
  left: number;
  availableAtMs: number;
  /** When the rest is returned to the store. */
  expiresAtMs: number;
  /** Where the lease has left the bucket. A refund hands it in. */
  readonly mark: LeaseMark;
}

/** Tokens that leave the pool unspent. */
export type Unspent = Pick<Lease, 'left' | 'mark'>;

/** Sums of times are rounded, so this many millionths of a token may seem to be missing. */
const ROUNDING = 0.5;

/** The tokens that this process has leased, in millionths. The oldest lease is spent first. */
export class LeasePool {
  readonly #leases: Lease[] = [];
  readonly #limit: () => Quota;
  /** All tokens in the pool, future ones included. */
  left = 0;
  /** The lease that the last tokens were taken from. */
  lastUsed: Lease | undefined;

  /** @param limit of the unit, as it is at the time */
  constructor(limit: () => Quota) {
    this.#limit = limit;
  }

  /** How many millionths come in per millisecond. */
  get #refillPerMs(): number {
    return this.#limit().refillPerSecond * 1_000;
  }

  /** No lease expires before then: the first request in the queue needs all of them together. */
  keepUntil(expiresAtMs: number): void {
    for (const lease of this.#leases) lease.expiresAtMs = Math.max(lease.expiresAtMs, expiresAtMs);
  }

  add(lease: Lease): void {
    // The store leases one stretch of time after the other, so earlier leases are available before this one starts.
    this.moveEarlier(lease.availableAtMs - lease.left / this.#refillPerMs);
    this.#leases.push(lease);
    this.left += lease.left;
  }

  /** Takes the tokens if they are available. */
  take(amount: number, nowMs: number): boolean {
    const first = this.#leases[0];
    // The fast path: one lease has all of them.
    if (
      first !== undefined &&
      first.left > amount &&
      first.availableAtMs <= nowMs &&
      nowMs <= first.expiresAtMs
    ) {
      first.left -= amount;
      this.left -= amount;
      this.lastUsed = first;
      return true;
    }
    return this.#takeFromMany(amount, nowMs);
  }

  /** Whether the tokens are available. */
  has(amount: number, nowMs: number): boolean {
    let available = 0;
    for (const lease of this.#leases) {
      if (nowMs > lease.expiresAtMs) continue;
      const future = Math.max(0, lease.availableAtMs - nowMs) * this.#refillPerMs;
      available += Math.max(0, Math.min(lease.left, lease.left - future));
    }
    return available + ROUNDING >= amount;
  }

  #takeFromMany(amount: number, nowMs: number): boolean {
    if (!this.has(amount, nowMs)) return false;
    let lacking = amount;
    for (const lease of this.#leases) {
      if (nowMs > lease.expiresAtMs) continue;
      const taken = Math.min(lacking, lease.left);
      lease.left -= taken;
      this.left -= taken;
      lacking -= taken;
      this.lastUsed = lease;
      if (lacking <= 0) break;
    }
    while (this.#leases[0]?.left === 0) this.#leases.shift();
    return true;
  }

  /** How long until as many tokens are available, in milliseconds; `undefined` if the pool does not hold as many. */
  waitMs(amount: number, nowMs: number): number | undefined {
    let sum = 0;
    for (const lease of this.#leases) {
      if (nowMs > lease.expiresAtMs) continue;
      sum += lease.left;
      if (sum >= amount) return Math.max(0, lease.availableAtMs - (sum - amount) / this.#refillPerMs - nowMs);
    }
    return undefined;
  }

  /** When the next lease expires; `Infinity` if there is none. */
  get nextExpiryMs(): number {
    return this.#leases.reduce((end, lease) => Math.min(end, lease.expiresAtMs), Number.POSITIVE_INFINITY);
  }

  /**
   * Moves leases to an earlier time after other processes returned tokens. According to the store all leased tokens,
   * here and elsewhere, are available at `endMs`: the last lease ends there at the latest, and each other one before
   * the next begins. Returns whether any lease moved.
   */
  moveEarlier(endMs: number): boolean {
    let moved = false;
    let byMs = endMs;
    for (let at = this.#leases.length - 1; at >= 0; at -= 1) {
      const lease = this.#leases[at] as Lease;
      const earlierMs = lease.availableAtMs - byMs;
      if (earlierMs > 0) {
        lease.availableAtMs -= earlierMs;
        lease.expiresAtMs -= earlierMs;
        moved = true;
      }
      byMs = lease.availableAtMs - lease.left / this.#refillPerMs;
    }
    return moved;
  }

  /** No request waits any longer: every lease expires at most `idleMs` after it is available. */
  shortenExpiry(idleMs: number, nowMs: number): void {
    for (const lease of this.#leases) {
      lease.expiresAtMs = Math.min(lease.expiresAtMs, Math.max(lease.availableAtMs, nowMs) + idleMs);
    }
  }

  /** Takes out the leases that have expired. */
  expire(nowMs: number): Unspent[] {
    return this.#takeOut((lease) => nowMs >= lease.expiresAtMs);
  }

  /** Takes out all leases. */
  clear(): Unspent[] {
    return this.#takeOut(() => true);
  }

  #takeOut(matches: (lease: Lease) => boolean): Unspent[] {
    const out = this.#leases.filter(matches);
    for (const lease of out) {
      this.left -= lease.left;
      this.#leases.splice(this.#leases.indexOf(lease), 1);
    }
    return out;
  }

  /** Takes out tokens beyond `needed`, the latest first, as long as their lease is not available by `farMs`. */
  trim(needed: number, farMs: number): Unspent[] {
    const out: Unspent[] = [];
    for (let lease = this.#leases.at(-1); lease !== undefined; lease = this.#leases.at(-1)) {
      const left = Math.floor(Math.min(lease.left, this.left - needed));
      if (left <= 0 || lease.availableAtMs <= farMs) break;
      out.push({ left, mark: lease.mark });
      lease.left -= left;
      lease.availableAtMs -= left / this.#refillPerMs;
      this.left -= left;
      if (lease.left > 0) break;
      this.#leases.pop();
    }
    return out;
  }
}
