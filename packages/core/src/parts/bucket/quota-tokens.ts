import { type Amount, inUnit } from '../../queue/queue.ts';
import type { TokenSource } from './token-source.ts';
import { Tokens, type TokensSetup } from './tokens.ts';

type Amounts = readonly number[];

/** Tokens of several units in memory. They are taken from all units, or from none. */
export class QuotaTokens implements TokenSource<readonly unknown[], Amounts> {
  readonly limits: readonly Tokens[];
  held: readonly unknown[] = [];
  readonly holds: boolean;
  /** The unit that fills fastest. A pause empties this one alone: emptying the quota of a day would close the bucket for a day. */
  readonly fastest: number;
  readonly #names: readonly string[];
  /** The unit of the last wait, and that which was lacking most at the last take in vain. */
  #slowest = 0;
  #lacking = 0;

  constructor(names: readonly string[], limits: readonly TokensSetup[]) {
    this.#names = names;
    this.limits = limits.map((limit) => new Tokens(limit));
    this.holds = this.limits.some(({ holds }) => holds);
    const fillTimes = limits.map(({ capacity, refillPerSecond }) => capacity / refillPerSecond);
    this.fastest = fillTimes.indexOf(Math.min(...fillTimes));
  }

  get #fastest(): Tokens {
    return this.limits[this.fastest] as Tokens;
  }

  get capacity(): Amounts {
    return this.limits.map((limit) => limit.capacity);
  }

  get refillPerSecond(): Amounts {
    return this.limits.map((limit) => limit.refillPerSecond);
  }

  get lacking(): string | undefined {
    return this.#names[this.#lacking];
  }

  take(cost: Amounts, nowMs: number): boolean {
    const { limits } = this;
    if (this.pausedMs(nowMs) > 0) return false;
    for (let unit = 0; unit < limits.length; unit += 1) {
      const part = cost[unit] as number;
      if (part === 0 || (limits[unit] as Tokens).has(part, nowMs)) continue;
      this.waitMs(cost, nowMs);
      this.#lacking = this.#slowest;
      return false;
    }
    // 0 where it takes nothing: there the last was another's.
    const held: unknown[] = cost.slice();
    for (let unit = 0; unit < limits.length; unit += 1) {
      const part = cost[unit] as number;
      if (part > 0) held[unit] = (limits[unit] as Tokens).charge(part, nowMs);
    }
    this.held = held;
    return true;
  }

  waitMs(cost: Amounts, nowMs: number): number {
    let longestMs = this.pausedMs(nowMs);
    for (let unit = 0; unit < this.limits.length; unit += 1) {
      const part = cost[unit] as number;
      const waitMs = part > 0 ? (this.limits[unit] as Tokens).waitMs(part, nowMs) : 0;
      if (waitMs <= longestMs) continue;
      longestMs = waitMs;
      this.#slowest = unit;
    }
    return longestMs;
  }

  dueMs(firstCost: Amounts | 0, nowMs: number): number {
    if (firstCost === 0) return Number.POSITIVE_INFINITY;
    let dueMs = nowMs + this.pausedMs(nowMs);
    for (let unit = 0; unit < this.limits.length; unit += 1) {
      const part = firstCost[unit] as number;
      if (part > 0) dueMs = Math.max(dueMs, (this.limits[unit] as Tokens).dueMs(part, nowMs));
    }
    return dueMs;
  }

  settle(surplus: Amounts, held: readonly unknown[], nowMs: number): void {
    for (let unit = 0; unit < this.limits.length; unit += 1) {
      const part = surplus[unit] as number;
      const back = held[unit];
      if (part !== 0 || typeof back !== 'number') (this.limits[unit] as Tokens).settle(part, back, nowMs);
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
