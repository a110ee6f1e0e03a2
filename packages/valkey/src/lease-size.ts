import type { FleetSetup } from './options.ts';
import type { Need } from './turn.ts';

/** The mean cost of a request is that of about so many calls. */
const MEAN_OVER = 16;

/**
 * How much a process leases at a time while its requests wait. Each process takes its turn with as many requests,
 * whatever they cost, so that all get on as in one line. It leaves half of its line for the next turn, and takes no
 * more than other processes do. In millionths of a token.
 */
export class LeaseSize {
  readonly #setup: FleetSetup;
  readonly #processes: () => number;
  /** What the store leased last. */
  #last = 0;
  /** The average of what processes take at a time while requests wait anywhere. */
  #others = Number.POSITIVE_INFINITY;
  /** The average cost of a request; 0 before the first. */
  #meanCost = 0;

  constructor(setup: FleetSetup, processes: () => number) {
    this.#setup = setup;
    this.#processes = processes;
  }

  /** Called with what the store leased, and its average of all processes; 0 if it has none. */
  record(granted: number, others: number): void {
    this.#last = granted;
    this.#others = others || Number.POSITIVE_INFINITY;
  }

  /** What to lease for those in line, beyond the `left` tokens that are leased already. */
  forQueue({ count, all, through }: Need, left: number): number {
    this.#meanCost += (all / count - this.#meanCost) / (this.#meanCost === 0 ? 1 : MEAN_OVER);
    const requests = Math.min(count / 2, this.fairShare(this.#setup.queueAheadMs) / this.#meanCost);
    // A little more than others, so that all may take more if all can. Requests are whole, so the rest is left to chance.
    const most = this.#others * 1.1 + this.#meanCost * this.#setup.random();
    return through(left, Math.max(1, Math.floor(requests)), most) - left;
  }

  /** With so many leased, those in line need no other lease yet. */
  enoughFor(all: number): number {
    return Math.min(all / 2, this.fairShare(this.#setup.queueAheadMs) / 2, this.#last);
  }

  /** The part of one process in what comes in. */
  fairShare(durationMs: number): number {
    return (this.#setup.refillPerSecond * 1_000 * durationMs) / this.#processes();
  }
}
