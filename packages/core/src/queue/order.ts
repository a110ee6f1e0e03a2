import { checkPriority, HIGHEST_PRIORITY, oneOf, positive } from '../base/check.ts';
import { type Complete, type OptionTable, readOptions } from '../base/options.ts';
import { mustHaveNoKey } from './fifo.ts';
import {
  type Amount,
  type Lane,
  Line,
  type PlaceOptions,
  type Queue,
  type QueueEntry,
  type QueueOrder,
  type Sums,
} from './queue.ts';

/** The requests that wait in one lane. */
interface LaneQueue<W> extends Iterable<W> {
  readonly first: W | undefined;
  /** The last to go, if that is known. */
  readonly last?: W | undefined;
  readonly cost: Amount;
  add(one: W): void;
  remove(one: W, isServed: boolean): void;
}

/** Each lane is worth a head start over the lane below it, so that a low lane waits longer but is never starved. */
export abstract class Lanes<W extends QueueEntry<W>, L extends LaneQueue<W> = Line<W>> implements Queue<W> {
  protected readonly sums: Sums;
  protected readonly lanes: L[] = [];
  readonly #headStartMs: number;
  readonly #make: () => L;

  constructor(sums: Sums, headStartMs: number, make: () => L) {
    this.sums = sums;
    this.#headStartMs = headStartMs;
    this.#make = make;
  }

  abstract laneOf(options: PlaceOptions): Lane;

  /** The number of a lane. */
  protected at(lane: Lane): number {
    return lane as number;
  }

  protected lane(at: number): L {
    // Filled from the start: V8 reads arrays with holes slowly.
    while (this.lanes.length <= at) this.lanes.push(this.#make());
    return this.lanes[at] as L;
  }

  get cost(): Amount {
    return this.lanes.reduce<Amount>((sum, { cost }) => this.sums.plus(sum, cost), 0);
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
  #isAhead(one: W, lane: Lane, sinceMs: number): boolean {
    const [own, other] = [this.at(one.lane), this.at(lane)];
    const laterMs = one.sinceMs - Math.round(sinceMs) + (other - own) * this.#headStartMs;
    return laterMs < 0 || (laterMs === 0 && own >= other);
  }

  goesFirst(lane: Lane, sinceMs: number): boolean {
    const { first } = this;
    return first === undefined || !this.#isAhead(first, lane, sinceMs);
  }

  costAhead(lane: Lane, nowMs: number, isExact: boolean): Amount {
    let cost: Amount = 0;
    for (const line of this.lanes.slice(isExact ? 0 : this.at(lane))) {
      const { last } = line;
      // Most often all of them, or none.
      if (last !== undefined && this.#isAhead(last, lane, nowMs)) cost = this.sums.plus(cost, line.cost);
      else {
        for (const one of line) {
          if (!this.#isAhead(one, lane, nowMs)) break;
          cost = this.sums.plus(cost, one.cost);
        }
      }
    }
    return cost;
  }

  add(one: W): void {
    this.lane(this.at(one.lane)).add(one);
  }

  remove(one: W, isServed: boolean): void {
    this.lane(this.at(one.lane)).remove(one, isServed);
  }

  /** Begins with the lane of the first request. */
  *[Symbol.iterator](): Generator<W> {
    const { first } = this;
    if (first === undefined) return;
    const lane = this.lane(this.at(first.lane));
    yield* lane;
    for (const other of this.lanes) if (other !== lane) yield* other;
  }
}

/** Options of {@link priorityQueue}. */
export interface PriorityQueueOptions {
  /**
   * How much longer a request must have waited to go before one of the next higher priority, in milliseconds, so that
   * low priorities are never starved. A retry counts as half a step of priority.
   * @default 60_000
   */
  readonly agingMs?: number | undefined;
  /**
   * Which request is refused when the queue is full (`maxQueue` of the limit): `'reject'` the new request, `'drop-oldest'` the
   * request with the longest wait, `'drop-lowest'` the last request of the lowest priority, if this priority is below the new
   * request's.
   * @default 'reject'
   */
  readonly overflow?: 'reject' | 'drop-oldest' | 'drop-lowest' | undefined;
}

const PRIORITY_QUEUE_OPTIONS: OptionTable<PriorityQueueOptions> = {
  agingMs: { check: positive, default: 60_000 },
  overflow: { check: oneOf('reject', 'drop-oldest', 'drop-lowest'), default: 'reject' },
};

/** A step of priority is two lanes. */
class Priorities<W extends QueueEntry<W>> extends Lanes<W> {
  readonly #overflow: PriorityQueueOptions['overflow'];

  constructor({ agingMs, overflow }: Complete<PriorityQueueOptions>, sums: Sums) {
    super(sums, agingMs / 2, () => new Line(sums));
    this.#overflow = overflow;
  }

  override laneOf({ priority = 0, retry, fairKey }: PlaceOptions): Lane {
    mustHaveNoKey(fairKey);
    checkPriority('priority', priority);
    return (priority + HIGHEST_PRIORITY) * 2 + (retry ? 1 : 0);
  }

  evictedBy(lane: Lane): W | undefined {
    const waiting = this.lanes.filter(({ first }) => first !== undefined);
    if (this.#overflow === 'drop-oldest') {
      const firsts = waiting.map(({ first }) => first as W);
      return firsts.reduce((oldest, one) => (one.sinceMs < oldest.sinceMs ? one : oldest), firsts[0] as W);
    }
    const lowest = waiting[0]?.last;
    return this.#overflow === 'drop-lowest' && lowest !== undefined && this.at(lowest.lane) < this.at(lane)
      ? lowest
      : undefined;
  }
}

/**
 * Orders the requests that wait at a bucket or a concurrency limit by `priority`, a whole number from -7 to 7: the highest goes
 * first. Within a priority retries go before new requests, then first come, first served.
 *
 * Several limits may share the returned order: each makes a queue of its own.
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
  return { make: (sums) => new Priorities<never>(setup, sums) };
}
