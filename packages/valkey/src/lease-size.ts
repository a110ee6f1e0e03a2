import type { Backlog } from './backlog.ts';
import type { FleetSetup } from './options.ts';

/** The mean cost of a request is a moving average over about so many calls. */
const COST_SAMPLES = 16;

/** A process may lease this much more than the average process, so that the average can grow. */
const GROWTH = 1.1;

/**
 * How much a process leases at a time while its requests wait. Every process leases for about as many requests,
 * whatever they cost, so the fleet advances as one queue would. A lease covers at most half of the process's own
 * queue, and about as much as other processes lease. Amounts are millionths of a token.
 */
export class LeaseSize {
  readonly #setup: FleetSetup;
  readonly #processes: () => number;
  #lastLease = 0;
  /** The average lease of a process whose requests wait; `Infinity` if none has waited yet. */
  #fleetAverage = Number.POSITIVE_INFINITY;
  /** The mean cost of a request; 0 before the first. */
  #meanCost = 0;

  constructor(setup: FleetSetup, processes: () => number) {
    this.#setup = setup;
    this.#processes = processes;
  }

  /** Records a lease, and the fleet's average lease; 0 if there is none. */
  record(granted: number, fleetAverage: number): void {
    this.#lastLease = granted;
    this.#fleetAverage = fleetAverage || Number.POSITIVE_INFINITY;
  }

  /** What to lease for the waiting requests, on top of the `left` tokens that are leased already. */
  forQueue({ count, totalCost, through }: Backlog, left: number): number {
    this.#meanCost += (totalCost / count - this.#meanCost) / (this.#meanCost === 0 ? 1 : COST_SAMPLES);
    const requests = Math.min(count / 2, this.fairShare(this.#setup.queueAheadMs) / this.#meanCost);
    // Only whole requests are leased for, so the fraction is rounded at random.
    const most = this.#fleetAverage * GROWTH + this.#meanCost * this.#setup.random();
    return through(left, Math.max(1, Math.floor(requests)), most) - left;
  }

  /** With as many tokens in the pool, the waiting requests need no other lease yet. */
  enoughFor(totalCost: number): number {
    return Math.min(totalCost / 2, this.fairShare(this.#setup.queueAheadMs) / 2, this.#lastLease);
  }

  /** This process's part of the tokens that come in within `durationMs`. */
  fairShare(durationMs: number): number {
    return (this.#setup.refillPerSecond * 1_000 * durationMs) / this.#processes();
  }
}
