import { devText } from '#dev-text';
import { wrongType } from '../base/check.ts';
import {
  type Amount,
  Line,
  type PlaceOptions,
  type Queue,
  type QueueEntry,
  type QueueOrder,
  type Sums,
} from './queue.ts';

/** A retry goes before new requests unless they have waited this much longer, in milliseconds. */
const HEAD_START_MS = 30_000;

/** True if a new request has waited long enough to go before a retry. */
function isAhead(one: { readonly sinceMs: number }, retrySinceMs: number): boolean {
  return one.sinceMs + HEAD_START_MS < Math.round(retrySinceMs);
}

/** @throws TypeError for a key, of a queue that gives keys no shares */
export function mustHaveNoKey(fairKey: string | undefined): void {
  if (fairKey === undefined) return;
  throw wrongType('fairKey', devText('left out at a limit without `queue: fairQueue()`'), fairKey);
}

/** Retries, then new requests, each first come, first served. The lane of a request is whether it is a retry. */
class Fifo<W extends QueueEntry<W>> implements Queue<W> {
  readonly #sums: Sums;
  readonly #retries: Line<W>;
  readonly #others: Line<W>;

  constructor(sums: Sums) {
    this.#sums = sums;
    this.#retries = new Line(sums);
    this.#others = new Line(sums);
  }

  laneOf({ priority = 0, retry = false, fairKey }: PlaceOptions): boolean {
    mustHaveNoKey(fairKey);
    if (priority !== 0)
      throw wrongType('priority', devText('0 at a limit without `queue: priorityQueue()`'), priority);
    return retry;
  }

  get cost(): Amount {
    return this.#sums.plus(this.#retries.cost, this.#others.cost);
  }

  get first(): W | undefined {
    const retry = this.#retries.first;
    const other = this.#others.first;
    return retry && !(other && isAhead(other, retry.sinceMs)) ? retry : (other ?? retry);
  }

  goesFirst(isRetry: boolean, sinceMs: number): boolean {
    const { first } = this;
    if (!first) return true;
    const fromMs = Math.round(sinceMs);
    if (first.lane === isRetry) return fromMs < first.sinceMs;
    return isRetry ? !isAhead(first, fromMs) : isAhead({ sinceMs: fromMs }, first.sinceMs);
  }

  costAhead(isRetry: boolean, nowMs: number, isExact: boolean): Amount {
    if (!isRetry) return this.cost;
    let { cost } = this.#retries;
    if (!isExact) return cost;
    for (const one of this.#others) {
      if (!isAhead(one, nowMs)) break;
      cost = this.#sums.plus(cost, one.cost);
    }
    return cost;
  }

  add(one: W): void {
    this.#lineOf(one).add(one);
  }

  remove(one: W): void {
    this.#lineOf(one).remove(one);
  }

  #lineOf({ lane }: W): Line<W> {
    // Requests of other orders also wait here, whose lanes say something else.
    return lane === true ? this.#retries : this.#others;
  }

  *[Symbol.iterator](): Generator<W> {
    const { first } = this;
    const lines = [this.#retries, this.#others];
    for (const line of first === this.#others.first ? lines.reverse() : lines) yield* line;
  }
}

/** The queue of a limit that is given none. */
export const fifo: QueueOrder = { make: (sums) => new Fifo<never>(sums) };
