/**
 * How fast this process spends tokens: an average over about the last `overMs`, in which what is newer weighs
 * more (an exponential moving average, for steps of any length).
 */
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

  /** Tells how much was spent since it was told last. */
  record(spent: number, nowMs: number): void {
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs <= 0) {
      // No time has passed, so it counts with the next.
      this.#perMs += spent / this.#overMs;
      return;
    }
    const weight = 1 - Math.exp(-elapsedMs / this.#overMs);
    this.#perMs += (spent / elapsedMs - this.#perMs) * weight;
    this.#sinceMs = nowMs;
  }
}
