import type { AcquireOptions } from '../loop/contracts.ts';
import type { Amount, Weigh } from './amount.ts';

/** What decides where a request waits. */
export type PlaceOptions = Pick<AcquireOptions, 'priority' | 'retry' | 'fairKey'>;

/** A request that waits, as its queue sees it. */
export interface Queued<W> {
  readonly cost: Amount;
  /** Since when it waits, in whole milliseconds of its limit. */
  readonly sinceMs: number;
  /** Where it waits: what {@link Queue.laneOf} returned. */
  readonly lane: number;
  /** The one behind it, and the one before it, in its lane. Set by the queue. */
  next: W | undefined;
  previous: W | undefined;
}

/** The order of the requests that wait at one limit. It knows nothing of deadlines, signals or promises. */
export interface Queue<W extends Queued<W>> {
  /** The sum of all costs. */
  readonly cost: Amount;
  /** The next to go. */
  readonly first: W | undefined;
  /**
   * Where a request waits.
   *
   * @throws TypeError, RangeError if the queue does not take its priority
   */
  laneOf(options: PlaceOptions): number;
  /** Whether a request that has waited since then would be the next to go. */
  goesFirst(lane: number, sinceMs: number): boolean;
  /**
   * The cost of everything that goes before a request that has waited since then, if none of it leaves. If not exact it is a
   * lower bound that leaves out lower lanes, where each that has waited long enough must be counted.
   */
  costAhead(lane: number, sinceMs: number, isExact: boolean): Amount;
  add(one: W): void;
  remove(one: W): void;
  /** The one that leaves a full queue for a new request of this lane. Without it the new request is refused. */
  displacedBy?(lane: number): W | undefined;
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
