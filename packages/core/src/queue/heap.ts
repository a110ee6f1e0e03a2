/** An entry of a heap. */
export interface Heaped {
  /** Its index, set by the heap; -1 while it is in no heap. */
  heapIndex: number;
}

/** A binary heap from which any entry can be removed. */
export class Heap<E extends Heaped> {
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
    this.#rise(entry, this.#entries.length);
  }

  /** Does nothing if the entry is not in the heap. */
  remove(entry: E): void {
    const { heapIndex } = entry;
    if (heapIndex < 0) return;
    entry.heapIndex = -1;
    const last = this.#entries.pop() as E;
    if (last === entry) return;
    if (heapIndex > 0 && this.#isBefore(last, this.#parentOf(heapIndex))) this.#rise(last, heapIndex);
    else this.#sink(last, heapIndex);
  }

  #parentOf(index: number): E {
    return this.#entries[(index - 1) >> 1] as E;
  }

  #place(entry: E, index: number): void {
    this.#entries[index] = entry;
    entry.heapIndex = index;
  }

  /** Puts it into the free place at `index`, or into one above, whose owners move down. */
  #rise(entry: E, index: number): void {
    let at = index;
    while (at > 0) {
      const parent = this.#parentOf(at);
      if (!this.#isBefore(entry, parent)) break;
      this.#place(parent, at);
      at = (at - 1) >> 1;
    }
    this.#place(entry, at);
  }

  /** Puts it into the free place at `index`, or into one below, whose owners move up. */
  #sink(entry: E, index: number): void {
    let at = index;
    for (;;) {
      let below = 2 * at + 1;
      let child = this.#entries[below];
      const right = this.#entries[below + 1];
      if (child === undefined) break;
      if (right !== undefined && this.#isBefore(right, child)) {
        child = right;
        below += 1;
      }
      if (!this.#isBefore(child, entry)) break;
      this.#place(child, at);
      at = below;
    }
    this.#place(entry, at);
  }
}
