import { checkPriority, HIGHEST_PRIORITY, oneOf, positive } from '../base/check.ts';
import { type Complete, type OptionTable, readOptions } from '../base/options.ts';
import { type InLane, Lanes } from './lanes.ts';
import type { QueueOrder, Sums } from './queue.ts';

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

/** A step of priority is two lanes. */
class Priorities<W extends InLane<W>> extends Lanes<W> {
  readonly #overflow: PriorityQueueOptions['overflow'];

  constructor({ agingMs, overflow }: Complete<PriorityQueueOptions>, sums: Sums) {
    super(sums, agingMs / 2);
    this.#overflow = overflow;
  }

  protected override laneAt(priority: number): number {
    checkPriority('priority', priority);
    return (priority + HIGHEST_PRIORITY) * 2;
  }

  displacedBy(lane: number): W | undefined {
    const waiting = this.lanes.filter(({ first }) => first !== undefined);
    if (this.#overflow === 'drop-oldest') {
      const firsts = waiting.map(({ first }) => first as W);
      return firsts.reduce((oldest, one) => (one.sinceMs < oldest.sinceMs ? one : oldest), firsts[0] as W);
    }
    const lowest = waiting[0]?.last;
    return this.#overflow === 'drop-lowest' && lowest !== undefined && lowest.lane < lane
      ? lowest
      : undefined;
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
  return { make: (sums) => new Priorities<never>(setup, sums) };
}
