import type { Backlog } from './backlog.ts';
import { LeaseSize } from './lease-size.ts';
import type { FleetSetup } from './options.ts';
import { Refusal } from './refusal.ts';
import type { Reply, TokenLeaseCall } from './store-call.ts';

/** How fast a process spends tokens: an exponential moving average over about the last `overMs`. */
class SpendRate {
  overMs: number;
  #perMs = 0;
  #sinceMs: number;

  constructor(overMs: number, nowMs: number) {
    this.overMs = overMs;
    this.#sinceMs = nowMs;
  }

  get perMs(): number {
    return this.#perMs;
  }

  /** Records what was spent since the last call. Steps may have any length. */
  record(spent: number, nowMs: number): void {
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs <= 0) {
      this.#perMs += spent / this.overMs;
      return;
    }
    const weight = 1 - Math.exp(-elapsedMs / this.overMs);
    this.#perMs += (spent / elapsedMs - this.#perMs) * weight;
    this.#sinceMs = nowMs;
  }
}

const ONE_TOKEN = 1e6;

/** A store that answers within this time is near: what is spent meanwhile is not worth a thought. In milliseconds. */
const NEAR_MS = 5;

/**
 * How much to lease, by what the queue needs, what the process spends, and what the store replied. Amounts are
 * millionths of a token.
 */
export class LeasePlan {
  readonly #setup: FleetSetup;
  readonly #spendRate: SpendRate;
  readonly #size: LeaseSize;
  readonly #refusal: Refusal;
  /**
   * If no request waits and the pool holds less than this, it is refilled; below 0 while the store has none to spare.
   */
  #lowWater = 0;
  /** How long the store takes to answer, in milliseconds; 0 for one that is near. */
  farMs = 0;
  #roundTripMs = 0;
  /** What is leased for the time of a round trip. It grows fourfold while that is too little. */
  #window = 0;
  /** What was leased and not returned, and how much of it `#spendRate` has counted as spent. */
  #leased = 0;
  #recordedSpend = 0;

  /** `processes` returns how many processes share the bucket, at least 1. */
  constructor(setup: FleetSetup, processes: () => number, nowMs: number) {
    this.#setup = setup;
    this.#spendRate = new SpendRate(setup.aheadMs, nowMs);
    this.#size = new LeaseSize(setup, processes);
    this.#refusal = new Refusal(setup.refillPerSecond * 1_000);
  }

  /** Whether to lease in advance with `left` tokens in the pool. */
  isLow(left: number): boolean {
    return left < this.#lowWater;
  }

