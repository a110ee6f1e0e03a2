import type { Quota } from '@ebb/core/bucket';
import type { BucketView } from './bucket-view.ts';
import type { FleetSetup } from './options.ts';

/** The mean cost of a request is a moving average over about so many calls. */
const COST_SAMPLES = 16;

/** A process may lease this much more than the average process, so that the average can grow. */
const GROWTH = 1.1;

const ONE_TOKEN = 1e6;

/** A store that answers within this time is near: the spending meanwhile is negligible. In milliseconds. */
const NEAR_MS = 5;

/** A unit's part of a reply. */
export interface UnitReply {
  readonly granted: number;
  readonly emptyInMs: number;
  readonly averageLease: number;
}

/**
 * The size of a process's leases of one unit, by the need of its queue, its spending, and the store's replies. Every process leases for
 * about the same number of requests, whatever their cost, so the fleet advances like one queue. A lease covers at most half of the
 * process's own queue, and about as much as other processes lease. Amounts are millionths of a token.
 */
export class LeaseSize {
  readonly #setup: FleetSetup;
  readonly #limit: () => Quota;
  readonly #view: Pick<BucketView, 'processes'>;
  /**
   * If no request waits and less than this is leased, more is leased; below 0 while the store has none to spare.
   */
  #lowWater = 0;
  /** How long the store takes to answer, in milliseconds; 0 for one that is near. */
  farMs = 0;
  #roundTripMs = 0;
  /** The amount to lease for the time of a round trip. */
  #window = 0;
  /** How long after the last reply its tokens came, in milliseconds. */
  #emptyInMs = 0;
  /** The amount that was leased and not returned, and the part counted as spent in `#spentPerMs`. */
  #leased = 0;
  #counted = 0;
  /** How fast tokens are spent: an exponential moving average over about the last `#overMs`. */
  #spentPerMs = 0;
  #overMs: number;
  #countedAtMs: number;
  #lastLease = 0;
  /** The average lease of a process whose requests wait; `Infinity` if none has waited yet. */
  #fleetAverage = Number.POSITIVE_INFINITY;
  /** The mean cost of a request; 0 before the first. */
  #meanCost = 0;

  constructor(setup: FleetSetup, limit: () => Quota, view: Pick<BucketView, 'processes'>, nowMs: number) {
    this.#setup = setup;
    this.#limit = limit;
    this.#view = view;
    this.#overMs = setup.aheadMs;
    this.#countedAtMs = nowMs;
  }

