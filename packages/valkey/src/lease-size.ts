import type { Backlog } from './backlog.ts';
import type { BucketView } from './bucket-view.ts';
import type { FleetSetup } from './options.ts';
import type { Reply, TokenLeaseCall } from './store-call.ts';

/** The mean cost of a request is a moving average over about so many calls. */
const COST_SAMPLES = 16;

/** A process may lease this much more than the average process, so that the average can grow. */
const GROWTH = 1.1;

const ONE_TOKEN = 1e6;

/** A store that answers within this time is near: what is spent meanwhile is not worth a thought. In milliseconds. */
const NEAR_MS = 5;

/**
 * How much a process leases, by what its queue needs, what it spends, and what the store replied. Every process leases for
 * about as many requests, whatever they cost, so the fleet advances as one queue would. A lease covers at most half of the
 * process's own queue, and about as much as other processes lease. Amounts are millionths of a token.
 */
export class LeaseSize {
  readonly #setup: FleetSetup;
  readonly #refillPerMs: number;
  readonly #view: Pick<BucketView, 'processes'>;
  /**
   * If no request waits and less than this is leased, more is leased; below 0 while the store has none to spare.
   */
  #lowWater = 0;
  /** How long the store takes to answer, in milliseconds; 0 for one that is near. */
  farMs = 0;
  #roundTripMs = 0;
  /** What is leased for the time of a round trip. It grows fourfold while that is too little. */
  #window = 0;
  /** What was leased and not returned, and how much of it `#spentPerMs` has counted as spent. */
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

  constructor(setup: FleetSetup, view: Pick<BucketView, 'processes'>, nowMs: number) {
    this.#setup = setup;
    this.#refillPerMs = setup.refillPerSecond * 1_000;
    this.#view = view;
    this.#overMs = setup.aheadMs;
    this.#countedAtMs = nowMs;
  }

  /** Whether to lease in advance with `left` tokens leased. */
  isLow(left: number): boolean {
    return left < this.#lowWater;
  }

  /** The call to make; `undefined` if `left` tokens are enough. */
  callFor(backlog: Backlog, left: number, nowMs: number): TokenLeaseCall | undefined {
    const { firstCost, firstDeadlineMs, totalCost } = backlog;
    const lacking = firstCost - left;
    if (lacking <= 0 && left >= this.#enoughFor(totalCost)) return undefined;
    const { capacity, nonConforming } = this.#setup;
    const minAmount = Math.ceil(lacking > 0 ? lacking : Math.min(ONE_TOKEN, capacity * 1e6));
    this.#countSpent(this.#leased - left, nowMs);
    // If no one waits, what is left below the low-water mark does not shorten the lease.
    const expected = totalCost > 0 ? this.#expectedSpend : 1.25 * this.#expectedSpend;
    const maxAvailable = Math.max(minAmount, Math.ceil(totalCost + expected - left));
    // Only requests that wait can use future tokens.
    const mayWait = nonConforming === 'delay';
    const future = mayWait ? this.#futureFor(backlog, left) : 0;
    const withinMs = mayWait ? firstDeadlineMs - nowMs : 0;
    return {
      mode: 'lease',
      minAmount,
      maxAvailable,
      maxFuture: Math.max(minAmount, Math.ceil(future)),
      withinMs,
    };
  }

  /** With as many tokens leased no other lease is needed yet. */
  #enoughFor(totalCost: number): number {
    if (totalCost === 0) return this.#lowWater;
    const forQueue = Math.min(totalCost / 2, this.#fairShare(this.#setup.queueAheadMs) / 2, this.#lastLease);
    return this.farMs === 0 ? forQueue : Math.max(forQueue, this.#lowWater);
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

  /** How many future tokens to lease. */
  #futureFor(backlog: Backlog, left: number): number {
    if (backlog.count > 0) return this.#forQueue(backlog, left) + this.onTheWay;
    const share = this.#fairShare(this.#setup.aheadMs + this.farMs);
    return Math.min(Math.max(this.#expectedSpend, this.onTheWay), share);
  }

  /** What to lease for the waiting requests, on top of the `left` tokens that are leased already. */
  #forQueue({ count, totalCost, through }: Backlog, left: number): number {
    this.#meanCost += (totalCost / count - this.#meanCost) / (this.#meanCost === 0 ? 1 : COST_SAMPLES);
    const requests = Math.min(count / 2, this.#fairShare(this.#setup.queueAheadMs) / this.#meanCost);
    // Only whole requests are leased for, so the fraction is rounded at random.
    const most = this.#fleetAverage * GROWTH + this.#meanCost * this.#setup.random();
    return through(left, Math.max(1, Math.floor(requests)), most) - left;
  }

  /** What will be spent until the next call is answered. */
  get onTheWay(): number {
    return this.farMs === 0 ? 0 : this.#window;
  }

  /** What this process is expected to spend within `aheadMs`. */
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
  answered(roundTripMs: number, { granted, emptyInMs }: Reply, isDry: boolean): void {
    // The shortest counts, and is forgotten slowly: in a process that is held up many replies look late.
    const later = roundTripMs - this.#roundTripMs;
    this.#roundTripMs += later < 0 || this.#roundTripMs === 0 ? later : later / 8;
    this.farMs = this.#roundTripMs > NEAR_MS ? this.#roundTripMs : 0;
    this.#overMs = this.#setup.aheadMs + 2 * this.farMs;
    // The store had more than was asked for, so it is the round trip that requests wait for.
    const isSpare = emptyInMs * this.#refillPerMs <= granted;
    const wanted = isDry && isSpare ? 4 * Math.max(this.#window, granted) : this.#window * 0.9;
    const spentMeanwhile = this.#spentPerMs * this.farMs;
    this.#window = Math.min(Math.max(wanted, spentMeanwhile, ONE_TOKEN), this.#fairShare(this.farMs));
  }

  /** The store leased tokens. */
  granted({ granted, emptyInMs, averageLease }: Reply): void {
    const { aheadMs } = this.#setup;
    this.#leased += granted;
    this.#lastLease = granted;
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
