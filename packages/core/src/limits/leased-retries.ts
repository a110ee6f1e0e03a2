/** What a process reports to the keeper of a shared budget, and what it asks for. */
export interface LeaseCall {
  /** Requests that went well since the call before. */
  readonly deposits: number;
  /** Retries that were leased and are not needed. */
  readonly returned: number;
  /** Retries to be leased. */
  readonly wanted: number;
}

/** When a lease is made, and for how long it holds. */
export interface LeaseTerms {
  /** The shortest time between two calls, in milliseconds. */
  readonly aheadMs: number;
  /** How long a retry that is leased may be spent, in milliseconds: as long as a success counts. */
  readonly windowMs: number;
}

/** How many of `wanted` retries the keeper leases: at most half of its balance, but the last one if it is asked for. */
export function leaseOf(wanted: number, balance: number): number {
  return Math.min(wanted, Math.max(Math.min(1, balance), Math.floor(balance / 2)));
}

/** Leased retries that expire together. */
interface Batch {
  left: number;
  readonly untilMs: number;
}

/** A batch is handed back when less than this part of its time is left. */
const LAST_PART = 0.1;

/**
 * The part of one process in a retry budget that is kept elsewhere. It says when the keeper is to be called and
 * with what, and makes no call itself.
 *
 * A retry is leased before it is needed, because `withdraw` has to return at once: one for each request that is
 * under way, from its beginning on. It is charged when it is leased. What is lost with a process is lost to the
 * fleet, and none is spent twice.
 */
export class LeasedRetries {
  readonly #terms: LeaseTerms;
  /** The oldest first. */
  #batches: Batch[] = [];
  /** Requests under way, if `begin` and `end` are called. */
  #open = 0;
  #isCounted = false;
  /** Since the last call. */
  #begun = 0;
  #deposits = 0;
  #missed = 0;
  #returned = 0;
  #isAsked = false;
  #calledAtMs = Number.NEGATIVE_INFINITY;
  #isCalling = false;
  /** How many may be refunded, and until when the last of them was good. */
  #withdrawn = 0;
  #withdrawnUntilMs = 0;

  constructor(terms: LeaseTerms) {
    this.#terms = terms;
  }

  /** How many retries can be spent now. */
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

  /** When to call the keeper; `Infinity` while there is nothing to say, or a call is under way. */
  get dueMs(): number {
    const isIdle = this.#isCounted && this.#open === 0 && this.#batches.length > 0;
    const isDirty = this.#deposits > 0 || this.#returned > 0 || this.#isAsked || isIdle;
    return isDirty && !this.#isCalling ? this.#calledAtMs + this.#terms.aheadMs : Number.POSITIVE_INFINITY;
  }

  /** The next call. {@link callEnded} is to follow. */
  call(nowMs: number): LeaseCall {
    this.#dropExpired(nowMs);
    // Requests may come one after the other: if all went back in between, the next would find nothing.
    const isIdle = this.#isCounted && this.#open === 0 && this.#begun === 0;
    this.#handBack(isIdle ? Number.POSITIVE_INFINITY : nowMs + LAST_PART * this.#terms.windowMs);
    // Without `begin` there is one in advance, and more after failures that found none.
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

  /** The call is over. It is not repeated if it failed, because it may have arrived. */
  callEnded(): void {
    this.#isCalling = false;
  }

  /** So many retries were leased, by a call that was sent at this time. */
  granted(count: number, sentAtMs: number): void {
    if (count > 0) this.#batches.push({ left: count, untilMs: sentAtMs + this.#terms.windowMs });
  }

  /** Returns the successes that were not reported yet, and does not report them. */
  takeDeposits(): number {
    const deposits = this.#deposits;
    this.#deposits = 0;
    return deposits;
  }

  /** No more requests come: the next call hands all back. */
  close(): void {
    this.#isCounted = true;
    this.#open = 0;
    this.#begun = 0;
    this.#isAsked = false;
  }

  #handBack(endingByMs: number): void {
    for (const { left, untilMs } of this.#batches) if (untilMs < endingByMs) this.#returned += left;
    this.#batches = this.#batches.filter(({ untilMs }) => untilMs >= endingByMs);
  }

  #dropExpired(nowMs: number): void {
    while (this.#batches[0] !== undefined && this.#batches[0].untilMs <= nowMs) this.#batches.shift();
  }
}
