import type { AcquireOptions } from '../loop/contracts.ts';
import type { Amount, Weigh } from './amount.ts';
import type { Linked } from './list.ts';

/** What decides where a request waits. */
export type PlaceOptions = Pick<AcquireOptions, 'priority' | 'retry' | 'fairKey'>;

/** Where a request waits. Only the queue that returned it from {@link Queue.laneOf} knows what it is. */
export type Lane = unknown;

/** A request that waits, as its queue sees it. */
export interface Queued<W> extends Linked<W> {
  readonly cost: Amount;
  /** Since when it waits, in whole milliseconds of its limit. */
  readonly sinceMs: number;
  readonly lane: Lane;
}

/** The order of the requests that wait at one limit. It knows nothing of deadlines, signals or promises. */
export interface Queue<W extends Queued<W>> {
  /** The sum of all costs. */
  readonly cost: Amount;
  /** True if it takes keys. */
  readonly isFair?: true;
  /** Of a queue that takes keys: what those that wait beside the next to go weigh together, its own key included. */
  readonly shares?: number;
  /** The next to go. */
  readonly first: W | undefined;
  /**
   * Where a request waits.
   *
   * @throws TypeError, RangeError if the queue does not take its priority, or its key
   */
  laneOf(options: PlaceOptions): Lane;
  /** Whether a request that comes now would be the next to go. */
  goesFirst(lane: Lane, nowMs: number): boolean;
  /**
   * The cost of everything that goes before a request that comes now, if none of it leaves. If not exact it is a lower bound that
   * leaves out lower lanes, where each that has waited long enough must be counted.
   */
  costAhead(lane: Lane, nowMs: number, isExact: boolean): Amount;
  /** What the first costs, then those that go after it: all of them, or those in its lane. */
  costsInTurn(): Iterable<Amount>;
  add(one: W): void;
  /** @param isServed true if it got what it waited for */
  remove(one: W, isServed: boolean): void;
  /** The one that leaves a full queue for a new request of this lane. Without it the new request is refused. */
  displacedBy?(lane: Lane): W | undefined;
  /** Starts a search of the whole queue with {@link searched}. */
  startSearch(): void;
  /** The next one of the search. Others may come and leave during it. */
  searched(): W | undefined;
}

/** What the option `queue` of a limit takes: makes the queue of a limit. Several limits may share it. */
export interface QueueOrder {
  /** @param weigh what a cost weighs, for a queue that gives each key its share: the cost itself, or its dominant part */
  make<W extends Queued<W>>(weigh: Weigh): Queue<W>;
}
