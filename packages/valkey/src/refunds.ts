import type { Reply, StoreCall } from './store-call.ts';

/** Tokens to return to the store or to charge there, in millionths. One call settles many. */
export class Refunds {
  readonly #call: (call: StoreCall) => Promise<Reply>;
  /** What to return, by the state of the bucket at the time of the lease. */
  readonly #unspent = new Map<string, number>();
  /** What to charge. */
  #owed = 0;
  readonly #inFlight = new Set<Promise<void>>();
  /** When to call the store; `Infinity` if there is nothing to do. */
  dueMs: number = Number.POSITIVE_INFINITY;

  constructor(call: (call: StoreCall) => Promise<Reply>) {
    this.#call = call;
  }

  get busy(): boolean {
    return this.#unspent.size > 0 || this.#owed > 0 || this.#inFlight.size > 0;
  }

  /** Returns leased tokens by `dueMs`. */
  add(amount: number, leaseState: string, dueMs: number): void {
    if (amount <= 0) return;
    this.#unspent.set(leaseState, (this.#unspent.get(leaseState) ?? 0) + amount);
    this.dueMs = Math.min(this.dueMs, dueMs);
  }

  /** Charges tokens that were spent without a lease, with the next {@link flush}. */
  owe(amount: number): void {
    if (amount <= 0) return;
    this.#owed += amount;
    this.dueMs = Number.NEGATIVE_INFINITY;
  }

  /** Calls the store if it is due. */
  flush(nowMs: number): void {
    if (nowMs < this.dueMs) return;
    this.dueMs = Number.POSITIVE_INFINITY;
    const unspent = [...this.#unspent];
    const owed = Math.ceil(this.#owed);
    this.#unspent.clear();
    this.#owed = 0;
    // A failed refund may have arrived, so it is never repeated: those tokens are lost. A failed charge is repeated.
    for (const [leaseState, amount] of unspent) {
      this.#send({ mode: 'refund', amount: Math.floor(amount), leaseState }, () => {});
    }
    if (owed > 0) this.#send({ mode: 'spend', amount: owed }, () => this.owe(owed));
  }

  #send(call: StoreCall, onFailure: () => void): void {
    const sent = this.#call(call).then(() => {}, onFailure);
    this.#inFlight.add(sent);
    void sent.then(() => this.#inFlight.delete(sent));
  }

  /** Resolves when the calls in flight have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#inFlight);
  }
}
