import { devText } from '#dev-text';
import { callable, checkPriority, HIGHEST_PRIORITY, oneOf, positive } from '../base/check.ts';
import { Heap, type HeapEntry } from '../base/heap.ts';
import { type Complete, must, type OptionTable, readOptions } from '../base/options.ts';
import { Lanes } from './order.ts';
import {
  type Amount,
  Line,
  type PlaceOptions,
  type QueueEntry,
  type QueueOrder,
  type Sums,
} from './queue.ts';

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
   * most, by its weight, among those of the lowest priority, or the new request, if its key is the longest; `'reject'` the new
   * one.
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

/** Ties go to the new key, so that it does not wait behind a large request. Its rank is lowered by this factor. */
const NEW_FIRST = 1 - 2 ** -50;

/** A key with the requests that wait under it: retries first, then first come, first served. */
class Key<W extends QueueEntry<W>> implements HeapEntry {
  readonly name: unknown;
  /** Virtual time per cost: 1 ÷ weight. */
  readonly pace: number;
  readonly retries: Line<W>;
  readonly others: Line<W>;
  size = 0;
  /** When its next request begins, in virtual time. */
  startsAt = 0;
  /** True if `startsAt` is when the key came into the queue, and not later because of earlier service. */
  isNew = true;
  /** Where it stands in turn: by its rank, and then by when it came to it. */
  rank = 0;
  arrival = 0;
  heapIndex = -1;
  readonly length: Length<W> = new Length(this);

  constructor(name: unknown, pace: number, sums: Sums) {
    this.name = name;
    this.pace = pace;
    this.retries = new Line(sums);
    this.others = new Line(sums);
  }

  get first(): W | undefined {
    return this.retries.first ?? this.others.first;
  }

  get weight(): number {
    return 1 / this.pace;
  }

  /** The number of its waiting requests, plus `more`, by its weight. */
  crowd(more = 0): number {
    return (this.size + more) * this.pace;
  }

  /** The rank that it should have. It is moved when it comes to the front, if it belongs further back by then. */
  get due(): number {
    return this.isNew ? this.startsAt * NEW_FIRST : this.startsAt;
  }

  goesBefore(other: Key<W>): boolean {
    return this.rank < other.rank || (this.rank === other.rank && this.arrival < other.arrival);
  }

  *[Symbol.iterator](): Generator<W> {
    yield* this.retries;
    yield* this.others;
  }
}

/** A key among the longest. */
class Length<W extends QueueEntry<W>> implements HeapEntry {
  readonly key: Key<W>;
  /** The place of its key among all that have come into the queue. */
  arrival = 0;
  heapIndex = -1;

  constructor(key: Key<W>) {
    this.key = key;
  }

  goesBefore(other: Length<W>): boolean {
    const [own, others] = [this.key.crowd(), other.key.crowd()];
    return own > others || (own === others && this.arrival < other.arrival);
  }
}

/** The keys of one priority, which is a lane of the queue. */
class Level<W extends InFairQueue<W>> {
  readonly byName: Map<unknown, Key<W>> = new Map();
  /** The same keys. Some have no requests: they are remembered until virtual time comes to when they would begin. */
  readonly turns: Heap<Key<W>> = new Heap((one, other) => one.goesBefore(other));
  /** The keys with requests, the longest first. */
  readonly lengths: Heap<Length<W>> = new Heap((one, other) => one.goesBefore(other));
  /** Virtual time. */
  now = 0;
  /** The number of keys with requests, and the sum of their weights. */
  waiting = 0;
  weight = 0;
  /** The cost of all requests. */
  cost: Amount = 0;
  readonly #sums: Sums;
  #arrived = 0;

  constructor(sums: Sums) {
    this.#sums = sums;
  }

  get first(): W | undefined {
    return this.turns.first?.first;
  }

  /** Iterates key by key, beginning with the key whose turn is next. */
  *[Symbol.iterator](): Generator<W> {
    for (const key of new Set([this.turns.first, ...this.byName.values()])) {
      if (key !== undefined) yield* key;
    }
  }

  add(one: W): void {
    const { key, isRetry } = one.lane;
    (isRetry ? key.retries : key.others).add(one);
    this.cost = this.#sums.plus(this.cost, one.cost);
    key.size += 1;
    if (key.size === 1) this.#begin(key);
    this.#measure(key);
  }

  /** Finds the place of a key among the longest anew. */
  #measure({ length, size }: Key<W>): void {
    this.lengths.remove(length);
    if (size > 0) this.lengths.add(length);
  }

  #begin(key: Key<W>): void {
    this.waiting += 1;
    this.weight += key.weight;
    const isKnown = this.byName.get(key.name) === key;
    // It may have been forgotten meanwhile.
    if (!isKnown) key.startsAt = 0;
    key.isNew = key.startsAt <= this.now;
    if (key.isNew) key.startsAt = this.now;
    if (isKnown) return;
    this.byName.set(key.name, key);
    this.#place(key);
    key.length.arrival = this.#arrived;
  }

  #place(key: Key<W>): void {
    this.turns.remove(key);
    this.#arrived += 1;
    key.arrival = this.#arrived;
    key.rank = key.due;
    this.turns.add(key);
  }

  remove(one: W, isServed: boolean): void {
    const { key, isRetry } = one.lane;
    (isRetry ? key.retries : key.others).remove(one);
    key.size -= 1;
    this.#measure(key);
    this.cost = this.#sums.plus(this.cost, one.cost, -1);
    if (isServed) {
      const time = this.#sums.weigh(one.cost) * key.pace;
      if (key.isNew) this.now += time / this.waiting;
      key.isNew = false;
      key.startsAt += time;
    }
    if (key.size === 0) {
      this.waiting -= 1;
      this.weight = this.waiting === 0 ? 0 : this.weight - key.weight;
    }
    this.#moveOn();
  }

  /** Moves virtual time on to when the next begins, and forgets keys without requests that would have begun before. */
  #moveOn(): void {
    for (let { first } = this.turns; first !== undefined; first = this.turns.first) {
      if (first.due > first.rank) this.#place(first);
      else if (first.size === 0) {
        this.turns.remove(first);
        this.byName.delete(first.name);
      } else {
        this.now = Math.max(this.now, first.startsAt);
        return;
      }
    }
    // No key waits, so no key has had too much.
    this.now = 0;
    this.cost = 0;
  }
}

