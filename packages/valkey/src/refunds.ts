import type { Amounts, StoreCall } from './store-call.ts';

/** Tokens to return to the store or to charge there, in millionths of each unit. One call settles many. */
export class Refunds {
  readonly #units: number;
  /** What to return, by the state of the bucket at the time of the lease. */
  readonly #unspent = new Map<string, number[]>();
  /** What to charge. */
  #owed: number[];
  #inFlight = 0;
  /** When to call the store; `Infinity` if there is nothing to do. */
  dueMs: number = Number.POSITIVE_INFINITY;

  constructor(units: number) {
    this.#units = units;
    this.#owed = this.#nothing();
  }

  #nothing(): number[] {
    return new Array<number>(this.#units).fill(0);
  }

  get #isOwing(): boolean {
    return this.#owed.some((amount) => amount > 0);
  }

  get busy(): boolean {
    return this.#unspent.size > 0 || this.#isOwing || this.#inFlight > 0;
  }

  /** Returns leased tokens of a unit by `dueMs`. */
  add(unit: number, amount: number, leaseState: string, dueMs: number): void {
    if (amount <= 0) return;
    const amounts = this.#unspent.get(leaseState) ?? this.#nothing();
    amounts[unit] = (amounts[unit] as number) + amount;
    this.#unspent.set(leaseState, amounts);
    this.dueMs = Math.min(this.dueMs, dueMs);
  }

  /** Charges tokens of a unit that were spent without a lease. */
  owe(unit: number, amount: number): void {
    if (amount <= 0) return;
    this.#owed[unit] = (this.#owed[unit] as number) + amount;
    this.dueMs = Number.NEGATIVE_INFINITY;
  }

  /** The calls to make now. */
  next(nowMs: number): StoreCall[] {
    if (nowMs < this.dueMs) return [];
    const calls = [...this.#unspent].map(
      ([leaseState, amounts]): StoreCall => ({
        ...{ mode: 'refund', amounts: amounts.map(Math.floor), leaseState },
      }),
    );
    if (this.#isOwing) calls.push({ mode: 'spend', amounts: this.#owed.map(Math.ceil) });
    this.#unspent.clear();
    this.#owed = this.#nothing();
    this.dueMs = Number.POSITIVE_INFINITY;
    this.#inFlight += calls.length;
    return calls;
  }

  /**
   * A call has ended. A failed refund may have arrived, so it is never repeated: those tokens are lost. A charge is repeated.
   *
   * @param isOver true if the call succeeded, or if nothing is repeated after the end
   */
  answered(call: { readonly mode: 'refund' | 'spend'; readonly amounts: Amounts }, isOver: boolean): void {
    this.#inFlight -= 1;
    if (isOver || call.mode === 'refund') return;
    for (const [unit, amount] of call.amounts.entries()) this.owe(unit, amount);
  }
}
