import { QuotaState, type StateSetup } from './quota-state.ts';
import type { TokenSource } from './token-source.ts';

/** A grant that is never settled is charged after this time, in milliseconds. */
const LONGEST_HELD_MS = 600_000;

/** What a grant holds back until it is settled. */
interface HeldBack {
  readonly cost: number;
  /** When it is charged at the latest. */
  readonly untilMs: number;
}

/** What {@link MemoryTokens.settle} needs later: what had been taken from the limit then, or what the grant holds back. */
export type Held = number | HeldBack;

/** How a limit in memory is set up. */
export interface MemoryLimit extends StateSetup {
  /** True to charge grants when they are settled, and to hold back what is in flight. */
  readonly settled: boolean;
}

/** The tokens of one limit in memory. */
export class MemoryTokens extends QuotaState implements TokenSource<Held> {
  readonly holds: boolean;
  /** What is held back, in the order in which it was granted; `undefined` if nothing ever was. */
  #inFlight: Set<HeldBack> | undefined;
  #sum = 0;
  /** Nothing is held back for longer before this. */
  #nextMs = Number.POSITIVE_INFINITY;
  /** What the last grant holds back. */
  #last: Held | undefined;

  constructor(limit: MemoryLimit) {
    super(limit);
    this.holds = limit.settled;
  }

  override tokens(nowMs: number): number {
    this.#expire(nowMs);
    return super.tokens(nowMs) - this.#sum;
  }

  isIdle(nowMs: number): boolean {
    return this.tokens(nowMs) >= this.capacity;
  }

  /** Whether the tokens are available. In a pause it is as if it had ended now. {@link charge} then takes them. */
  has(cost: number, nowMs: number): boolean {
    this.#expire(nowMs);
    return this.ask(cost + this.#sum, nowMs);
  }

  override take(cost: number, nowMs: number): boolean {
    if (!this.holds) return super.take(cost, nowMs);
    if (this.pausedMs(nowMs) > 0 || !this.has(cost, nowMs)) return false;
    this.#last = this.charge(cost, nowMs);
    return true;
  }

  get held(): Held {
    return this.#last ?? this.taken;
  }

  /** Takes the tokens that {@link has} was asked for just now. */
  charge(cost: number, nowMs: number): Held {
    if (!this.holds) {
      this.takeAsked(cost);
      return this.taken;
    }
    const held = { cost, untilMs: nowMs + LONGEST_HELD_MS };
    this.#inFlight ??= new Set();
    this.#inFlight.add(held);
    this.#sum += cost;
    this.#nextMs = Math.min(this.#nextMs, held.untilMs);
    return held;
  }

  override waitMs(cost: number, nowMs: number): number {
    this.#expire(nowMs);
    return super.waitMs(cost + this.#sum, nowMs);
  }

  dueMs(firstCost: number, nowMs: number): number {
    if (firstCost === 0) return Number.POSITIVE_INFINITY;
    const dueMs = nowMs + this.waitMs(firstCost, nowMs);
    // What comes in is not enough: something in flight must be settled first.
    return firstCost + this.#sum > this.capacity ? Math.max(dueMs, this.#nextMs) : dueMs;
  }

  settle(surplus: number, held: Held, nowMs: number): void {
    this.#expire(nowMs);
    if (typeof held !== 'number' && this.#release(held)) this.spend(held.cost - surplus, nowMs);
    // Part of an earlier grant: a server that has seen that has counted it.
    else if (surplus < 0) this.spend(-surplus, nowMs, 0);
    else if (typeof held === 'number') this.giveBack(surplus, held, nowMs);
  }

  /** Returns false if it was charged before. */
  #release(held: HeldBack): boolean {
    if (this.#inFlight?.delete(held) !== true) return false;
    // Reset when nothing is left, so that rounding errors do not add up.
    this.#sum = this.#inFlight.size === 0 ? 0 : this.#sum - held.cost;
    return true;
  }

  #expire(nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = Number.POSITIVE_INFINITY;
    for (const held of this.#inFlight ?? []) {
      if (held.untilMs > nowMs) {
        this.#nextMs = held.untilMs;
        return;
      }
      this.#release(held);
      this.spend(held.cost, held.untilMs);
    }
  }

  atMost(left: number, nowMs: number): void {
    const over = this.tokens(nowMs) + this.#sum - left;
    if (over > 0) this.spend(over, nowMs);
  }

  /**
   * What an answer leaves for more requests: the server may not have seen yet what was granted since, nor what others are known
   * to have taken since. Of that half the capacity at most: a server that answers late, and has counted all of it before, must not stop everything.
   */
  heard(left: number, held: Held): number {
    // 0 of a grant that has taken nothing here. What is held back is part of what is left.
    const since = typeof held === 'number' && held > 0 ? this.taken - held : 0;
    return left - Math.min(since, this.capacity / 2);
  }
}
