import type { StoreCall } from './store-call.ts';

/** A call that has no reply after so long will never get one. In milliseconds. */
const GIVEN_UP_MS = 10_000;

/** The calls without a reply, those that are given up included. */
export class PendingCalls {
  readonly #sentAtMs = new Map<StoreCall, number>();

  sent(call: StoreCall, nowMs: number): void {
    this.#sentAtMs.set(call, nowMs);
  }

  /** A call has ended for good. Replies come in order: with a reply, earlier calls without one will not get any. */
  ended(call: StoreCall, hasReply: boolean): void {
    const sentAtMs = this.#sentAtMs.get(call) ?? Number.NEGATIVE_INFINITY;
    this.#sentAtMs.delete(call);
    for (const [other, atMs] of this.#sentAtMs) {
      if (hasReply && atMs < sentAtMs) this.#sentAtMs.delete(other);
    }
  }

  /** How many calls of the last 10 s have no reply. */
  count(nowMs: number): number {
    for (const [call, atMs] of this.#sentAtMs) {
      if (nowMs - atMs > GIVEN_UP_MS) this.#sentAtMs.delete(call);
    }
    return this.#sentAtMs.size;
  }
}
