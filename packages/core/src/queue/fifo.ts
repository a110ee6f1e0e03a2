import { prose } from '#prose';
import { wrongType } from '../base/check.ts';
import type { Amount, Sums } from './amount.ts';
import { link, membersOf, unlink } from './list.ts';
import type { PlaceOptions, Queue, Queued, QueueOrder } from './queue.ts';

/** A new request goes before a retry if it has waited longer by this, in milliseconds, so that neither starves. */
const RETRY_HEAD_START_MS = 30_000;

/** @throws TypeError: a key would have no effect */
export function mustHaveNoKey({ fairKey }: PlaceOptions): void {
  if (fairKey === undefined) return;
  throw wrongType('fairKey', prose('left out at a limit without `queue: fairQueue()`'), fairKey);
}

/** A request whose lane is its head start, in milliseconds. */
interface Member<W> extends Queued<W> {
  readonly lane: number;
}

/** First come, first served, with retries before new requests: a list in the order of arrival less the head start. */
class Fifo<W extends Member<W>> implements Queue<W> {
  cost: Amount = 0;
  first: W | undefined;
  last: W | undefined;
  /** The last retry, or one before it: the next retry comes behind it. */
  #retry: W | undefined;
  readonly #sums: Sums;

  constructor(sums: Sums) {
    this.#sums = sums;
  }

  laneOf(options: PlaceOptions): number {
    const { priority = 0, retry } = options;
    mustHaveNoKey(options);
    if (priority !== 0) {
      throw wrongType('priority', prose('0 at a limit without `queue: priorityQueue()`'), priority);
    }
    return retry ? RETRY_HEAD_START_MS : 0;
  }

  #isAhead(one: W | undefined, lane: number, sinceMs: number): one is W {
    if (one === undefined) return false;
    const laterMs = one.sinceMs - one.lane - Math.round(sinceMs) + lane;
    return laterMs < 0 || (laterMs === 0 && one.lane >= lane);
  }

  goesFirst(lane: number, nowMs: number): boolean {
    return !this.#isAhead(this.first, lane, nowMs);
  }

  costAhead(lane: number, nowMs: number, isExact: boolean): Amount {
    if (lane === 0) return this.cost;
    let cost: Amount = 0;
    for (let { first: one } = this; isExact && this.#isAhead(one, lane, nowMs); one = one.next) {
      cost = this.#sums.plus(cost, one.cost);
    }
    return cost;
  }

  add(one: W): void {
    let before = one.lane === 0 ? this.last : this.#retry;
    if (one.lane > 0) {
      let next = before === undefined ? this.first : before.next;
      for (; this.#isAhead(next, one.lane, one.sinceMs); next = next.next) before = next;
      this.#retry = one;
    }
    link(this, one, before);
    this.cost = this.#sums.plus(this.cost, one.cost);
  }

  remove(one: W): void {
    if (one === this.#retry) this.#retry = one.previous;
    unlink(this, one);
    // Reset when empty, so that rounding errors do not add up.
    this.cost = this.first === undefined ? 0 : this.#sums.plus(this.cost, one.cost, -1);
  }

  [Symbol.iterator](): Iterator<W> {
    return membersOf(this);
  }
}

/** The queue of a limit that is given none. */
export const inOrderOfArrival: QueueOrder = { make: (sums) => new Fifo<never>(sums) };