  /** The call to make; `undefined` if `left` tokens are enough or the store would refuse. */
  callFor(backlog: Backlog, left: number, nowMs: number): TokenLeaseCall | undefined {
    const { firstCost, firstDeadlineMs, totalCost } = backlog;
    const lacking = firstCost - left;
    const forQueue = this.#size.enoughFor(totalCost);
    const enough =
      totalCost === 0 ? this.#lowWater : this.farMs === 0 ? forQueue : Math.max(forQueue, this.#lowWater);
    if (lacking <= 0 && left >= enough) return undefined;
    const { capacity, nonConforming } = this.#setup;
    const minAmount = Math.ceil(lacking > 0 ? lacking : Math.min(ONE_TOKEN, capacity * 1e6));
    // Only requests that wait can use future tokens.
    const byMs = nonConforming === 'delay' ? firstDeadlineMs : nowMs;
    if (this.#refusal.covers(minAmount, byMs, nowMs)) return undefined;
    const spent = this.#leased - left;
    this.#spendRate.record(spent - this.#recordedSpend, nowMs);
    this.#recordedSpend = spent;
    // If no one waits, what is left below the low-water mark does not shorten the lease.
    const expected = totalCost > 0 ? this.#expectedSpend : 1.25 * this.#expectedSpend;
    const maxAvailable = Math.max(minAmount, Math.ceil(totalCost + expected - left));
    const future = nonConforming === 'delay' ? this.#futureFor(backlog, left) : 0;
    const maxFuture = Math.max(minAmount, Math.ceil(future));
    return { mode: 'lease', minAmount, maxAvailable, maxFuture, withinMs: byMs - nowMs };
  }

  /**
   * A call was answered after so long.
   *
   * @param isDry true if requests wait, and nothing was left for them
   */
  answered(roundTripMs: number, { granted, emptyInMs }: Reply, isDry: boolean): void {
    // The shortest counts, and is forgotten slowly: in a process that is held up many replies look late.
    const later = roundTripMs - this.#roundTripMs;
    this.#roundTripMs += later < 0 || this.#roundTripMs === 0 ? later : later / 8;
    this.farMs = this.#roundTripMs > NEAR_MS ? this.#roundTripMs : 0;
    this.#spendRate.overMs = this.#setup.aheadMs + 2 * this.farMs;
    // The store had more than was asked for, so it is the round trip that requests wait for.
    const isSpare = emptyInMs * this.#setup.refillPerSecond * 1_000 <= granted;
    const spentMeanwhile = this.#spendRate.perMs * this.farMs;
    const wanted = isDry && isSpare ? 4 * Math.max(this.#window, granted) : this.#window * 0.9;
    this.#window = Math.min(Math.max(wanted, spentMeanwhile, ONE_TOKEN), this.#size.fairShare(this.farMs));
  }

  /** What will be spent until the next call is answered. */
  get onTheWay(): number {
    return this.farMs === 0 ? 0 : this.#window;
  }

  /** How many future tokens to lease. */
  #futureFor(backlog: Backlog, left: number): number {
    if (backlog.count > 0) return this.#size.forQueue(backlog, left) + this.onTheWay;
    const share = this.#size.fairShare(this.#setup.aheadMs + this.farMs);
    return Math.min(Math.max(this.#expectedSpend, this.onTheWay), share);
  }

  /** What this process is expected to spend within `aheadMs`. */
  get #expectedSpend(): number {
    return this.#spendRate.perMs * (this.#setup.aheadMs + this.farMs);
  }

  /** The store leased tokens. */
  granted({ granted, emptyInMs, averageLease }: Reply): void {
    this.#leased += granted;
    this.#size.record(granted, averageLease);
    // If requests anywhere wait for future tokens, none can be leased in advance.
    const ahead = this.#spendRate.perMs * (this.#setup.aheadMs / 4 + this.farMs);
    this.#lowWater = emptyInMs > this.#setup.aheadMs + this.farMs ? -1 : ahead;
    this.#refusal.clear();
  }

  /** The store refused a call: its tokens come after the deadline of the first request. */
  refused(call: TokenLeaseCall, sentAtMs: number, { waitMs }: Reply, nowMs: number): void {
    this.#refusal.set(call.minAmount, sentAtMs + call.withinMs, nowMs + waitMs);
    this.#lowWater = -1;
  }

  /** When to ask again for the waiting requests after a refusal; `Infinity` if none stands. */
  retryAtMs(nowMs: number): number {
    return this.#refusal.retryAtMs(nowMs);
  }

  /** Whether the store has said that as many more tokens come after `byMs`. */
  isTooLate(lacking: number, byMs: number, nowMs: number): boolean {
    return this.#refusal.covers(lacking, byMs, nowMs);
  }

  /** Leased tokens were returned to the store. */
  returned(amount: number): void {
    this.#leased -= amount;
  }

  /** The store replied: all tokens leased so far are available at `emptyAtMs`. */
  observe(emptyAtMs: number): void {
    this.#refusal.observe(emptyAtMs);
  }

  /** Called after an outage: earlier refusals say nothing about the store as it is now. */
  forgetRefusal(): void {
    this.#lowWater = 0;
    this.#refusal.clear();
  }
}
