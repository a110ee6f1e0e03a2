import { onAbort } from '../base/on-abort.ts';
import { type Amount, itself, type Weigh } from './amount.ts';
import { Heap, type Heaped } from './heap.ts';
import type { WaitingSetup } from './options.ts';
import type { Lane, Queue, Queued } from './queue.ts';

/** A request that waits. */
export interface Waiter<T> extends Queued<Waiter<T>> {
  /** Rejects with a rejected promise: a second function would cost memory for every waiter. */
  readonly resolve: (value: T | Promise<T>) => void;
  watch: Watch<T> | undefined;
  deadline: Deadline<T> | undefined;
}

/** Stored apart from the waiter, because most waiters have none. */
interface Deadline<T> extends Heaped {
  readonly waiter: Waiter<T>;
  readonly atMs: number;
}

/** The waiters under one signal, with one listener for all of them: Node would warn of a leak from the eleventh. */
interface Watch<T> {
  readonly waiters: Set<Waiter<T>>;
  readonly stop: () => void;
}

/** What is left of the waiters of an aborted signal. */
interface Aborted<T> {
  readonly waiters: Iterator<Waiter<T>, undefined>;
  readonly reason: unknown;
  /** One for all of them, made for the first. */
  rejected: Promise<never> | undefined;
}

/** The requests that wait at a limit: a queue in some order, with a deadline and a signal for each of them. */
export class WaitingLine<T> {
  /** How many wait. */
  size = 0;
  protected readonly queue: Queue<Waiter<T>>;
  readonly #tally: { waiting: number };
  readonly #deadlines = new Heap<Deadline<T>>((one, other) => one.atMs < other.atMs);
  readonly #watches = new Map<AbortSignal, Watch<T>>();
  readonly #onAbort: () => void;
  readonly #aborted: Aborted<T>[] = [];
  readonly #onEmpty: (() => void)[] = [];

  /**
   * @param onAborted called when a signal has aborted: its waiters are ended by {@link endAborted}
   * @param weigh what a cost weighs at this limit
   */
  constructor(
    { queue, tally = { waiting: 0 } }: Pick<WaitingSetup, 'queue' | 'tally'>,
    onAborted: () => void,
    weigh: Weigh = itself,
  ) {
    this.queue = queue.make(weigh);
    this.#tally = tally;
    this.#onAbort = onAborted;
  }

  /** The sum of all costs in the queue. */
  get cost(): Amount {
    return this.queue.cost;
  }

  /** The cost of the first; 0 for an empty queue. */
  get firstCost(): Amount {
    return this.queue.first?.cost ?? 0;
  }

  /** See {@link Queue.shares}. */
  get shares(): number | undefined {
    return this.queue.shares;
  }

  /** The deadline of the first, in milliseconds of the limit; `Infinity` if it has none. */
  get firstDeadlineMs(): number {
    return this.queue.first?.deadline?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** What the first costs, then some or all of those that go after it. */
  costsInTurn(): Iterable<Amount> {
    return this.queue.costsInTurn();
  }

  /** The earliest deadline; `Infinity` if there is none. */
  get nextDeadlineMs(): number {
    return this.#deadlines.first?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** A waiter whose deadline is `nowMs` or earlier. */
  expired(nowMs: number): Waiter<T> | undefined {
    return this.nextDeadlineMs <= nowMs ? this.#deadlines.first?.waiter : undefined;
  }

  add(lane: Lane, cost: Amount, nowMs: number, deadlineMs: number, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve) => {
      const watch = signal && this.#watchOf(signal);
      const waiter: Waiter<T> = {
        resolve,
        cost,
        // A small integer needs less memory than a double.
        sinceMs: Math.round(nowMs),
        lane,
        next: undefined,
        previous: undefined,
        watch,
        deadline: undefined,
      };
      this.queue.add(waiter);
      this.size += 1;
      this.#tally.waiting += 1;
      watch?.waiters.add(waiter);
      if (deadlineMs === Number.POSITIVE_INFINITY) return;
      waiter.deadline = { waiter, atMs: deadlineMs, heapIndex: -1 };
      this.#deadlines.add(waiter.deadline);
    });
  }

  /** @param isServed true if it got what it waited for */
  remove(waiter: Waiter<T>, isServed = false): void {
    this.queue.remove(waiter, isServed);
    this.size -= 1;
    this.#tally.waiting -= 1;
    const { watch, deadline } = waiter;
    watch?.waiters.delete(waiter);
    if (watch?.waiters.size === 0) watch.stop();
    if (deadline !== undefined) this.#deadlines.remove(deadline);
    if (this.size > 0 || this.#onEmpty.length === 0) return;
    for (const callback of this.#onEmpty.splice(0)) callback();
  }

  /** Resolves when the queue is empty. It may be for a moment only: a displaced request is replaced at once. */
  async idle(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  #watchOf(signal: AbortSignal): Watch<T> {
    let watch = this.#watches.get(signal);
    if (watch === undefined) {
      const waiters = new Set<Waiter<T>>();
      const stopListening = onAbort(signal, () => {
        this.#watches.delete(signal);
        this.#aborted.push({ waiters: waiters.values(), reason: signal.reason, rejected: undefined });
        this.#onAbort();
      });
      const stop = (): void => {
        stopListening();
        this.#watches.delete(signal);
      };
      watch = { waiters, stop };
      this.#watches.set(signal, watch);
    }
    return watch;
  }

  /** True while waiters of an aborted signal are left: see {@link endAborted}. */
  get hasAborted(): boolean {
    return this.#aborted.length > 0;
  }

  /** Removes and rejects a waiter whose signal has aborted; false if there is none. */
  endAborted(): boolean {
    for (let first = this.#aborted[0]; first !== undefined; first = this.#aborted[0]) {
      const waiter = first.waiters.next().value;
      if (waiter !== undefined) {
        first.rejected ??= Promise.reject(first.reason);
        this.remove(waiter);
        waiter.resolve(first.rejected);
        return true;
      }
      this.#aborted.shift();
    }
    return false;
  }
}
