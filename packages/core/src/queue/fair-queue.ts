import { prose } from '#prose';
import { callable, checkPriority, oneOf, positive } from '../base/check.ts';
import { Heap, type Heaped } from '../base/heap.ts';
import { type Complete, must, type OptionTable, readOptions } from '../base/options.ts';
import {
  type Amount,
  Line,
  type PlaceOptions,
  type Queue,
  type Queued,
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
class Key<W extends Queued<W>> implements Heaped {
  readonly name: unknown;
  /** Virtual time per cost: 1 ÷ weight. */
  readonly pace: number;
  readonly retries: Line<W>;
  readonly others: Line<W>;
  size = 0;
  /** When its next request begins, in virtual time. */
  startsAt = 0;
  /** True if that is when it came into the queue, and not later because of what it has had. */
  isNew = true;
  /** Where it stands in turn: by its rank, and then by when it came to it. */
  rank = 0;
  arrival = 0;
  heapIndex = -1;

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

  /** How many wait, and so many more, by its weight. */
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

/** The keys of one priority. */
interface Level<W extends Queued<W>> {
  readonly priority: number;
  readonly byName: Map<unknown, Key<W>>;
  /** The same keys. Some have no requests: they are remembered until virtual time comes to when they would begin. */
  readonly turns: Heap<Key<W>>;
  /** Virtual time. */
  now: number;
  /** How many keys have requests, and what they weigh together. */
  waiting: number;
  weight: number;
  /** The cost of all requests. */
  cost: Amount;
}

/** Where a request waits. */
interface FairLane<W extends Queued<W>> {
  readonly level: Level<W>;
  readonly key: Key<W>;
  readonly isRetry: boolean;
}

interface Waiting<W extends Queued<W>> extends Queued<W> {
  readonly lane: FairLane<W>;
}

/** An estimate of a wait looks at so many keys at most. */
const MOST_COUNTED = 1_000;

/**
 * The order of a fair queue. Within a priority each key has a virtual time at which its next request begins, which moves on
 * by cost ÷ weight with each request that is served, and the earliest goes first. A key that comes into the queue begins at
 * the virtual time of now. So the service of two waiting keys differs, by weight, by at most one request of each, however large
 * the costs are; and a key saves up nothing that it does not use.
 *
 * Virtual time is when the next to go begins. Keys that are always new would hold it there, so that they move it on by their
 * time ÷ the number of keys that wait, as if their service were shared among all.
 *
 * Goyal, Vin, Cheng: Start-time fair queueing, SIGCOMM 1996; Bennett, Zhang: Hierarchical packet fair queueing algorithms,
 * SIGCOMM 1996 (WF²Q+: virtual time that moves on with service, and to the first that waits).
 */
class FairOrder<W extends Waiting<W>> implements Queue<W> {
  readonly isFair = true;
  first: W | undefined;
  readonly #setup: Complete<FairQueueOptions>;
  readonly #sums: Sums;
  /** One for each priority that there has been, the highest first. */
  readonly #levels: Level<W>[] = [];
  #arrived = 0;

  constructor(setup: Complete<FairQueueOptions>, sums: Sums) {
    this.#setup = setup;
    this.#sums = sums;
  }

  get cost(): Amount {
    return this.#costAbove(Number.NEGATIVE_INFINITY);
  }

  get shares(): number {
    return this.first?.lane.level.weight ?? 0;
  }

  #costAbove(lowest: number): Amount {
    return this.#levels.reduce<Amount>(
      (sum, { priority, cost }) => this.#sums.plus(sum, priority > lowest ? cost : 0),
      0,
    );
  }

  laneOf({ priority = 0, retry = false, fairKey }: PlaceOptions): FairLane<W> {
    if (fairKey !== undefined) must('fairKey', prose('a string'), fairKey, typeof fairKey === 'string');
    // Most often there is one.
    let level = this.#levels[0];
    if (level?.priority !== priority) level = this.#levels.find((one) => one.priority === priority);
    if (level === undefined) {
      checkPriority('priority', priority);
      const keys = { byName: new Map(), turns: new Heap<Key<W>>((one, other) => one.goesBefore(other)) };
      level = { ...keys, priority, now: 0, waiting: 0, weight: 0, cost: 0 };
      this.#levels.push(level);
      this.#levels.sort((one, other) => other.priority - one.priority);
    }
    const key = level.byName.get(fairKey) ?? new Key<W>(fairKey, this.#paceOf(fairKey), this.#sums);
    return { level, key, isRetry: retry };
  }

  #paceOf(key: string | undefined): number {
    if (key === undefined) return 1;
    const weight = this.#setup.weightOf(key);
    positive(`fairQueue: weightOf(${JSON.stringify(key)})`, weight);
    return Math.min(1 / weight, Number.MAX_VALUE);
  }

  /** Never, while others wait: what is served counts only if it was in the queue. */
  goesFirst(): boolean {
    return this.first === undefined;
  }

  #costOf({ retries, others }: Key<W>): Amount {
    return this.#sums.plus(retries.cost, others.cost);
  }

  /** Less, if there are very many keys. If it is not exact, that of the key alone. */
  costAhead({ level, key, isRetry }: FairLane<W>, _nowMs: number, isExact: boolean): Amount {
    const own = isRetry ? key.retries.cost : this.#costOf(key);
    if (!isExact) return own;
    let cost = this.#sums.plus(own, this.#costAbove(level.priority));
    const startsAt = Math.max(key.startsAt, level.now) + this.#sums.weigh(own) * key.pace;
    let counted = 0;
    for (const other of level.byName.values()) {
      const waiting = this.#costOf(other);
      const part = (startsAt - other.startsAt) / (this.#sums.weigh(waiting) * other.pace);
      if (part > 0 && other !== key) cost = this.#sums.plus(cost, waiting, Math.min(1, part));
      counted += 1;
      if (counted === MOST_COUNTED) break;
    }
    return cost;
  }

  /** One key after the other, beginning with those of the priority of the first. */
  *[Symbol.iterator](): Generator<W> {
    const level = this.first?.lane.level;
    const levels = [...this.#levels].sort((one, other) => Number(other === level) - Number(one === level));
    for (const { turns, byName } of levels) {
      for (const key of new Set([turns.first, ...byName.values()])) {
        if (key !== undefined) yield* key;
      }
    }
  }

  add(one: W): void {
    const { level, key, isRetry } = one.lane;
    (isRetry ? key.retries : key.others).add(one);
    level.cost = this.#sums.plus(level.cost, one.cost);
    key.size += 1;
    if (key.size === 1) this.#begin(level, key);
    this.#choose();
  }

  #begin(level: Level<W>, key: Key<W>): void {
    level.waiting += 1;
    level.weight += key.weight;
    const isKnown = level.byName.get(key.name) === key;
    // It may have been forgotten meanwhile.
    if (!isKnown) key.startsAt = 0;
    key.isNew = key.startsAt <= level.now;
    if (key.isNew) key.startsAt = level.now;
    if (isKnown) return;
    level.byName.set(key.name, key);
    this.#place(level, key);
  }

  #place({ turns }: Level<W>, key: Key<W>): void {
    turns.remove(key);
    this.#arrived += 1;
    key.arrival = this.#arrived;
    key.rank = key.due;
    turns.add(key);
  }

  remove(one: W, isServed: boolean): void {
    const { level, key, isRetry } = one.lane;
    (isRetry ? key.retries : key.others).remove(one);
    key.size -= 1;
    level.cost = this.#sums.plus(level.cost, one.cost, -1);
    if (isServed) {
      const time = this.#sums.weigh(one.cost) * key.pace;
      if (key.isNew) level.now += time / level.waiting;
      key.isNew = false;
      key.startsAt += time;
    }
    if (key.size === 0) {
      level.waiting -= 1;
      level.weight = level.waiting === 0 ? 0 : level.weight - key.weight;
    }
    this.#moveOn(level);
    this.#choose();
  }

  /** Moves virtual time on to when the next begins, and forgets keys without requests that would have begun before. */
  #moveOn(level: Level<W>): void {
    const { turns, byName } = level;
    for (let { first } = turns; first !== undefined; first = turns.first) {
      if (first.due > first.rank) this.#place(level, first);
      else if (first.size === 0) {
        turns.remove(first);
        byName.delete(first.name);
      } else {
        level.now = Math.max(level.now, first.startsAt);
        return;
      }
    }
    // No one waits, so that no one has had too much.
    level.now = 0;
    level.cost = 0;
  }

  /**
   * Picks among the first of each priority: a request that has waited `agingMs` longer goes before one of the next higher
   * priority.
   */
  #choose(): void {
    this.first = undefined;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const { turns, priority } of this.#levels) {
      const first = turns.first?.first;
      const atMs = first === undefined ? leastMs : first.sinceMs - priority * this.#setup.agingMs;
      if (atMs >= leastMs) continue;
      this.first = first;
      leastMs = atMs;
    }
  }

  displacedBy({ level, key }: FairLane<W>): W | undefined {
    const lowest = this.#levels.findLast(({ waiting }) => waiting > 0);
    if (this.#setup.overflow === 'reject' || lowest === undefined || lowest.priority > level.priority) {
      return undefined;
    }
    const keys = [...lowest.byName.values()];
    const longest = keys.reduce((most, one) => (one.crowd() > most.crowd() ? one : most));
    return lowest !== level || longest.crowd() > key.crowd(1)
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
 * One may be given to several limits: each makes a queue of its own. Operations take O(log keys), and O(keys) if the queue is full; a key
 * without requests is forgotten as soon as it has had no more than its share.
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
