import type { Amounts, LeaseMark, StoreCall, TokenLeaseCall, UnspentLease } from './store-call.ts';

/** The most leases to return in one call: a script holds up the store while it runs. */
const LEASES_PER_CALL = 32;

/** Tokens to return to the store or to charge there, in millionths of each unit. A single call settles many leases. */
export class Refunds {
  readonly #units: number;
  /** The amounts to return, by lease. */
  readonly #unspent = new Map<LeaseMark, number[]>();
  /** The amounts to charge. */
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
  add(unit: number, amount: number, mark: LeaseMark, dueMs: number): void {
    if (amount <= 0) return;
    const amounts = this.#unspent.get(mark) ?? this.#nothing();
    amounts[unit] = (amounts[unit] as number) + amount;
    this.#unspent.set(mark, amounts);
    this.dueMs = Math.min(this.dueMs, dueMs);
  }

  /** Charges tokens of a unit that were spent without a lease, by `dueMs`. */
  owe(unit: number, amount: number, dueMs: number = Number.NEGATIVE_INFINITY): void {
    if (amount <= 0) return;
    this.#owed[unit] = (this.#owed[unit] as number) + amount;
    this.dueMs = Math.min(this.dueMs, dueMs);
  }

  /** Returns the refunds and charges to send along with a call for a lease, due or not, which saves a call. */
  along(): Pick<TokenLeaseCall, 'leases' | 'spent'> {
    return this.busy ? { leases: this.#take(), spent: this.#takeOwed() } : {};
  }

  /** The calls to make now. */
  next(nowMs: number): StoreCall[] {
    if (nowMs < this.dueMs) return [];
    const calls: StoreCall[] = [];
    while (this.#unspent.size > 0) calls.push({ mode: 'refund', leases: this.#take() });
    const amounts = this.#takeOwed();
    if (amounts !== undefined) calls.push({ mode: 'spend', amounts });
    this.dueMs = Number.POSITIVE_INFINITY;
    this.#inFlight += calls.length;
    return calls;
  }

  /** Takes the leases to return in one call. */
  #take(): UnspentLease[] {
    const leases: UnspentLease[] = [];
    for (const [mark, amounts] of this.#unspent) {
      if (leases.length === LEASES_PER_CALL) break;
      this.#unspent.delete(mark);
      leases.push({ amounts: amounts.map(Math.floor), mark });
    }
    if (this.#unspent.size === 0) this.dueMs = Number.POSITIVE_INFINITY;
    return leases;
  }

  #takeOwed(): Amounts | undefined {
    if (!this.#isOwing) return undefined;
    const owed = this.#owed.map(Math.ceil);
    this.#owed = this.#nothing();
    return owed;
  }

  /**
   * A call has ended. A failed refund may have arrived, so it is never repeated: those tokens are lost. A charge is repeated.
   *
   * @param isOver true if the call succeeded, or if nothing is repeated after the end
   */
  answered(call: Extract<StoreCall, { mode: 'lease' | 'refund' | 'spend' }>, isOver: boolean): void {
    if (call.mode !== 'lease') this.#inFlight -= 1;
    if (isOver || call.mode === 'refund') return;
    const { spent = [] } = call.mode === 'spend' ? { spent: call.amounts } : call;
    for (const [unit, amount] of spent.entries()) this.owe(unit, amount);
  }
}
