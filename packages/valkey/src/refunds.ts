import type { StoreCall } from './store-call.ts';

/** Tokens to return to the store or to charge there, in millionths. One call settles many. */
export class Refunds {
  /** What to return, by the state of the bucket at the time of the lease. */
  readonly #unspent = new Map<string, number>();
  /** What to charge. */
  #owed = 0;
  #inFlight = 0;
  /** When to call the store; `Infinity` if there is nothing to do. */
  dueMs: number = Number.POSITIVE_INFINITY;

  get busy(): boolean {
    return this.#unspent.size > 0 || this.#owed > 0 || this.#inFlight > 0;
  }

  /** Returns leased tokens by `dueMs`. */
  add(amount: number, leaseState: string, dueMs: number): void {
    if (amount <= 0) return;
    this.#unspent.set(leaseState, (this.#unspent.get(leaseState) ?? 0) + amount);
    this.dueMs = Math.min(this.dueMs, dueMs);
  }

  /** Charges tokens that were spent without a lease. */
  owe(amount: number): void {
    if (amount <= 0) return;
    this.#owed += amount;
    this.dueMs = Number.NEGATIVE_INFINITY;
  }

  /** The calls to make now. */
  next(nowMs: number): StoreCall[] {
    if (nowMs < this.dueMs) return [];
    const calls = [...this.#unspent].map(
      ([leaseState, amount]): StoreCall => ({ mode: 'refund', amount: Math.floor(amount), leaseState }),
    );
    const owed = Math.ceil(this.#owed);
    if (owed > 0) calls.push({ mode: 'spend', amount: owed });
    this.#unspent.clear();
    this.#owed = 0;
    this.dueMs = Number.POSITIVE_INFINITY;
    this.#inFlight += calls.length;
    return calls;
  }

  /**
   * A call has ended. A failed refund may have arrived, so it is never repeated: those tokens are lost. A charge is repeated.
   *
   * @param isOver true if the call succeeded, or if nothing is repeated after the end
   */
  answered(call: StoreCall, isOver: boolean): void {
    this.#inFlight -= 1;
    if (!isOver && call.mode === 'spend') this.owe(call.amount);
  }
}
