import { callable, oneOf, positive } from '../base/check.ts';
import { type OptionTable, readOptions } from '../base/options.ts';
import { FairOrder } from './fair-order.ts';
import type { QueueOrder } from './queue.ts';

/** Options of {@link fairQueue}. */
export interface FairQueueOptions {
  /**
   * The weight of a key: a key of weight 2 gets twice as much as one of weight 1. A number above 0. Called for a request whose
   * key has no other request in the queue.
   * @default 1 for each key
   */
  readonly weightOf?: ((key: string) => number) | undefined;
  /**
   * Which request is refused when the queue is full (`maxQueue` of the limit): `'drop-longest'` the last one of the key with the
   * most, by its weight, among those of the lowest priority, or the new one if that is the one; `'reject'` the new one.
   * @default 'drop-longest'
   */
  readonly overflow?: 'drop-longest' | 'reject' | undefined;
  /**
   * How much longer a request must have waited to go before one of the next higher priority, in milliseconds, so that
   * low priorities are never starved.
   * @default 60_000
   */
  readonly agingMs?: number | undefined;
}

const FAIR_QUEUE_OPTIONS: OptionTable<FairQueueOptions> = {
  weightOf: { check: callable, default: () => 1 },
  overflow: { check: oneOf('drop-longest', 'reject'), default: 'drop-longest' },
  agingMs: { check: positive, default: 60_000 },
};

/**
 * Shares what a bucket or a concurrency limit has among keys, such as the tenants of a service, by their weights: the `fairKey`
 * of a request says whose it is. However many requests of one key wait, the first one of another goes next; and the
 * shares are of cost, not of the number of requests. Requests without a key have one in common, of weight 1.
 *
 * Within a key retries go before new requests, then first come, first served. Priorities come first: keys share within a
 * priority, as in {@link priorityQueue}.
 *
 * One may be given to several limits: each makes a queue of its own. Operations take O(log keys), and a key without
 * requests is forgotten as soon as it has had no more than its share.
 *
 * @throws TypeError, RangeError for a wrong option; `acquire` rejects with a RangeError that names the key if `weightOf` returns
 * something else than a finite number above 0
 * @example
 * ```ts
 * import { fairQueue, tokenBucket } from '@ebb/core';
 *
 * const queue = fairQueue({ weightOf: (tenant) => (tenant === 'large' ? 3 : 1) });
 * const bucket = tokenBucket({ refillPerSecond: 100, maxQueue: 10_000, queue });
 * const grant = await bucket.acquire({ fairKey: 'large', cost: 2 });
 * ```
 */
export function fairQueue(options: FairQueueOptions = {}): QueueOrder {
  const setup = readOptions('fairQueue', options, FAIR_QUEUE_OPTIONS);
  return { make: (weigh) => new FairOrder<never>(setup, weigh) };
}
