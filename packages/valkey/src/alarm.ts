import type { SteadyTime } from '@ebb/core';

/** Times are sums of fractions, and a time that is ahead by less than they can tell would never come. */
const SHORTEST_MS = 1e-3;

/** One timer for all that is due at some time. */
export class Alarm {
  readonly #time: SteadyTime;
  readonly #onAlarm: (nowMs: number) => void;
  #atMs = Number.POSITIVE_INFINITY;
  #stop: () => void = () => {};

  constructor(time: SteadyTime, onAlarm: (nowMs: number) => void) {
    this.#time = time;
    this.#onAlarm = onAlarm;
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
      this.#onAlarm(this.#time.now());
    }, delayMs);
  }
}
