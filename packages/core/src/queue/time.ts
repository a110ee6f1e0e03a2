import { type Clock, isSameClock, ownClock, systemClock, unboundClock } from '../base/clock.ts';
import { isRebound } from '../loop/bind-clock.ts';

/** Time in milliseconds that starts at 0 and never goes back, even if the clock is set back. */
export class SteadyTime {
  clock: Clock;
  /** What the clock showed at 0. */
  startMs: number;
  #lastMs = 0;
  readonly #isGiven: boolean;

  constructor(clock: Clock) {
    this.clock = ownClock(clock);
    this.#isGiven = clock !== unboundClock;
    this.startMs = this.clock.now();
  }

  /**
   * Goes on with the clock of a policy, unless it was given one.
   *
   * @throws TypeError if it has that of another policy
   */
  bind(clock: Clock): void {
    if (!isRebound(this.clock, this.#isGiven, clock)) return;
    this.clock = clock;
    // What has passed on the clock of the system before is dropped: a test counts from here.
    if (!isSameClock(clock, systemClock)) this.startMs = clock.now() - this.#lastMs;
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
