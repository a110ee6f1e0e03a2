import { type Clock, ownClock } from '../base/clock.ts';

/** Time in milliseconds that starts at 0 and never goes back, even if the clock is set back. */
export class SteadyTime {
  readonly clock: Clock;
  /** What the clock showed at 0. */
  startMs: number;
  #lastMs = 0;

  constructor(clock: Clock) {
    this.clock = ownClock(clock);
    this.startMs = this.clock.now();
  }

  now(): number {
    const nowMs = this.clock.now() - this.startMs;
    if (nowMs >= this.#lastMs) {
      this.#lastMs = nowMs;
      return nowMs;
    }
    // The clock was set back, perhaps by an hour. Waiting for it to catch up would block everything.
    this.startMs -= this.#lastMs - nowMs;
    return this.#lastMs;
  }
}
