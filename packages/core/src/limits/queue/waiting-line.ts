import { HIGHEST_PRIORITY } from '../../base/check.ts';
import { onAbort } from '../../base/on-abort.ts';
import { SignalWatch } from '../../base/signal-watch.ts';
import { Heap, type Heaped } from './heap.ts';
import { Lane, type Linked } from './lane.ts';

/** One who waits. */
export interface Waiter<T> extends Linked<Waiter<T>> {
  /** There is no `reject`: a second function for each would weigh too much. A rejected promise does it. */
  readonly resolve: (value: T | Promise<T>) => void;
  /** In whole milliseconds: those weigh less than fractions. */
  readonly sinceMs: number;
  /** What else may end the wait: nothing, a signal, or a deadline, perhaps with a signal. */
  bound: SignalWatch<Waiter<T>> | Deadline<T> | undefined;
}

/** Apart from the waiter, since most have none. */
interface Deadline<T> extends Heaped {
  readonly waiter: Waiter<T>;
  readonly lane: number;
  readonly atMs: number;
  readonly watch: SignalWatch<Waiter<T>> | undefined;
}

function watchOf<T>({ bound }: Waiter<T>): SignalWatch<Waiter<T>> | undefined {
  return bound instanceof SignalWatch ? bound : bound?.watch;
}

/** The deadline of a waiter, in milliseconds of the bucket's time; `Infinity` if it has none. */
export function deadlineOf<T>({ bound }: Waiter<T>): number {
  return bound === undefined || bound instanceof SignalWatch ? Number.POSITIVE_INFINITY : bound.atMs;
}

/** The lane of an asker: that of a retry lies above that of new requests of its priority. */
export function laneOf(priority: number, retry: boolean): number {
  return (priority + HIGHEST_PRIORITY) * 2 + (retry ? 1 : 0);
}

