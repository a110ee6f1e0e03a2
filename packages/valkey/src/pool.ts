/** Tokens that were leased and are not spent: those of a stretch of the bucket's time, of which one ends. */
export interface Lease {
  /** Millionths of a token. */
  left: number;
  /** When the last of them is there; they come in at the bucket's rate before. */
  availableAtMs: number;
  /** What is left then is given back. */
  expiresAtMs: number;
  /** The state of the bucket just after. */
  readonly state: string;
}

/** What leaves the pool unspent. */
export type Unspent = Pick<Lease, 'left' | 'state'>;

/** Sums of times are a little off. What lacks less than this, in millionths of a token, is there. */
const SLACK = 0.5;

/** The tokens that this process has leased, in millionths. They are spent in the order in which they came. */
export class LeasePool {
  readonly #leases: Lease[] = [];
  readonly #refillPerMs: number;
  /** How many there are, those to come included. */
  left = 0;
  /** The lease out of which the last of them were taken. */
  last: Lease | undefined;

  /** `refillPerMs` is how many millionths come in each millisecond. */
  constructor(refillPerMs: number) {
    this.#refillPerMs = refillPerMs;
  }

  /** `keep`: the first in line needs these and those that are there, so all are good for as long. */
  add(lease: Lease, keep: boolean): void {
    if (keep) {
      for (const other of this.#leases) other.expiresAtMs = Math.max(other.expiresAtMs, lease.expiresAtMs);
    }
    // The store gave it what came after all that it had leased before.
    this.comeForward(lease.availableAtMs - lease.left / this.#refillPerMs);
    this.#leases.push(lease);
    this.left += lease.left;
  }

  /** Takes the tokens, if they are there. */
  take(amount: number, nowMs: number): boolean {
    const first = this.#leases[0];
    // Mostly it is as easy as this.
    if (
      first !== undefined &&
      first.left > amount &&
      first.availableAtMs <= nowMs &&
      nowMs <= first.expiresAtMs
    ) {
      first.left -= amount;
      this.left -= amount;
      this.last = first;
      return true;
    }
    return this.#takeFromMany(amount, nowMs);
  }

  #takeFromMany(amount: number, nowMs: number): boolean {
    let there = 0;
    for (const lease of this.#leases) {
      if (nowMs > lease.expiresAtMs) continue;
      const toCome = Math.max(0, lease.availableAtMs - nowMs) * this.#refillPerMs;
      there += Math.max(0, Math.min(lease.left, lease.left - toCome));
    }
    if (there + SLACK < amount) return false;
    let lacking = amount;
    for (const lease of this.#leases) {
      if (nowMs > lease.expiresAtMs) continue;
      const taken = Math.min(lacking, lease.left);
      lease.left -= taken;
      this.left -= taken;
      lacking -= taken;
      this.last = lease;
      if (lacking <= 0) break;
    }
    while (this.#leases[0]?.left === 0) this.#leases.shift();
    return true;
  }

  /** How long until so many are there; `undefined` when there never are. */
  waitMs(amount: number, nowMs: number): number | undefined {
    let sum = 0;
    for (const lease of this.#leases) {
      if (nowMs > lease.expiresAtMs) continue;
      sum += lease.left;
      if (sum >= amount) return Math.max(0, lease.availableAtMs - (sum - amount) / this.#refillPerMs - nowMs);
    }
    return undefined;
  }

  /** When the first of them are to be given back. */
  get nextEndMs(): number {
    return this.#leases.reduce((end, lease) => Math.min(end, lease.expiresAtMs), Number.POSITIVE_INFINITY);
  }

  /**
   * All that was ever leased, here and elsewhere, is there at `endMs`: others gave back what came before. So is
   * what was to come later, one lease after the other as before. Refunds whether there was any.
   */
  comeForward(endMs: number): boolean {
    let moved = false;
    let byMs = endMs;
    for (let at = this.#leases.length - 1; at >= 0; at -= 1) {
      const lease = this.#leases[at] as Lease;
      const soonerMs = lease.availableAtMs - byMs;
      if (soonerMs > 0) {
        lease.availableAtMs -= soonerMs;
        lease.expiresAtMs -= soonerMs;
        moved = true;
      }
      byMs = lease.availableAtMs - lease.left / this.#refillPerMs;
    }
    return moved;
  }

  /** No one waits for them any longer: they are good for a while, as tokens leased in advance are. */
  keep(aheadMs: number, nowMs: number): void {
    for (const lease of this.#leases) {
      lease.expiresAtMs = Math.min(lease.expiresAtMs, Math.max(lease.availableAtMs, nowMs) + aheadMs);
    }
  }

  /** Takes those out that are to be given back now. */
  expire(nowMs: number): Unspent[] {
    return this.#takeOut((lease) => nowMs >= lease.expiresAtMs);
  }

  /** Takes all out. */
  clear(): Unspent[] {
    return this.#takeOut(() => true);
  }

  #takeOut(isMeant: (lease: Lease) => boolean): Unspent[] {
    const out = this.#leases.filter(isMeant);
    for (const lease of out) {
      this.left -= lease.left;
      this.#leases.splice(this.#leases.indexOf(lease), 1);
    }
    return out;
  }

  /** Takes out the last of them, as far as they are more than `needed`, if they are not all there by `farMs`. */
  trim(needed: number, farMs: number): Unspent[] {
    const out: Unspent[] = [];
    for (let lease = this.#leases.at(-1); lease !== undefined; lease = this.#leases.at(-1)) {
      const left = Math.floor(Math.min(lease.left, this.left - needed));
      if (left <= 0 || lease.availableAtMs <= farMs) break;
      out.push({ left, state: lease.state });
      lease.left -= left;
      lease.availableAtMs -= left / this.#refillPerMs;
      this.left -= left;
      if (lease.left > 0) break;
      this.#leases.pop();
    }
    return out;
  }
}
