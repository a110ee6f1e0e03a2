/** So many answers are remembered, the last ones. */
const MOST = 100;

/** The costs of the last answers as shares of their most, from 0 to 1. */
export class Shares {
  /** In the order in which they came; a ring once it is full. */
  readonly #last: number[] = [];
  /** The same in ascending order. */
  readonly #sorted: number[] = [];
  /** Where the oldest is, once the ring is full. */
  #next = 0;

  add(share: number): void {
    if (this.#last.length === MOST) {
      this.#sorted.splice(this.#rankOf(this.#last[this.#next] as number), 1);
      this.#last[this.#next] = share;
      this.#next = (this.#next + 1) % MOST;
    } else {
      this.#last.push(share);
    }
    this.#sorted.splice(this.#rankOf(share), 0, share);
  }

  /** The least share that so large a part of the answers do not exceed; `undefined` without answers. */
  quantile(part: number): number | undefined {
    const rank = Math.ceil(part * this.#sorted.length);
    return this.#sorted[Math.max(0, rank - 1)];
  }

  /** How many are smaller. */
  #rankOf(share: number): number {
    const sorted = this.#sorted;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as number) < share) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
