import { ownClock } from '../base/clock.ts';
import type { Clock } from '../base/time.ts';

/** Time in milliseconds that starts at 0 and never goes back, even if the clock is set back. */
export class SteadyTime {
  readonly clock: Clock;
  /** The reading of the clock at 0. */
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

/**
 * Rounding error that is allowed in times, in milliseconds, and the shortest timer: one for less than a clock can measure
 * would fire again and again at the same time.
 */
export const TOLERANCE_MS = 1e-3;

/** A single timer for many due times: it is set to the earliest. */
export class Timer {
  readonly #time: SteadyTime;
  readonly #onDue: () => void;
  readonly #isWait: boolean;
  /** When it fires; `Infinity` if it is not set. */
  #atMs = Infinity;
  #stop: (() => void) | undefined;

  /** @param isWait see `Clock.schedule` */
  constructor(time: SteadyTime, onDue: () => void, isWait = false) {
    this.#time = time;
    this.#onDue = onDue;
    this.#isWait = isWait;
  }

  /** Fires at `atMs`, or earlier if it was set to an earlier time; `onDue` must set it again. `Infinity` stops it. */
  set(atMs: number, nowMs: number = this.#time.now()): void {
    const isSet = atMs !== Infinity;
    if (isSet && this.#atMs <= atMs) return;
    this.#stop?.();
    // It holds the timer of the system, which takes memory.
    this.#stop = undefined;
    this.#atMs = atMs;
    if (!isSet) return;
    const fire = (): void => {
      this.#atMs = Infinity;
      this.#onDue();
    };
    this.#stop = this.#time.clock.schedule(fire, Math.max(TOLERANCE_MS, atMs - nowMs), false, this.#isWait);
  }
}
