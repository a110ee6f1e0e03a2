import { prose } from '#prose';
import { wrongType } from '../base/check.ts';
import { Line } from './line.ts';
import type { Amount, PlaceOptions, Queue, Queued, QueueOrder, Sums } from './queue.ts';

/** A request in a lane with a number. */
export interface InLane<W> extends Queued<W> {
  readonly lane: number;
}

/**
 * First come, first served within a lane. Each lane is worth a head start over the lane below it, so that a low lane waits
 * longer but is never starved. Here there are two, the higher one for retries.
 */
export class Lanes<W extends InLane<W>> implements Queue<W> {
  protected readonly lanes: Line<W>[] = [];
  readonly #headStartMs: number;
  readonly #sums: Sums;

  constructor(sums: Sums, headStartMs: number) {
    this.#sums = sums;
    this.#headStartMs = headStartMs;
  }

  laneOf({ priority = 0, retry, fairKey }: PlaceOptions): number {
    if (fairKey !== undefined)
      throw wrongType('fairKey', prose('left out at a limit without `queue: fairQueue()`'), fairKey);
    return this.laneAt(priority) + (retry ? 1 : 0);
  }

  /** The lane of a priority. */
  protected laneAt(priority: number): number {
    if (priority === 0) return 0;
    throw wrongType('priority', prose('0 at a limit without `queue: priorityQueue()`'), priority);
  }

  get cost(): Amount {
    return this.lanes.reduce<Amount>((sum, { cost }) => this.#sums.plus(sum, cost), 0);
  }

  get first(): W | undefined {
    let best: W | undefined;
    for (const { first } of this.lanes) {
      if (first === undefined) continue;
      if (best === undefined || !this.#isAhead(best, first.lane, first.sinceMs)) best = first;
    }
    return best;
  }

  /** Whether a member goes before a request of this lane that has waited since then. */
  #isAhead(one: W, lane: number, sinceMs: number): boolean {
    const laterMs = one.sinceMs - Math.round(sinceMs) + (lane - one.lane) * this.#headStartMs;
    return laterMs < 0 || (laterMs === 0 && one.lane >= lane);
  }

  goesFirst(lane: number, nowMs: number): boolean {
    const { first } = this;
    return first === undefined || !this.#isAhead(first, lane, nowMs);
  }

  costAhead(lane: number, nowMs: number, isExact: boolean): Amount {
    let cost: Amount = 0;
    for (const line of this.lanes.slice(isExact ? 0 : lane)) {
      const { last } = line;
      // Most often all of them, or none.
      if (last !== undefined && this.#isAhead(last, lane, nowMs)) cost = this.#sums.plus(cost, line.cost);
      else {
        for (const one of line) {
          if (!this.#isAhead(one, lane, nowMs)) break;
          cost = this.#sums.plus(cost, one.cost);
        }
      }
    }
    return cost;
  }

  add(one: W): void {
    // Filled from the start: V8 reads arrays with holes slowly.
    while (this.lanes.length <= one.lane) this.lanes.push(new Line(this.#sums));
    this.lanes[one.lane]?.add(one);
  }

  remove(one: W): void {
    this.lanes[one.lane]?.remove(one);
  }

  /** Those behind the first in its lane come first. */
  *[Symbol.iterator](): Generator<W> {
    const lane = this.first?.lane;
    if (lane === undefined) return;
    yield* this.lanes[lane] as Line<W>;
    for (const [at, other] of this.lanes.entries()) if (at !== lane) yield* other;
  }
}

/** The queue of a limit that is given none. A retry goes before new requests that have not waited 30 s longer. */
export const inOrderOfArrival: QueueOrder = { make: (sums) => new Lanes<never>(sums, 30_000) };
