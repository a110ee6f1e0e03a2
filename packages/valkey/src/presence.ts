import type { SteadyTime } from '@ebb/core/bucket';

/** A process looks for so long after its last request, in milliseconds. */
const ACTIVE_MS = 600_000;

/** How often it looks, in milliseconds: more than twice in each period in which the store counts processes. */
const EVERY_MS = 20_000;

/**
 * Keeps a process known to the others, and the others to it, while it sends little. The share of each while the store is away
 * is one part of as many as were seen: a process that asks the store once in a minute would otherwise take itself for the only one,
 * and one that began before the others would not know of them.
 */
export class Presence {
  readonly #time: SteadyTime;
  readonly #look: (sinceMs: number) => void;
  #untilMs = Number.NEGATIVE_INFINITY;
  #stop: (() => void) | undefined;

  /** @param look calls the store, unless it was called since a time */
  constructor(time: SteadyTime, look: (sinceMs: number) => void) {
    this.#time = time;
    this.#look = look;
  }

  /** The store was called for a request. */
  used(nowMs: number): void {
    this.#untilMs = nowMs + ACTIVE_MS;
    this.#arm(nowMs);
  }

  close(): void {
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#stop?.();
    this.#stop = undefined;
  }

  #arm(nowMs: number): void {
    if (this.#stop !== undefined || nowMs >= this.#untilMs) return;
    // In the background: it must not keep the process alive.
    this.#stop = this.#time.clock.schedule(
      () => {
        this.#stop = undefined;
        this.#look(nowMs);
        this.#arm(this.#time.now());
      },
      EVERY_MS,
      true,
    );
  }
}
