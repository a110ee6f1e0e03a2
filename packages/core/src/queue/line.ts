import type { Amount, Queued, Sums } from './queue.ts';

/** Requests that are served in the order in which they came: a doubly linked list, which any of them can leave in constant time. */
export class Line<W extends Queued<W>> {
  first: W | undefined;
  last: W | undefined;
  /** The sum of all costs. */
  cost: Amount = 0;
  readonly #sums: Sums;

  constructor(sums: Sums) {
    this.#sums = sums;
  }

  add(one: W): void {
    const { last } = this;
    one.previous = last;
    if (last === undefined) this.first = one;
    else last.next = one;
    this.last = one;
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
