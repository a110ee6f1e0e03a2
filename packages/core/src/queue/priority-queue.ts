import { checkPriority, HIGHEST_PRIORITY, oneOf, positive } from '../base/check.ts';
import { type Complete, type OptionTable, readOptions } from '../base/options.ts';
import type { Amount, Sums } from './amount.ts';
import { mustHaveNoKey } from './fifo.ts';
import { type List, link, membersOf, unlink } from './list.ts';
import type { PlaceOptions, Queue, Queued, QueueOrder } from './queue.ts';

/** Options of {@link priorityQueue}. */
export interface PriorityQueueOptions {
  /**
   * How much longer a request must have waited to go before one of the next higher priority, in milliseconds, so that
   * low priorities are never starved. A retry counts as half a step of priority.
   * @default 60_000
   */
  readonly agingMs?: number | undefined;
  /**
   * Which request is refused when the queue is full (`maxQueue` of the limit): `'reject'` the new one, `'drop-oldest'` the one
   * that has waited longest, `'drop-lowest'` the last one of the lowest priority, if that is below the new one's.
   * @default 'reject'
   */
  readonly overflow?: 'reject' | 'drop-oldest' | 'drop-lowest' | undefined;
}

const PRIORITY_QUEUE_OPTIONS: OptionTable<PriorityQueueOptions> = {
  agingMs: { check: positive, default: 60_000 },
  overflow: { check: oneOf('reject', 'drop-oldest', 'drop-lowest'), default: 'reject' },
};

interface Lane<W> extends List<W> {
  /** The sum of all costs. */
  cost: Amount;
}

/** A request in a lane with a number. */
interface InLane<W> extends Queued<W> {
  readonly lane: number;
}

/**
 * First come, first served within a lane. Each lane is worth a head start over the lane below it, so that a low lane waits
 * longer but is never starved. A step of priority is two lanes, the higher one for retries.
 */
class Lanes<W extends InLane<W>> implements Queue<W> {
  readonly #lanes: Lane<W>[] = [];
  readonly #setup: Complete<PriorityQueueOptions>;
  readonly #sums: Sums;

  constructor(setup: Complete<PriorityQueueOptions>, sums: Sums) {
    this.#setup = setup;
    this.#sums = sums;
  }

  laneOf(options: PlaceOptions): number {
    const { priority = 0, retry } = options;
    mustHaveNoKey(options);
    checkPriority('priority', priority);
    return (priority + HIGHEST_PRIORITY) * 2 + (retry ? 1 : 0);
  }

  get cost(): Amount {
    return this.#lanes.reduce<Amount>((sum, { cost }) => this.#sums.plus(sum, cost), 0);
  }

  get first(): W | undefined {
    let best: W | undefined;
    for (const { first } of this.#lanes) {
      if (first === undefined) continue;
      if (best === undefined || !this.#isAhead(best, first.lane, first.sinceMs)) best = first;
    }
    return best;
  }

  /** Whether a member goes before a request of this lane that has waited since then. */
  #isAhead(one: W, lane: number, sinceMs: number): boolean {
    const laterMs = one.sinceMs - Math.round(sinceMs) + ((lane - one.lane) * this.#setup.agingMs) / 2;
    return laterMs < 0 || (laterMs === 0 && one.lane >= lane);
  }

  goesFirst(lane: number, nowMs: number): boolean {
    const { first } = this;
    return first === undefined || !this.#isAhead(first, lane, nowMs);
  }

  costAhead(lane: number, nowMs: number, isExact: boolean): Amount {
    let cost: Amount = 0;
    for (const list of this.#lanes.slice(isExact ? 0 : lane)) {
      const { last } = list;
      // Most often all of them, or none.
      if (last !== undefined && this.#isAhead(last, lane, nowMs)) cost = this.#sums.plus(cost, list.cost);
      else {
        for (const one of membersOf(list)) {
          if (!this.#isAhead(one, lane, nowMs)) break;
          cost = this.#sums.plus(cost, one.cost);
        }
      }
    }
    return cost;
  }

  add(one: W): void {
    // Filled from the start: V8 reads arrays with holes slowly.
    while (this.#lanes.length <= one.lane) this.#lanes.push({ first: undefined, last: undefined, cost: 0 });
    const lane = this.#lanes[one.lane] as Lane<W>;
    link(lane, one, lane.last);
    lane.cost = this.#sums.plus(lane.cost, one.cost);
  }

  remove(one: W): void {
    const lane = this.#lanes[one.lane] as Lane<W>;
    unlink(lane, one);
    // Reset when empty, so that rounding errors do not add up.
    lane.cost = lane.first === undefined ? 0 : this.#sums.plus(lane.cost, one.cost, -1);
  }

  /** Those behind the first in its lane come first. */
  *[Symbol.iterator](): Generator<W> {
    const lane = this.first?.lane;
    if (lane === undefined) return;
    yield* membersOf(this.#lanes[lane] as Lane<W>);
    for (const [at, other] of this.#lanes.entries()) if (at !== lane) yield* membersOf(other);
  }

  displacedBy(lane: number): W | undefined {
    const { overflow } = this.#setup;
    const waiting = this.#lanes.filter(({ first }) => first !== undefined);
    if (overflow === 'drop-oldest') {
      const firsts = waiting.map(({ first }) => first as W);
      return firsts.reduce((oldest, one) => (one.sinceMs < oldest.sinceMs ? one : oldest), firsts[0] as W);
    }
    const lowest = waiting[0]?.last;
    return overflow === 'drop-lowest' && lowest !== undefined && lowest.lane < lane ? lowest : undefined;
  }
}

/**
 * Orders the requests that wait at a bucket or a concurrency limit by `priority`, a whole number from -7 to 7: the highest goes
 * first. Within a priority retries go before new requests, then first come, first served.
 *
 * One may be given to several limits: each makes a queue of its own.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, priorityQueue, tokenBucket } from '@ebb/core';
 *
 * const queue = priorityQueue({ overflow: 'drop-lowest' });
 * const bucket = tokenBucket({ refillPerSecond: 50, maxQueue: 1_000, queue });
 * const urgent = createPolicy({ bucket, priority: 1 });
 * ```
 */
export function priorityQueue(options: PriorityQueueOptions = {}): QueueOrder {
  const setup = readOptions('priorityQueue', options, PRIORITY_QUEUE_OPTIONS);
  return { make: (sums) => new Lanes<never>(setup, sums) };
}
