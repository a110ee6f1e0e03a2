/** Latencies of answers, in milliseconds. */
export class Sample {
  count = 0;
  least: number = Number.POSITIVE_INFINITY;
  #sum = 0;
  #squares = 0;

  add(tookMs: number): void {
    this.count += 1;
    this.#sum += tookMs;
    this.#squares += tookMs * tookMs;
    if (tookMs < this.least) this.least = tookMs;
  }

  addAll(other: Sample): void {
    this.count += other.count;
    this.#sum += other.#sum;
    this.#squares += other.#squares;
    this.least = Math.min(this.least, other.least);
  }

  get meanMs(): number {
    return this.#sum / this.count;
  }

  /** The standard deviation as a share of the mean. */
  get spread(): number {
    return Math.sqrt(Math.max(0, (this.#squares * this.count) / this.#sum ** 2 - 1));
  }
}