function isEarlier(one: { readonly atMs: number }, other: { readonly atMs: number }): boolean {
  return one.atMs < other.atMs;
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
  readonly #lanes: Lane<Waiter<T>>[] = [];
  /** A bit for each lane in which somebody waits. */
  #occupied = 0;
  readonly #headStartMs: number;
  readonly #deadlines = new Heap<Deadline<T>>(isEarlier);
  readonly #watches = new Map<AbortSignal, SignalWatch<Waiter<T>>>();
  readonly #onAbort: () => void;
  #onEmpty: (() => void)[] = [];

  /** `headStartMs` is what each lane is worth. `onAbort` is called after those of an aborted signal left. */
  constructor(headStartMs: number, onAbort: () => void) {
    this.#headStartMs = headStartMs;
    this.#onAbort = onAbort;
  }

  /** What it costs to let everybody go. */
  get cost(): number {
    return this.#costFrom(0);
  }

  #costFrom(lane: number): number {
    let cost = 0;
    for (let mask = this.#occupied & (-1 << lane); mask !== 0; mask &= mask - 1) {
      cost += this.#lanes[lowestBit(mask)]?.cost ?? 0;
    }
    return cost;
  }

  /**
   * The tokens that those wait for who go before a newcomer to this lane, if none of them leaves: all in its own
   * lane and in higher ones, and in lower ones those who have waited longer than its head start. Takes time for
   * each of the latter.
   */
  costAhead(lane: number, nowMs: number): number {
    let cost = this.#costFrom(lane);
    for (let mask = this.#occupied & ~(-1 << lane); mask !== 0; mask &= mask - 1) {
      const lower = lowestBit(mask);
      const beforeMs = Math.round(nowMs) - (lane - lower) * this.#headStartMs;
      const { first, last, cost: all } = this.#lanes[lower] as Lane<Waiter<T>>;
      if (last !== undefined && last.sinceMs < beforeMs) {
        cost += all;
        continue;
      }
      for (let aged = first; aged !== undefined && aged.sinceMs < beforeMs; aged = aged.next) {
        cost += aged.cost;
      }
    }
    return cost;
  }

  /** As {@link costAhead}, without those of lower lanes: at once, and not too much. */
  leastCostAhead(lane: number): number {
    return this.#costFrom(lane);
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
    return rival < lane && Math.round(nowMs) - (lane - rival) * this.#headStartMs <= sinceMs;
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
    return this.#deadlines.first?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Takes one out whose deadline is `nowMs` or before. */
  shiftExpired(nowMs: number): Waiter<T> | undefined {
    const due = this.#deadlines.first;
    if (due === undefined || due.atMs > nowMs) return undefined;
    this.#remove(due.waiter, due.lane);
    return due.waiter;
  }

  /** Starts a search of the whole line with {@link shiftAbove}. */
  startSearch(): void {
    for (const lane of this.#lanes) lane.searchAt = lane.first;
  }

  /** Looks at the next `looks.left` waiters, and takes out the first that waits for more than `cost`. */
  shiftAbove(cost: number, looks: { left: number }): Waiter<T> | undefined {
    for (let lane = this.#lanes.length - 1; lane >= 0; lane -= 1) {
      const list = this.#laneAt(lane);
      for (let one = list.searchAt; one !== undefined && looks.left > 0; one = list.searchAt) {
        looks.left -= 1;
        list.searchAt = one.next;
        if (one.cost <= cost) continue;
        this.#remove(one, lane);
        return one;
      }
    }
    return undefined;
  }

  /** Calls this once, when the last has left. */
  onceEmpty(callback: () => void): void {
    this.#onEmpty.push(callback);
  }

  join(
    lane: number,
    cost: number,
    nowMs: number,
    deadlineMs: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return new Promise((resolve) => {
      const sinceMs = Math.round(nowMs);
      const watch = signal && this.#watchOf(signal);
      const waiter: Waiter<T> = {
        resolve,
        cost,
        sinceMs,
        next: undefined,
        previous: undefined,
        bound: watch,
      };
      this.#laneAt(lane).push(waiter);
      this.size += 1;
      this.#occupied |= 1 << lane;
      watch?.add(waiter, lane);
      if (deadlineMs === Number.POSITIVE_INFINITY) return;
      const deadline: Deadline<T> = { waiter, lane, atMs: deadlineMs, watch, heapIndex: -1 };
      waiter.bound = deadline;
      this.#deadlines.add(deadline);
    });
  }

  #laneAt(lane: number): Lane<Waiter<T>> {
    // Filled up from the first, since an array with holes is a slow one.
    while (this.#lanes.length <= lane) this.#lanes.push(new Lane());
    return this.#lanes[lane] as Lane<Waiter<T>>;
  }

  #remove(waiter: Waiter<T>, lane: number): void {
    const list = this.#laneAt(lane);
    list.remove(waiter);
    if (list.first === undefined) this.#occupied &= ~(1 << lane);
    this.size -= 1;
    if (this.size === 0 && this.#onEmpty.length > 0) this.#tellEmpty();
    const { bound } = waiter;
    if (bound === undefined) return;
    const watch = watchOf(waiter);
    waiter.bound = undefined;
    watch?.left();
    if (!(bound instanceof SignalWatch)) this.#deadlines.remove(bound);
  }

  #tellEmpty(): void {
    const callbacks = this.#onEmpty;
    this.#onEmpty = [];
    for (const callback of callbacks) callback();
  }

  #watchOf(signal: AbortSignal): SignalWatch<Waiter<T>> {
    let watch = this.#watches.get(signal);
    if (watch === undefined) {
      watch = new SignalWatch(
        (end) => onAbort(signal, end),
        (one, own) => watchOf(one) === own,
        (ended) => this.#endWatch(signal, ended),
      );
      this.#watches.set(signal, watch);
    }
    return watch;
  }

  /** The signal has aborted, or nobody waits under it any more. */
  #endWatch(signal: AbortSignal, watch: SignalWatch<Waiter<T>>): void {
    this.#watches.delete(signal);
    let rejected: Promise<never> | undefined;
    for (const [waiter, lane] of watch.members()) {
      rejected ??= Promise.reject(signal.reason);
      this.#remove(waiter, lane);
      waiter.resolve(rejected);
    }
    if (rejected !== undefined) this.#onAbort();
  }
}
