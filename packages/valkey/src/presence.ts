import type { SteadyTime } from '@ebb/core/bucket';

/** A process shows up for so long after its last request, in milliseconds. */
const ACTIVE_MS = 600_000;

/** How soon it looks after others have come, in milliseconds. The time doubles with each look that shows no more of them. */
const SOON_MS = 2_000;

/** How often it looks then: several times in each period in which the store counts processes. In milliseconds. */
const EVERY_MS = 20_000;

/** How often without a request in the last minute: still once in each period. */
const SELDOM_MS = 50_000;

/**
 * Keeps a process known to the others, and the others to it, while it sends little. While the store is away each has
 * one part of as many as were seen. A process that asks the store once a minute would otherwise take itself for the
 * only one, and one that began before the others would not know of them.
 */
export class Presence {
  readonly #time: SteadyTime;
  readonly #look: (sinceMs: number) => void;
  readonly #processes: () => number;
  #known = 0;
  #everyMs = SOON_MS / 2;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #stop: (() => void) | undefined;
  #isClosed = false;

  /**
   * @param processes how many are known
   * @param look calls the store, unless it was called since a time
   */
  constructor(time: SteadyTime, processes: () => number, look: (sinceMs: number) => void) {
    this.#time = time;
    this.#processes = processes;
    this.#look = look;
  }

  /** The store was called for a request. */
  used(nowMs: number): void {
    this.#usedAtMs = nowMs;
    if (this.#stop === undefined) this.#arm(nowMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#stop?.();
  }

  #arm(nowMs: number): void {
    const idleMs = nowMs - this.#usedAtMs;
    if (this.#isClosed || idleMs >= ACTIVE_MS) return;
    this.#everyMs = this.#processes() > this.#known ? SOON_MS : Math.min(2 * this.#everyMs, EVERY_MS);
    this.#known = this.#processes();
    const delayMs = idleMs < 60_000 ? this.#everyMs : SELDOM_MS;
    // A bucket that was evicted is not kept by its timer, nor the process: the call is in the background.
    const self = new WeakRef(this);
    this.#stop = this.#time.clock.schedule(() => self.deref()?.wake(nowMs), delayMs, true);
  }

  private wake(sinceMs: number): void {
    this.#stop = undefined;
    this.#look(sinceMs);
    this.#arm(this.#time.now());
  }
}
