/**
 * Who goes next: the one with the least rank, and of those with one rank the first that came to it. A binary heap. Its ranks stand
 * side by side, because looking into each entry would be most of the time.
 */
export class Turns<E> {
  readonly entries: E[] = [];
  readonly ranks: number[] = [];
  readonly #arrivals: number[] = [];
  #arrived = 0;

  /** @param at the place that is free for it: behind all, or that of the first, which then has the rank instead of its own */
  add(entry: E, rank: number, at: number = this.entries.length): void {
    this.#arrived += 1;
    this.#place(entry, rank, this.#arrived, at);
  }

  /** Removes the first. */
  shift(): void {
    const [entry, rank, arrival] = [this.entries.pop(), this.ranks.pop(), this.#arrivals.pop()];
    if (this.entries.length > 0) this.#place(entry as E, rank as number, arrival as number, 0);
  }

  #place(entry: E, rank: number, arrival: number, free: number): void {
    const { entries, ranks } = this;
    const arrivals = this.#arrivals;
    const set = (to: number, entry: E, rank: number, arrival: number): void => {
      entries[to] = entry;
      ranks[to] = rank;
      arrivals[to] = arrival;
    };
    const isBefore = (at: number, rank: number, arrival: number): boolean => {
      const own = ranks[at] as number;
      return own < rank || (own === rank && (arrivals[at] as number) < arrival);
    };
    let at = free;
    const take = (from: number): void => {
      set(at, entries[from] as E, ranks[from] as number, arrivals[from] as number);
      at = from;
    };
    // The free place sinks to the bottom, where most entries belong, and the entry rises from there.
    for (let left = 2 * at + 1; left < entries.length; left = 2 * at + 1) {
      const right = left + 1;
      const isRight =
        right < entries.length && isBefore(right, ranks[left] as number, arrivals[left] as number);
      take(isRight ? right : left);
    }
    while (at > 0 && !isBefore((at - 1) >> 1, rank, arrival)) take((at - 1) >> 1);
    set(at, entry, rank, arrival);
  }
}
