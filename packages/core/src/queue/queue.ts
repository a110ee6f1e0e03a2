import type { AcquireOptions } from '../policy/contracts.ts';

/**
 * A number of tokens: the cost of requests, or those that are available. At a limit of several units it is the tokens of each, in
 * the order of its units; a plain number then means this amount of every unit. A limit of one unit has numbers only.
 */
export type Amount = number | readonly number[];

/** The part of an amount that is in one unit. */
export function inUnit(amount: Amount, unit: number): number {
  return typeof amount === 'number' ? amount : (amount[unit] as number);
}

/** How the amounts of a limit are added and compared. */
export interface Sums {
  /** The first plus `times` the second, unit by unit. */
  plus(one: Amount, other: Amount, times?: number): Amount;
  /** Whether an amount is larger than another in any unit. */
  exceeds(one: Amount, other: Amount): boolean;
  /** The weight of an amount against others, for a queue that shares tokens among keys. */
  weigh(amount: Amount): number;
}

/** At a limit of one unit. */
export const NUMBERS: Sums = {
  plus: (one, other, times = 1) => (one as number) + (other as number) * times,
  exceeds: (one, other) => one > other,
  weigh: (amount) => amount as number,
};

/** The options that decide where a request waits. */
export type PlaceOptions = Pick<AcquireOptions, 'priority' | 'retry' | 'fairKey'>;

/** Where a request waits. Only the queue that returned it from {@link Queue.laneOf} knows what it is. */
export type Lane = unknown;

/** A request that waits, as its queue sees it. */
export interface QueueEntry<W> {
  readonly cost: Amount;
  /** Since when it waits, in whole milliseconds of its limit. */
  readonly sinceMs: number;
  readonly lane: Lane;
  /** Its neighbours, which the queue sets. */
  next: W | undefined;
  previous: W | undefined;
}

/** Requests that are served in the order in which they came: a doubly linked list, which any of them can leave in constant time. */
export class Line<W extends QueueEntry<W>> {
  first: W | undefined;
  last: W | undefined;
  /** The sum of all costs. */
  cost: Amount = 0;
  readonly #sums: Sums;

  constructor(sums: Sums) {
    this.#sums = sums;
  }

  /** Adds one behind those that have waited as long: at the end, unless it has waited elsewhere before. */
  add(one: W): void {
    let previous = this.last;
    while (previous && previous.sinceMs > one.sinceMs) ({ previous } = previous);
    const next = previous ? previous.next : this.first;
    one.previous = previous;
    one.next = next;
    if (previous === undefined) this.first = one;
    else previous.next = one;
    if (next === undefined) this.last = one;
    else next.previous = one;
    this.cost = this.#sums.plus(this.cost, one.cost);
  }

  remove(one: W): void {
    const { next, previous } = one;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.last = previous;
    else next.previous = previous;
    one.next = undefined;
    one.previous = undefined;
    // Reset when empty, so that rounding errors do not add up.
    this.cost = this.first === undefined ? 0 : this.#sums.plus(this.cost, one.cost, -1);
  }

  /** The one that was returned last may leave meanwhile. */
  *[Symbol.iterator](): Generator<W, void> {
    for (let one = this.first; one !== undefined; ) {
      const { next }: W = one;
      yield one;
      one = next;
    }
  }
}

/**
 * The order of the requests that wait at one limit. It knows nothing of deadlines, signals or promises. Iterates over all of them,
 * beginning with the first, and the one that was returned last may leave meanwhile.
 */
export interface Queue<W extends QueueEntry<W>> extends Iterable<W> {
  /** The sum of all costs. */
  readonly cost: Amount;
  /** True if it takes keys. */
  readonly isFair?: true;
  /** Sum of the weights of all waiting keys (fair queues only). */
  readonly shares?: number;
  /** The next to go. */
  readonly first: W | undefined;
  /**
   * Where a request waits.
   *
   * @throws TypeError, RangeError if the queue does not take its priority, or its key
   */
  laneOf(options: PlaceOptions): Lane;
  /** Whether a request would be the next to go that waits since then, and not here. */
  goesFirst(lane: Lane, sinceMs: number): boolean;
  /**
   * The cost of all requests that go before a new one, if none of them leaves. May be less if `isExact` is false: an exact count
   * could take long.
   */
  costAhead(lane: Lane, nowMs: number, isExact: boolean): Amount;
  add(one: W): void;
  /** @param isServed true if the request was served */
  remove(one: W, isServed: boolean): void;
  /** The one that leaves a full queue for a new request of this lane. Without it the new request is refused. */
  evictedBy?(lane: Lane): W | undefined;
}

/** A value of the option `queue`: makes the queue of a limit. Several limits may share it. */
export interface QueueOrder {
  /** @param sums how costs add up, and their weights for a queue that gives each key its share */
  make<W extends QueueEntry<W>>(sums: Sums): Queue<W>;
}
