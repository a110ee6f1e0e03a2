import type { Clock } from '../../base/clock.ts';

/** A time that starts at 0: what is left of a clock after its steps back are taken out of it. */
export class SteadyTime {
  readonly clock: Clock;
  /** What the clock shows at 0. */
  startMs: number;
  #lastMs = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.startMs = clock.now();
  }

  now(): number {
    const nowMs = this.clock.now() - this.startMs;
    if (nowMs >= this.#lastMs) {
      this.#lastMs = nowMs;
      return nowMs;
    }
    // The clock was set back. Nothing may wait for it to catch up: that could be an hour.
    this.startMs -= this.#lastMs - nowMs;
    return this.#lastMs;
  }
}