  get #refillPerMs(): number {
    return this.#limit().refillPerSecond * 1_000;
  }

  /** Whether to lease in advance with `left` tokens leased. */
  isLow(left: number): boolean {
    return left < this.#lowWater;
  }

  /** With as many tokens leased no other lease is needed yet. */
  enoughFor(totalCost: number): number {
    if (totalCost === 0) return this.#lowWater;
    const forQueue = Math.min(totalCost / 2, this.#fairShare(this.#setup.queueAheadMs) / 2, this.#lastLease);
    // The expected spending until the tokens of a call from now arrive.
    return this.farMs === 0
      ? forQueue
      : Math.max(forQueue, this.#window * (1 + this.#emptyInMs / this.farMs));
  }

  /** The least amount to lease in advance. */
  get least(): number {
    return Math.min(ONE_TOKEN, this.#limit().capacity * 1e6);
  }

  /** How much of what is available to lease at most, with `left` tokens leased. */
  mostAvailable(totalCost: number, left: number, nowMs: number): number {
    this.#countSpent(this.#leased - left, nowMs);
    // If no request waits, tokens left below the low-water mark do not shorten the lease.
    const expected = totalCost > 0 ? this.#expectedSpend : 1.25 * this.#expectedSpend;
    return Math.ceil(totalCost + expected - left);
  }

  /** How many requests this process's part of the refill pays for in a turn, and the most that all of them may cost. */
  forQueue(count: number, totalCost: number): { readonly requests: number; readonly most: number } {
    this.#meanCost += (totalCost / count - this.#meanCost) / (this.#meanCost === 0 ? 1 : COST_SAMPLES);
    // A unit that costs nothing sets no bound.
    const requests =
      this.#meanCost === 0
        ? Number.POSITIVE_INFINITY
        : this.#fairShare(this.#setup.queueAheadMs) / this.#meanCost;
    // Only whole requests are leased for, so the fraction is rounded at random.
    const most = this.#fleetAverage * GROWTH + this.#meanCost * this.#setup.random();
    return { requests, most };
  }

  /** How many future tokens to lease while no request waits. */
  get ahead(): number {
    const share = this.#fairShare(this.#setup.aheadMs + this.farMs);
    return Math.min(Math.max(this.#expectedSpend, this.onTheWay), share);
  }

  #countSpent(spent: number, nowMs: number): void {
    const elapsedMs = nowMs - this.#countedAtMs;
    const lately = spent - this.#counted;
    this.#counted = spent;
    this.#countedAtMs = nowMs;
    if (elapsedMs <= 0) {
      this.#spentPerMs += lately / this.#overMs;
      return;
    }
    const weight = 1 - Math.exp(-elapsedMs / this.#overMs);
    this.#spentPerMs += (lately / elapsedMs - this.#spentPerMs) * weight;
  }

  /** The expected spending until the next call is answered. */
  get onTheWay(): number {
    return this.farMs === 0 ? 0 : this.#window;
  }

  /** The expected spending of this process within `aheadMs` and a round trip. */
  get #expectedSpend(): number {
    return this.#spentPerMs * (this.#setup.aheadMs + this.farMs);
  }

  /** This process's part of the tokens that come in within `durationMs`. */
  #fairShare(durationMs: number): number {
    return (this.#refillPerMs * durationMs) / Math.max(1, this.#view.processes);
  }

  /**
   * The store answered a call after so long.
   *
   * @param isDry true if requests wait, and nothing was left for them
   */
  answered(roundTripMs: number, { granted, emptyInMs }: UnitReply, isDry: boolean): void {
    // The shortest counts, and is forgotten slowly: in a process that is held up many replies look late.
    const later = roundTripMs - this.#roundTripMs;
    this.#roundTripMs += later < 0 || this.#roundTripMs === 0 ? later : later / 8;
    this.farMs = this.#roundTripMs > NEAR_MS ? this.#roundTripMs : 0;
    this.#overMs = this.#setup.aheadMs + 2 * this.farMs;
    // The store had more than was asked for, so requests wait for the round trip. Else other processes wait as well, and grow as fast: by
    // real spending, since tokens idle here are lost to the others.
    const isSpare = emptyInMs * this.#refillPerMs <= granted;
    const spentMeanwhile = this.#spentPerMs * this.farMs;
    let wanted = this.#window * 0.9;
    if (isDry) wanted = isSpare ? 4 * Math.max(this.#window, granted) : 3 * spentMeanwhile;
    this.#window = Math.min(Math.max(wanted, spentMeanwhile, ONE_TOKEN), this.#fairShare(this.farMs));
  }

  /** The store leased tokens. */
  granted({ granted, emptyInMs, averageLease }: UnitReply): void {
    const { aheadMs } = this.#setup;
    this.#leased += granted;
    this.#lastLease = granted;
    this.#emptyInMs = Math.max(0, emptyInMs);
    this.#fleetAverage = averageLease || Number.POSITIVE_INFINITY;
    // If requests anywhere wait for future tokens, none can be leased in advance.
    const ahead = this.#spentPerMs * (aheadMs / 4 + this.farMs);
    this.#lowWater = emptyInMs > aheadMs + this.farMs ? -1 : ahead;
  }

  /** The store has none for a while. */
  refused(): void {
    this.#lowWater = -1;
  }

  /** Leased tokens were returned to the store. */
  returned(amount: number): void {
    this.#leased -= amount;
  }

  /** After an outage earlier replies say nothing about the store as it is now. */
  forget(): void {
    this.#lowWater = 0;
  }
}
