import { HIGHEST_PRIORITY } from './check.ts';
import { Heap, type Heaped } from './heap.ts';
import { SignalWatch } from './signal-watch.ts';

/** One who waits. */
export interface Waiter<T> {
  /** There is no `reject`: a second function for each would weigh too much. A rejected promise does it. */
  readonly resolve: (value: T | Promise<T>) => void;
  readonly cost: number;
  /** In whole milliseconds: those weigh less than fractions. */
  readonly sinceMs: number;
  next: Waiter<T> | undefined;
  previous: Waiter<T> | undefined;
  /** Apart, since most have none. */
  bounds: Bounds<T> | undefined;
}

/** The end of a waiter's patience: a deadline, a signal, or both. */
export interface Bounds<T> extends Heaped {
  readonly waiter: Waiter<T>;
  readonly lane: number;
  /** `Infinity` where there is none. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

interface Lane<T> {
  first: Waiter<T> | undefined;
  last: Waiter<T> | undefined;
  cost: number;
}

/** The lane of an asker: that of a retry lies above that of new requests of its priority. */
export function laneOf(priority: number, retry: boolean): number {
  return (priority + HIGHEST_PRIORITY) * 2 + (retry ? 1 : 0);
}

function isEarlier(one: { deadlineMs: number }, other: { deadlineMs: number }): boolean {
  return one.deadlineMs < other.deadlineMs;
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

/**
 * Those who wait, in the order in which they go: first come, first served within a lane. Between lanes a higher
 * one is worth a head start, so that those of a lower one go late, but go.
 */
export class WaitingLine<T> {
  size = 0;
  readonly #lanes: Lane<T>[] = [];
  /** A bit for each lane in which somebody waits. */
  #occupied = 0;
  readonly #headStartMs: number;
  readonly #deadlines = new Heap<Bounds<T>>(isEarlier);
  readonly #signals: SignalWatch<Bounds<T>>;

  /** `headStartMs` is what each lane is worth. `onAbort` is called after those of an aborted signal left. */
  constructor(headStartMs: number, onAbort: () => void) {
    this.#headStartMs = headStartMs;
    this.#signals = new SignalWatch((aborted, reason) => {
      const rejected = Promise.reject(reason);
      for (const { waiter, lane } of aborted) {
        this.#remove(waiter, lane);
        waiter.resolve(rejected);
      }
      onAbort();
    });
  }

  /** The tokens that those wait for who go before a newcomer to this lane, as far as is sure. */
  costAhead(lane: number): number {
    let cost = 0;
    for (let mask = this.#occupied & (-1 << lane); mask !== 0; mask &= mask - 1) {
      cost += this.#lanes[lowestBit(mask)]?.cost ?? 0;
    }
    return cost;
  }

  /** What it costs to let everybody go. */
  get cost(): number {
    return this.costAhead(0);
  }

  /** The lane of the one whose turn it is; below 0 when nobody waits. */
  #laneInTurn(): number {
    let best = -1;
    let bestKey = Number.POSITIVE_INFINITY;
    for (let mask = this.#occupied; mask !== 0; mask &= mask - 1) {
      const lane = lowestBit(mask);
      const key = (this.#lanes[lane]?.first?.sinceMs ?? 0) - lane * this.#headStartMs;
      if (key <= bestKey) {
        best = lane;
        bestKey = key;
      }
    }
    return best;
  }

  /** Whether a newcomer to this lane would be the first of all to go. */
  goesFirst(lane: number, nowMs: number): boolean {
    if (this.size === 0) return true;
    const rival = this.#laneInTurn();
    const sinceMs = this.#lanes[rival]?.first?.sinceMs ?? 0;
    return rival < lane && nowMs - lane * this.#headStartMs < sinceMs - rival * this.#headStartMs;
  }

  /** The one whose turn it is. */
  peek(): Waiter<T> | undefined {
    return this.#lanes[this.#laneInTurn()]?.first;
  }

