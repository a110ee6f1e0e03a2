import type { SteadyTime } from '@ebb/core/bucket';

/** Times are sums of fractions, and a time that is ahead by less than they can tell would never come. */
const SHORTEST_MS = 1e-3;

/** One timer for all that is due at some time. */
export class Timer {
  readonly #time: SteadyTime;
  readonly #onDue: (nowMs: number) => void;
  #atMs = Number.POSITIVE_INFINITY;
  #stop: () => void = () => {};

  constructor(time: SteadyTime, onDue: (nowMs: number) => void) {
    this.#time = time;
    this.#onDue = onDue;
  }

  /** Goes off at `atMs` or before, to be set again then; not at all when that is `Infinity`. */
  set(atMs: number): void {
    if (atMs >= this.#atMs && atMs !== Number.POSITIVE_INFINITY) return;
    this.#stop();
    this.#atMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(SHORTEST_MS, atMs - this.#time.now());
    this.#stop = this.#time.clock.schedule(() => {
      this.#atMs = Number.POSITIVE_INFINITY;
      this.#onDue(this.#time.now());
    }, delayMs);
  }
}
