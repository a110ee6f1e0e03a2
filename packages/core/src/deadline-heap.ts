/** What the heap keeps in order. */
export interface Due {
  readonly deadlineMs: number;
  /** Kept by the heap; below 0 for one that is not in it. */
  heapIndex: number;
}

/** A binary heap: the earliest deadline is at hand, and any can be taken out. */
export class DeadlineHeap<D extends Due> {
  readonly #heap: D[] = [];

  get first(): D | undefined {
    return this.#heap[0];
  }

  add(due: D): void {
    this.#rise(due, this.#heap.length);
  }

  remove(due: D): void {
    const { heapIndex } = due;
    if (heapIndex < 0) return;
    due.heapIndex = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === due) return;
    const parent = this.#heap[(heapIndex - 1) >> 1];
    if (heapIndex > 0 && parent !== undefined && last.deadlineMs < parent.deadlineMs) {
      this.#rise(last, heapIndex);
    } else {
      this.#sink(last, heapIndex);
    }
  }

  #place(due: D, index: number): void {
    this.#heap[index] = due;
    due.heapIndex = index;
  }

  /** Puts it into the free place at `index`, or into one above, whose owners move down. */
  #rise(due: D, index: number): void {
    let at = index;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#heap[above];
      if (parent === undefined || parent.deadlineMs <= due.deadlineMs) break;
      this.#place(parent, at);
      at = above;
    }
    this.#place(due, at);
  }

  /** Puts it into the free place at `index`, or into one below, whose owners move up. */
  #sink(due: D, index: number): void {
    const heap = this.#heap;
    let at = index;
    for (;;) {
      let below = 2 * at + 1;
      const left = heap[below];
      const right = heap[below + 1];
      if (left === undefined) break;
      let child = left;
      if (right !== undefined && right.deadlineMs < left.deadlineMs) {
        child = right;
        below += 1;
      }
      if (due.deadlineMs <= child.deadlineMs) break;
      this.#place(child, at);
      at = below;
    }
    this.#place(due, at);
  }
}
