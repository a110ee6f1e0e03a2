import { checkPriority, HIGHEST_PRIORITY, oneOf, positive } from '../base/check.ts';
import { type Complete, type OptionTable, readOptions } from '../base/options.ts';
import { type InLane, Lanes, mustHaveNoKey } from './lanes.ts';
import type { PlaceOptions, QueueOrder } from './queue.ts';

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

class PriorityLanes<W extends InLane<W>> extends Lanes<W> {
  readonly #overflow: Complete<PriorityQueueOptions>['overflow'];

  constructor({ agingMs, overflow }: Complete<PriorityQueueOptions>) {
    // A step of priority is two lanes, the higher one for retries.
    super(agingMs / 2);
    this.#overflow = overflow;
  }

  laneOf(options: PlaceOptions): number {
    const { priority = 0, retry } = options;
    mustHaveNoKey(options);
    checkPriority('priority', priority);
    return (priority + HIGHEST_PRIORITY) * 2 + (retry ? 1 : 0);
  }

  displacedBy(lane: number): W | undefined {
    if (this.#overflow === 'reject') return undefined;
    if (this.#overflow === 'drop-lowest') {
      const lowest = this.lanes.find(({ last }) => last !== undefined)?.last;
      return lowest !== undefined && lowest.lane < lane ? lowest : undefined;
    }
    let oldest: W | undefined;
    for (const { first } of this.lanes) {
      if (first !== undefined && !(oldest !== undefined && oldest.sinceMs <= first.sinceMs)) oldest = first;
    }
    return oldest;
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
  return { make: () => new PriorityLanes<never>(setup) };
}
