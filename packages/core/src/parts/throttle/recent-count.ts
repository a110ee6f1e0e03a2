/** In milliseconds. */
const WINDOW_MS = 10_000;

/** About how many there were in the last ten seconds: one counts the less the longer ago it was. */
export class RecentCount {
  #count = 0;
  #atMs = 0;

  add(nowMs: number): void {
    this.#count = this.at(nowMs) + 1;
    this.#atMs = nowMs;
  }

  at(nowMs: number): number {
    return this.#count * Math.exp(Math.min(0, this.#atMs - nowMs) / WINDOW_MS);
  }
}
