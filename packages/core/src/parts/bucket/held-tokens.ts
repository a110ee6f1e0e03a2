import type { TokenSource } from './token-source.ts';
import { Tokens } from './tokens.ts';

/** A grant that is never settled is charged after this time, in milliseconds. */
const LONGEST_HELD_MS = 600_000;

/** What a grant holds back until it is settled. */
interface HeldBack {
  readonly cost: number;
  /** When it is charged at the latest. */
  readonly untilMs: number;
}

/** The tokens of a limit that charges grants when they are settled, and holds back what is in flight. */
export class HeldTokens extends Tokens implements TokenSource<unknown> {
  readonly holds = true;
  /** In the order in which it was granted. */
  readonly #inFlight = new Set<HeldBack>();
  #sum = 0;
  /** Nothing is held back for longer before this. */
  #nextMs = Number.POSITIVE_INFINITY;
  #last: unknown;

  override tokens(nowMs: number): number {
    this.#expire(nowMs);
    return super.tokens(nowMs) - this.#sum;
  }

  override has(cost: number, nowMs: number): boolean {
    this.#expire(nowMs);
    return super.has(cost + this.#sum, nowMs);
  }

  override take(cost: number, nowMs: number): boolean {
    if (this.pausedMs(nowMs) > 0 || !this.has(cost, nowMs)) return false;
    this.#last = this.charge(cost, nowMs);
    return true;
  }

  override get held(): never {
    return this.#last as never;
  }

  override charge(cost: number, nowMs: number): HeldBack {
    const held = { cost, untilMs: nowMs + LONGEST_HELD_MS };
    this.#inFlight.add(held);
    this.#sum += cost;
    this.#nextMs = Math.min(this.#nextMs, held.untilMs);
    return held;
  }

  override waitMs(cost: number, nowMs: number): number {
    this.#expire(nowMs);
    return super.waitMs(cost + this.#sum, nowMs);
  }

  override dueMs(firstCost: number, nowMs: number): number {
    const dueMs = super.dueMs(firstCost, nowMs);
    // What comes in is not enough: something in flight must be settled first.
    return firstCost + this.#sum > this.capacity ? Math.max(dueMs, this.#nextMs) : dueMs;
  }

  override settle(surplus: number, held: unknown, nowMs: number): void {
    this.#expire(nowMs);
    if (this.#release(held as HeldBack)) this.spend((held as HeldBack).cost - surplus, nowMs);
    else if (surplus < 0) this.spend(-surplus, nowMs, 0);
  }

  /** Returns false if it was charged before. */
  #release(held: HeldBack): boolean {
    if (!this.#inFlight.delete(held)) return false;
    // Reset when nothing is left, so that rounding errors do not add up.
    this.#sum = this.#inFlight.size === 0 ? 0 : this.#sum - held.cost;
    return true;
  }

  #expire(nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = Number.POSITIVE_INFINITY;
    for (const held of this.#inFlight) {
      if (held.untilMs > nowMs) {
        this.#nextMs = held.untilMs;
        return;
      }
      this.#release(held);
      this.spend(held.cost, held.untilMs);
    }
  }

  /** The server counts tokens that are held back among those that are left. */
  override atMost(left: number, nowMs: number): void {
    super.atMost(left - this.#sum, nowMs);
  }

  override heard(left: number): number {
    return left;
  }
}
