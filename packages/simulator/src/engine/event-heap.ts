import { copyInto } from './typed-array.ts';

/** A binary heap of events by time and order, on typed arrays, so that an event makes no garbage. */
export class EventHeap {
  size = 0;
  #times: Float64Array;
  #orders: Float64Array;
  #events: Int32Array;
  #stamps: Int32Array;
  /** The two numbers of the event that {@link pop} removed. */
  event = 0;
  stamp = 0;

  constructor(capacity = 256) {
    this.#times = new Float64Array(capacity);
    this.#orders = new Float64Array(capacity);
    this.#events = new Int32Array(capacity);
    this.#stamps = new Int32Array(capacity);
  }

  /** The time of the next event; `Infinity` if there is none. */
  get nextAtMs(): number {
    return this.size > 0 ? (this.#times[0] as number) : Number.POSITIVE_INFINITY;
  }

  /** Adds an event. At equal times the event with the lower order comes first. */
  push(atMs: number, order: number, event: number, stamp: number): void {
    if (this.size === this.#times.length) this.#grow();
    const times = this.#times;
    let at = this.size;
    this.size += 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const parentAtMs = times[parent] as number;
      if (parentAtMs < atMs || (parentAtMs === atMs && (this.#orders[parent] as number) < order)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, atMs, order, event, stamp);
  }

  /** Removes the next event and sets {@link event} and {@link stamp} to its numbers. */
  pop(): void {
    this.event = this.#events[0] as number;
    this.stamp = this.#stamps[0] as number;
    this.size -= 1;
    const { size } = this;
    if (size === 0) return;
    const times = this.#times;
    const orders = this.#orders;
    const atMs = times[size] as number;
    const order = orders[size] as number;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      let childAtMs = times[child] as number;
      if (child + 1 < size) {
        const rightAtMs = times[child + 1] as number;
        if (
          rightAtMs < childAtMs ||
          (rightAtMs === childAtMs && (orders[child + 1] as number) < (orders[child] as number))
        ) {
          child += 1;
          childAtMs = rightAtMs;
        }
      }
      if (childAtMs > atMs || (childAtMs === atMs && (orders[child] as number) > order)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, atMs, order, this.#events[size] as number, this.#stamps[size] as number);
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from] as number;
    this.#orders[to] = this.#orders[from] as number;
    this.#events[to] = this.#events[from] as number;
    this.#stamps[to] = this.#stamps[from] as number;
  }

  #put(at: number, atMs: number, order: number, event: number, stamp: number): void {
    this.#times[at] = atMs;
    this.#orders[at] = order;
    this.#events[at] = event;
    this.#stamps[at] = stamp;
  }

  #grow(): void {
    const capacity = 2 * this.#times.length;
    this.#times = copyInto(new Float64Array(capacity), this.#times);
    this.#orders = copyInto(new Float64Array(capacity), this.#orders);
    this.#events = copyInto(new Int32Array(capacity), this.#events);
    this.#stamps = copyInto(new Int32Array(capacity), this.#stamps);
  }
}
