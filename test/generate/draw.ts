/** A stream of numbers that depends on its seed alone: mulberry32, after one round of mixing, since seeds follow each other. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b) >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** True so often: 0 never, 1 always. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** The value with this chance, else `undefined`. Draws the same number of times either way, as long as `make` does. */
  maybe<T>(share: number, make: () => T): T | undefined {
    return this.chance(share) ? make() : undefined;
  }
}
