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
    const { length } = this.entries;
    let at = free;
    // The free place sinks to the bottom, where most entries belong, and the entry rises from there.
    for (let next = 2 * at + 1; next < length; next = 2 * at + 1) {
      const right = next + 1;
      if (right < length && this.#isBefore(right, this.ranks[next] as number, this.#arrivals[next] as number))
        next = right;
      this.#move(next, at);
      at = next;
    }
    for (let above = (at - 1) >> 1; at > 0 && !this.#isBefore(above, rank, arrival); above = (at - 1) >> 1) {
      this.#move(above, at);
      at = above;
    }
    this.#set(at, entry, rank, arrival);
  }

  #isBefore(at: number, rank: number, arrival: number): boolean {
    const own = this.ranks[at] as number;
    return own < rank || (own === rank && (this.#arrivals[at] as number) < arrival);
  }

  #move(from: number, to: number): void {
    this.#set(to, this.entries[from] as E, this.ranks[from] as number, this.#arrivals[from] as number);
  }

  #set(at: number, entry: E, rank: number, arrival: number): void {
    this.entries[at] = entry;
    this.ranks[at] = rank;
    this.#arrivals[at] = arrival;
  }
}
