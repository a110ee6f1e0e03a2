/** An entry of a heap. */
export interface HeapEntry {
  /** Its index, set by the heap; -1 while it is in no heap. */
  heapIndex: number;
}

/** A binary heap from which any entry can be removed. */
export class Heap<E extends HeapEntry> {
  readonly #entries: E[] = [];
  readonly #isBefore: (one: E, other: E) => boolean;

  constructor(isBefore: (one: E, other: E) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#entries.length;
  }

  get first(): E | undefined {
    return this.#entries[0];
  }

  add(entry: E): void {
    this.#place(entry, this.#entries.length);
  }

  /** Does nothing if the entry is not in the heap. */
  remove(entry: E): void {
    const { heapIndex } = entry;
    if (heapIndex < 0) return;
    entry.heapIndex = -1;
    const last = this.#entries.pop() as E;
    if (last !== entry) this.#place(last, heapIndex);
  }

  /** Puts an entry into the free place at `index`, or into one above or below it, whose owners move. */
  #place(entry: E, index: number): void {
    const entries = this.#entries;
    let at = index;
    const free = (next: number): void => {
      const owner = entries[next] as E;
      entries[at] = owner;
      owner.heapIndex = at;
      at = next;
    };
    while (at > 0 && this.#isBefore(entry, entries[(at - 1) >> 1] as E)) free((at - 1) >> 1);
    for (;;) {
      const left = 2 * at + 1;
      const [one, other] = [entries[left], entries[left + 1]];
      const isRight = one !== undefined && other !== undefined && this.#isBefore(other, one);
      const least = isRight ? other : one;
      if (least === undefined || !this.#isBefore(least, entry)) break;
      free(isRight ? left + 1 : left);
    }
    entries[at] = entry;
    entry.heapIndex = at;
  }
}