/** Where a request waits. */
interface FairLane<W extends QueueEntry<W>> {
  /** The number of its level. */
  readonly at: number;
  readonly key: Key<W>;
  readonly isRetry: boolean;
}

interface InFairQueue<W extends QueueEntry<W>> extends QueueEntry<W> {
  readonly lane: FairLane<W>;
}

/** The most keys that an estimate of a wait looks at. */
const MOST_COUNTED = 1_000;

/**
 * The order of a fair queue. Within a priority each key has a virtual time at which its next request begins, which moves on
 * by cost ÷ weight with each request that is served, and the earliest goes first. A key that comes into the queue begins at
 * the virtual time of now. So the service of two waiting keys differs, by weight, by at most one request of each, however large
 * the costs are; and a key saves up nothing that it does not use.
 *
 * Virtual time is the time at which the next request begins. A stream of new keys would hold virtual time there, so a new key
 * moves it on by its time ÷ the number of waiting keys, as if its service were shared among all.
 *
 * Goyal, Vin, Cheng: Start-time fair queueing, SIGCOMM 1996; Bennett, Zhang: Hierarchical packet fair queueing algorithms,
 * SIGCOMM 1996 (WF²Q+: virtual time moves on with service, and to the first waiting request).
 */
class FairOrder<W extends InFairQueue<W>> extends Lanes<W, Level<W>> {
  readonly isFair = true;
  readonly #setup: Complete<FairQueueOptions>;

  constructor(setup: Complete<FairQueueOptions>, sums: Sums) {
    super(sums, setup.agingMs, () => new Level(sums));
    this.#setup = setup;
  }

  get shares(): number {
    const { first } = this;
    return first === undefined ? 0 : this.lane(first.lane.at).weight;
  }

  override laneOf({ priority = 0, retry = false, fairKey }: PlaceOptions): FairLane<W> {
    if (fairKey !== undefined) must('fairKey', devText('a string'), fairKey, typeof fairKey === 'string');
    checkPriority('priority', priority);
    const at = priority + HIGHEST_PRIORITY;
    const key = this.lane(at).byName.get(fairKey) ?? new Key<W>(fairKey, this.#paceOf(fairKey), this.sums);
    return { at, key, isRetry: retry };
  }

  protected override at(lane: FairLane<W>): number {
    return lane.at;
  }

  #paceOf(key: string | undefined): number {
    if (key === undefined) return 1;
    const weight = this.#setup.weightOf(key);
    positive(`fairQueue: weightOf(${JSON.stringify(key)})`, weight);
    return Math.min(1 / weight, Number.MAX_VALUE);
  }

  /** False while an earlier request waits: service counts only for a request in the queue. */
  override goesFirst(_lane: FairLane<W>, sinceMs: number): boolean {
    const { first } = this;
    return first === undefined || Math.round(sinceMs) < first.sinceMs;
  }

  #costOf({ retries, others }: Key<W>): Amount {
    return this.sums.plus(retries.cost, others.cost);
  }

  /** Less, if there are very many keys. If it is not exact, that of the key alone. */
  override costAhead({ at, key, isRetry }: FairLane<W>, _nowMs: number, isExact: boolean): Amount {
    const own = isRetry ? key.retries.cost : this.#costOf(key);
    if (!isExact) return own;
    const level = this.lane(at);
    let cost = this.lanes.slice(at + 1).reduce((sum, above) => this.sums.plus(sum, above.cost), own);
    const startsAt = Math.max(key.startsAt, level.now) + this.sums.weigh(own) * key.pace;
    let counted = 0;
    for (const other of level.byName.values()) {
      const waiting = this.#costOf(other);
      const part = (startsAt - other.startsAt) / (this.sums.weigh(waiting) * other.pace);
      if (part > 0 && other !== key) cost = this.sums.plus(cost, waiting, Math.min(1, part));
      counted += 1;
      if (counted === MOST_COUNTED) break;
    }
    return cost;
  }

  evictedBy({ at, key }: FairLane<W>): W | undefined {
    const lowest = this.lanes.findIndex(({ waiting }) => waiting > 0);
    if (this.#setup.overflow === 'reject' || lowest < 0 || lowest > at) return undefined;
    const { key: longest } = this.lane(lowest).lengths.first as Length<W>;
    return lowest < at || longest.crowd() > key.crowd(1)
      ? (longest.others.last ?? longest.retries.last)
      : undefined;
  }
}

/**
 * Shares what a bucket or a concurrency limit has among keys, such as the tenants of a service, by their weights: the `fairKey`
 * of a request says whose it is. However many requests of one key wait, the first one of another goes next; and the
 * shares are of cost, not of the number of requests. Requests without a key have one in common, of weight 1.
 *
 * Within a key retries go before new requests, then first come, first served. Priorities come first: keys share within a
 * priority, as in {@link priorityQueue}.
 *
 * Several limits may share the returned order: each makes a queue of its own. Operations take O(log keys); a key without requests
 * is forgotten as soon as it has had no more than its share.
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
  return { make: (sums) => new FairOrder<never>(setup, sums) };
}
