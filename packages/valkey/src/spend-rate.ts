/** How fast a process spends tokens: an exponential moving average over about the last `overMs`. */
export class SpendRate {
  readonly #overMs: number;
  #perMs = 0;
  #sinceMs: number;

  constructor(overMs: number, nowMs: number) {
    this.#overMs = overMs;
    this.#sinceMs = nowMs;
  }

  get perMs(): number {
    return this.#perMs;
  }

  /** Records what was spent since the last call. Steps may have any length. */
  record(spent: number, nowMs: number): void {
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs <= 0) {
      this.#perMs += spent / this.#overMs;
      return;
    }
    const weight = 1 - Math.exp(-elapsedMs / this.#overMs);
    this.#perMs += (spent / elapsedMs - this.#perMs) * weight;
    this.#sinceMs = nowMs;
  }
}