  /** Takes the one out whose turn it is. */
  shift(): Waiter<T> | undefined {
    const lane = this.#laneInTurn();
    const waiter = this.#lanes[lane]?.first;
    if (waiter !== undefined) this.#remove(waiter, lane);
    return waiter;
  }

  /** Takes the last of the lowest lane out, if that is lower than `lane`. */
  popBelow(lane: number): Waiter<T> | undefined {
    const lowest = lowestBit(this.#occupied);
    const waiter = lowest < lane ? this.#lanes[lowest]?.last : undefined;
    if (waiter !== undefined) this.#remove(waiter, lowest);
    return waiter;
  }

  /** Takes the one out who has waited longest. */
  shiftOldest(): Waiter<T> | undefined {
    let oldest = -1;
    for (let mask = this.#occupied; mask !== 0; mask &= mask - 1) {
      const lane = lowestBit(mask);
      const sinceMs = this.#lanes[lane]?.first?.sinceMs ?? 0;
      if (oldest < 0 || sinceMs < (this.#lanes[oldest]?.first?.sinceMs ?? 0)) oldest = lane;
    }
    const waiter = this.#lanes[oldest]?.first;
    if (waiter !== undefined) this.#remove(waiter, oldest);
    return waiter;
  }

  /** When the first deadline of all is; `Infinity` when there is none. */
  get nextDeadlineMs(): number {
    return this.#deadlines.first?.deadlineMs ?? Number.POSITIVE_INFINITY;
  }

  /** Takes one out whose deadline is `nowMs` or before. */
  shiftExpired(nowMs: number): Waiter<T> | undefined {
    const bounds = this.#deadlines.first;
    if (bounds === undefined || bounds.deadlineMs > nowMs) return undefined;
    this.#remove(bounds.waiter, bounds.lane);
    return bounds.waiter;
  }

  join(
    lane: number,
    cost: number,
    nowMs: number,
    deadlineMs: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return new Promise((resolve) => {
      const queue = this.#laneAt(lane);
      const sinceMs = Math.round(nowMs);
      const previous = queue.last;
      const waiter: Waiter<T> = { resolve, cost, sinceMs, next: undefined, previous, bounds: undefined };
      if (previous === undefined) queue.first = waiter;
      else previous.next = waiter;
      queue.last = waiter;
      queue.cost += cost;
      this.size += 1;
      this.#occupied |= 1 << lane;
      if (deadlineMs === Number.POSITIVE_INFINITY && signal === undefined) return;

      const bounds: Bounds<T> = { waiter, lane, deadlineMs, signal, heapIndex: -1 };
      waiter.bounds = bounds;
      if (deadlineMs < Number.POSITIVE_INFINITY) this.#deadlines.add(bounds);
      if (signal !== undefined) this.#signals.add(signal, bounds);
    });
  }

  #laneAt(lane: number): Lane<T> {
    // Filled up from the first, since an array with holes is a slow one.
    while (this.#lanes.length <= lane) this.#lanes.push({ first: undefined, last: undefined, cost: 0 });
    return this.#lanes[lane] as Lane<T>;
  }

  #remove(waiter: Waiter<T>, lane: number): void {
    const queue = this.#laneAt(lane);
    const { next, previous, bounds } = waiter;
    if (previous === undefined) queue.first = next;
    else previous.next = next;
    if (next === undefined) queue.last = previous;
    else next.previous = previous;
    waiter.next = undefined;
    waiter.previous = undefined;
    this.size -= 1;
    queue.cost -= waiter.cost;
    if (queue.first === undefined) {
      // Sums of fractions are a little off in the end.
      queue.cost = 0;
      this.#occupied &= ~(1 << lane);
    }
    if (bounds === undefined) return;
    this.#deadlines.remove(bounds);
    if (bounds.signal !== undefined) this.#signals.remove(bounds.signal, bounds);
  }
}
