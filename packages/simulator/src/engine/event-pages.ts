import { copyInto } from './typed-array.ts';

/** Events in a chunk. A page takes memory chunk by chunk. */
export const CHUNK = 32;
export const NONE = -1;

/**
 * Pages of unsorted events. Each page is a chain of chunks, and all chunks share a few typed arrays, so that an
 * event makes no garbage.
 */
export class EventPages {
  /** The numbers of each event, at `chunk * CHUNK` and after. Replaced when they grow. */
  times: Float64Array = new Float64Array(64 * CHUNK);
  orders: Float64Array = new Float64Array(64 * CHUNK);
  events: Int32Array = new Int32Array(64 * CHUNK);
  stamps: Int32Array = new Int32Array(64 * CHUNK);
  /** The last chunk of each page, and how many events are in it. All earlier chunks of the page are full. */
  readonly #lastChunk: Int32Array;
  readonly #filled: Int32Array;
  /** The chunk before each chunk of a page; for a free chunk the next free one. */
  #chain: Int32Array = new Int32Array(64);
  #freeChunk = NONE;
  #chunks = 0;

  constructor(pages: number) {
    this.#lastChunk = new Int32Array(pages).fill(NONE);
    this.#filled = new Int32Array(pages);
  }

  isEmpty(page: number): boolean {
    return this.#lastChunk[page] === NONE;
  }

  put(page: number, atMs: number, order: number, event: number, stamp: number): void {
    let chunk = this.#lastChunk[page] as number;
    let filled = this.#filled[page] as number;
    if (chunk === NONE || filled === CHUNK) {
      const fresh = this.#takeChunk();
      this.#chain[fresh] = chunk;
      this.#lastChunk[page] = fresh;
      chunk = fresh;
      filled = 0;
    }
    this.#filled[page] = filled + 1;
    const at = chunk * CHUNK + filled;
    this.times[at] = atMs;
    this.orders[at] = order;
    this.events[at] = event;
    this.stamps[at] = stamp;
  }

  /** How many events the last chunk of a page holds. */
  filled(page: number): number {
    return this.#filled[page] as number;
  }

  /** Empties a page and returns its last chunk, from which {@link free} leads to the others. */
  detach(page: number): number {
    const chunk = this.#lastChunk[page] as number;
    this.#lastChunk[page] = NONE;
    return chunk;
  }

  /** Frees a detached chunk and returns the one before it, which is full; below 0 after the first. */
  free(chunk: number): number {
    const before = this.#chain[chunk] as number;
    this.#chain[chunk] = this.#freeChunk;
    this.#freeChunk = chunk;
    return before;
  }

  #takeChunk(): number {
    const free = this.#freeChunk;
    if (free !== NONE) {
      this.#freeChunk = this.#chain[free] as number;
      return free;
    }
    if (this.#chunks === this.#chain.length) this.#grow();
    this.#chunks += 1;
    return this.#chunks - 1;
  }

  #grow(): void {
    const chunks = 2 * this.#chain.length;
    this.#chain = copyInto(new Int32Array(chunks), this.#chain);
    this.times = copyInto(new Float64Array(chunks * CHUNK), this.times);
    this.orders = copyInto(new Float64Array(chunks * CHUNK), this.orders);
    this.events = copyInto(new Int32Array(chunks * CHUNK), this.events);
    this.stamps = copyInto(new Int32Array(chunks * CHUNK), this.stamps);
  }
}
