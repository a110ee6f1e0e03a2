import type { Reply, StoreCall } from './store.ts';

/** What is to be given back to the store, and what is to be paid. In millionths of a token. */
export class Refunds {
  readonly #call: (call: StoreCall) => Promise<Reply>;
  /** By the state of the bucket when it was leased. */
  readonly #unspent = new Map<string, number>();
  #owed = 0;
  readonly #underWay = new Set<Promise<void>>();
  /** When to give it back: a little later, so that one call does for many. */
  dueMs: number = Number.POSITIVE_INFINITY;

  constructor(call: (call: StoreCall) => Promise<Reply>) {
    this.#call = call;
  }

  get busy(): boolean {
    return this.#unspent.size > 0 || this.#owed > 0 || this.#underWay.size > 0;
  }

  add(amount: number, leaseState: string, dueMs: number): void {
    if (amount <= 0) return;
    this.#unspent.set(leaseState, (this.#unspent.get(leaseState) ?? 0) + amount);
    this.dueMs = Math.min(this.dueMs, dueMs);
  }

  owe(amount: number): void {
    if (amount <= 0) return;
    this.#owed += amount;
    this.dueMs = Number.NEGATIVE_INFINITY;
  }

  /** Sends what is due. */
  flush(nowMs: number): void {
    if (nowMs < this.dueMs) return;
    this.dueMs = Number.POSITIVE_INFINITY;
    const unspent = [...this.#unspent];
    const owed = Math.ceil(this.#owed);
    this.#unspent.clear();
    this.#owed = 0;
    // What could not be given back is lost, and never given twice; what could not be paid is still owed.
    for (const [leaseState, amount] of unspent) {
      this.#send({ mode: 'refund', amount: Math.floor(amount), leaseState }, () => {});
    }
    if (owed > 0) this.#send({ mode: 'spend', amount: owed }, () => this.owe(owed));
  }

  #send(call: StoreCall, onFailure: () => void): void {
    const sent = this.#call(call).then(() => {}, onFailure);
    this.#underWay.add(sent);
    void sent.then(() => this.#underWay.delete(sent));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
