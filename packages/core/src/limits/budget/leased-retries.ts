/** A report of a process to the store of a shared budget, and its request for retries. */
export interface LeaseCall {
  /** Successful requests since the previous call. */
  readonly deposits: number;
  /** Leased retries that are not needed. */
  readonly returned: number;
  /** Retries to lease. */
  readonly wanted: number;
}

/** How often a process leases, and for how long a lease is valid. */
export interface LeaseTerms {
  /** The shortest time between two calls, in milliseconds. */
  readonly aheadMs: number;
  /** How long a leased retry is valid, in milliseconds: as long as a success counts. */
  readonly windowMs: number;
}

/** How many of `wanted` retries the store leases: at most half of its balance, except that a single retry may be the last. */
export function leaseOf(wanted: number, balance: number): number {
  return Math.min(wanted, Math.max(Math.min(1, balance), Math.floor(balance / 2)));
}

/** Retries that were leased together, and expire together. */
interface Batch {
  left: number;
  readonly untilMs: number;
}

/** A batch is returned when less than this share of its time is left. */
const LAST_PART = 0.1;

/**
 * The part of one process in a retry budget that a store keeps for a fleet. It decides when to call the store and with what,
 * and makes no call itself.
 *
 * `withdraw` is synchronous, so retries are leased in advance: one for each request in flight, from its start. A retry is
 * charged when it is leased. If a process ends, its leased retries are lost to the fleet; none is ever spent twice.
 */
export class LeasedRetries {
  readonly #terms: LeaseTerms;
  /** Oldest first. */
  #batches: Batch[] = [];
  /** Requests in flight, if `begin` and `end` are called. */
  #open = 0;
  /** True once `begin` was called. */
  #isCounted = false;
  /** These four since the last call. */
  #begun = 0;
  #deposits = 0;
  #missed = 0;
  #returned = 0;
  #isAsked = false;
  #calledAtMs = Number.NEGATIVE_INFINITY;
  #isCalling = false;
  /** Withdrawals that may be refunded, and when the last of them expires. */
  #withdrawn = 0;
  #withdrawnUntilMs = 0;

  constructor(terms: LeaseTerms) {
    this.#terms = terms;
  }

  /** The number of retries that can be spent now. */
  leased(nowMs: number): number {
    this.#dropExpired(nowMs);
    return this.#count;
  }

  get #count(): number {
    let count = 0;
    for (const { left } of this.#batches) count += left;
    return count;
  }

  begin(nowMs: number): void {
    this.#isCounted = true;
    this.#open += 1;
    this.#begun += 1;
    if (this.leased(nowMs) < this.#open) this.#isAsked = true;
  }

  end(): void {
    if (this.#open > 0) this.#open -= 1;
  }

  deposit(): void {
    this.#deposits += 1;
  }

  withdraw(nowMs: number): boolean {
    this.#dropExpired(nowMs);
    this.#isAsked = true;
    const [oldest] = this.#batches;
    if (oldest === undefined) {
      this.#missed += 1;
      return false;
    }
    this.#withdrawn += 1;
    this.#withdrawnUntilMs = oldest.untilMs;
    oldest.left -= 1;
    if (oldest.left === 0) this.#batches.shift();
    return true;
  }

  refund(nowMs: number): void {
    if (this.#withdrawn === 0) return;
    this.#withdrawn -= 1;
    if (this.#withdrawnUntilMs > nowMs) this.#batches.unshift({ left: 1, untilMs: this.#withdrawnUntilMs });
    else this.#returned += 1;
  }

  /** When to call the store, in milliseconds; `Infinity` if there is nothing to report, and during a call. */
  get dueMs(): number {
    const isIdle = this.#isCounted && this.#open === 0 && this.#batches.length > 0;
    const isDirty = this.#deposits > 0 || this.#returned > 0 || this.#isAsked || isIdle;
    return isDirty && !this.#isCalling ? this.#calledAtMs + this.#terms.aheadMs : Infinity;
  }

  /** Starts the next call. {@link callEnded} must follow. */
  call(nowMs: number): LeaseCall {
    this.#dropExpired(nowMs);
    // Between sequential requests the retries are kept: otherwise the next request would find none.
    const isIdle = this.#isCounted && this.#open === 0 && this.#begun === 0;
    this.#returnEndingBy(isIdle ? Infinity : nowMs + LAST_PART * this.#terms.windowMs);
    // Without `begin` one retry is leased in advance, and more after failures that found none.
    const goal = Math.max(this.#isCounted ? this.#begun : 2 * this.#missed, this.#open, 1);
    const wanted = isIdle ? 0 : Math.max(0, goal - this.#count);
    const call: LeaseCall = { deposits: this.#deposits, returned: this.#returned, wanted };
    this.#deposits = 0;
    this.#returned = 0;
    this.#begun = 0;
    this.#missed = 0;
    this.#isAsked = false;
    this.#isCalling = true;
    this.#calledAtMs = nowMs;
    return call;
  }

  /** The call has ended. A failed call is not repeated, because it may have reached the store. */
  callEnded(): void {
    this.#isCalling = false;
  }

  /** A call that was sent at `sentAtMs` has leased `count` retries. */
  granted(count: number, sentAtMs: number): void {
    if (count > 0) this.#batches.push({ left: count, untilMs: sentAtMs + this.#terms.windowMs });
  }

  /** Returns the successes that were not reported yet. They will not be reported. */
  takeDeposits(): number {
    const deposits = this.#deposits;
    this.#deposits = 0;
    return deposits;
  }

  /** No more requests come: the next call returns all retries. */
  close(): void {
    this.#isCounted = true;
    this.#open = 0;
    this.#begun = 0;
    this.#isAsked = false;
  }

  #returnEndingBy(endingByMs: number): void {
    for (const { left, untilMs } of this.#batches) if (untilMs < endingByMs) this.#returned += left;
    this.#batches = this.#batches.filter(({ untilMs }) => untilMs >= endingByMs);
  }

  #dropExpired(nowMs: number): void {
    while (this.#batches[0] !== undefined && this.#batches[0].untilMs <= nowMs) this.#batches.shift();
  }
}
