import { type Amount, inUnit } from '../../queue/queue.ts';
import type { Quota } from './gcra.ts';
import { Level, type LevelSetup } from './level.ts';
import type { TokenSource } from './token-source.ts';

type Amounts = readonly number[];

/** How the tokens of a unit start. */
export interface UnitSetup extends LevelSetup {
  /** True to charge tokens when they are settled, and to hold them back until then. */
  readonly chargeOn: 'grant' | 'completion';
}

/** Tokens that are never settled are charged after this time, in milliseconds. */
const LONGEST_HELD_MS = 600_000;

/** Tokens that are held back until they are settled. */
interface HeldBack {
  readonly cost: number;
  /** When it is charged at the latest. */
  readonly untilMs: number;
}

/** Tokens that are charged when they are settled, and held back until then. */
class CompletionTokens extends Level {
  /** In the order in which it was granted. */
  readonly #inFlight = new Set<HeldBack>();
  #lastHeld: HeldBack | undefined;
  /** The sum of the tokens in flight. */
  #heldBack = 0;

  /** The sum of the tokens in flight. Tokens that were in flight for too long are charged first. */
  #heldBackAt(nowMs: number): number {
    for (const held of this.#inFlight) {
      if (held.untilMs > nowMs) break;
      this.#release(held);
      super.spend(held.cost, held.untilMs);
    }
    return this.#heldBack;
  }

  /** Returns false if it was charged before. */
  #release(held: HeldBack): boolean {
    if (!this.#inFlight.delete(held)) return false;
    // Reset when nothing is left, so that rounding errors do not add up.
    this.#heldBack = this.#inFlight.size === 0 ? 0 : this.#heldBack - held.cost;
    return true;
  }

  override get held(): unknown {
    return this.#lastHeld;
  }

  override tokens(nowMs: number): number {
    const heldBack = this.#heldBackAt(nowMs);
    return super.tokens(nowMs) - heldBack;
  }

  override take(cost: number, nowMs: number): boolean {
    if (this.waitMs(cost, nowMs) > 0) return false;
    this.#lastHeld = { cost, untilMs: nowMs + LONGEST_HELD_MS };
    this.#inFlight.add(this.#lastHeld);
    this.#heldBack += cost;
    return true;
  }

  override waitMs(cost: number, nowMs: number): number {
    return super.waitMs(cost + this.#heldBackAt(nowMs), nowMs);
  }

  override dueMs(firstCost: number, nowMs: number): number {
    const dueMs = super.dueMs(firstCost, nowMs);
    const [first] = this.#inFlight;
    // New tokens may not be enough: tokens in flight must be settled first.
    const isEnough = first === undefined || firstCost + this.#heldBack <= this.capacity;
    return isEnough ? dueMs : Math.max(dueMs, first.untilMs);
  }

  override settle(surplus: number, held: unknown, nowMs: number): void {
    this.#heldBackAt(nowMs);
    const inFlight = held as HeldBack;
    if (this.#release(inFlight)) this.spend(inFlight.cost - surplus, nowMs);
    else if (surplus < 0) this.spend(-surplus, nowMs);
  }

  /** Held tokens come out of those that are left. */
  override atMost(left: number, nowMs: number): void {
    this.#heldBackAt(nowMs);
    super.atMost(left, nowMs);
  }
}

/** Tokens of several units in memory. Tokens are taken from all units, or from none. */
export class QuotaTokens implements TokenSource<readonly unknown[], Amounts> {
  readonly limits: readonly Level[];
  capacity: Amounts = [];
  held: readonly unknown[] = [];
  /** The unit that fills fastest. A pause empties this one alone: emptying the quota of a day would close the bucket for a day. */
  readonly fastest: number;
  readonly #names: readonly string[];
  /** The unit of the last wait, and that which was lacking most at the last take in vain. */
  #slowest = 0;
  #lacking = 0;

  /** @param nowMs when it is made */
  constructor(names: readonly string[], limits: readonly UnitSetup[], nowMs: number) {
    this.#names = names;
    this.limits = limits.map(
      (limit) => new (limit.chargeOn === 'completion' ? CompletionTokens : Level)(limit, nowMs),
    );
    this.capacity = this.limits.map(({ capacity }) => capacity);
    const fillTimes = limits.map(({ capacity, refillPerSecond }) => capacity / refillPerSecond);
    this.fastest = fillTimes.indexOf(Math.min(...fillTimes));
  }

  limitAt(unit: number): Level {
    return this.limits[unit] as Level;
  }

  get #fastest(): Level {
    return this.limitAt(this.fastest);
  }

  setRate(unit: number, rate: Quota, nowMs: number): void {
    this.limitAt(unit).setRate(rate, nowMs);
    this.capacity = this.limits.map(({ capacity }) => capacity);
  }

  get refillPerSecond(): Amounts {
    return this.limits.map((limit) => limit.refillPerSecond);
  }

  get lacking(): string | undefined {
    return this.#names[this.#lacking];
  }

  take(cost: Amounts, nowMs: number): boolean {
    if (this.pausedMs(nowMs) > 0) return false;
    if (this.waitMs(cost, nowMs) > 0) {
      this.#lacking = this.#slowest;
      return false;
    }
    // 0 where it takes nothing: there the last was another's.
    const held: unknown[] = cost.slice();
    for (let unit = 0; unit < this.limits.length; unit += 1) {
      const limit = this.limitAt(unit);
      const part = inUnit(cost, unit);
      if (part > 0 && limit.take(part, nowMs)) held[unit] = limit.held;
    }
    this.held = held;
    return true;
  }

  waitMs(cost: Amounts, nowMs: number): number {
    let longestMs = this.pausedMs(nowMs);
    for (let unit = 0; unit < this.limits.length; unit += 1) {
      const part = inUnit(cost, unit);
      const waitMs = part > 0 ? this.limitAt(unit).waitMs(part, nowMs) : 0;
      if (waitMs <= longestMs) continue;
      longestMs = waitMs;
      this.#slowest = unit;
    }
    return longestMs;
  }

  dueMs(firstCost: Amounts | 0, nowMs: number): number {
    if (firstCost === 0) return Infinity;
    let dueMs = nowMs + this.pausedMs(nowMs);
    for (let unit = 0; unit < this.limits.length; unit += 1) {
      const part = inUnit(firstCost, unit);
      if (part > 0) dueMs = Math.max(dueMs, this.limitAt(unit).dueMs(part, nowMs));
    }
    return dueMs;
  }

  settle(surplus: Amounts, held: readonly unknown[], nowMs: number): void {
    for (let unit = 0; unit < this.limits.length; unit += 1) {
      const part = inUnit(surplus, unit);
      const back = held[unit];
      if (part !== 0 || typeof back !== 'number') this.limitAt(unit).settle(part, back, nowMs);
    }
  }

  heard(left: Amount, held: readonly unknown[] | undefined): Amounts {
    return this.limits.map((limit, unit) => limit.heard(inUnit(left, unit), held?.[unit]));
  }

  atMost(left: Amount, nowMs: number): void {
    this.limits.forEach((limit, unit) => {
      limit.atMost(inUnit(left, unit), nowMs);
    });
  }

  pause(untilMs: number, nowMs: number): void {
    this.#fastest.pause(untilMs, nowMs);
  }

  resume(nowMs: number): void {
    this.#fastest.resume(nowMs);
  }

  pausedMs(nowMs: number): number {
    return this.#fastest.pausedMs(nowMs);
  }

  tokens(nowMs: number): Amounts {
    return this.limits.map((limit) => limit.tokens(nowMs));
  }

  isIdle(nowMs: number): boolean {
    return this.limits.every((limit) => limit.isIdle(nowMs));
  }
}
