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
  /** When to look; `Infinity` for never. */
  lookAtMs: number = Number.POSITIVE_INFINITY;
  #sinceMs = 0;
  #known = 0;
  #everyMs = SOON_MS / 2;
  #usedAtMs = Number.NEGATIVE_INFINITY;

  /** The store is called for a request. */
  used(processes: number, nowMs: number): void {
    this.#usedAtMs = nowMs;
    if (this.lookAtMs === Number.POSITIVE_INFINITY) this.#plan(processes, nowMs);
  }

  /** Whether to look now: the store counts processes by their calls, and the last one was at `calledAtMs`. */
  isDue(processes: number, calledAtMs: number, nowMs: number): boolean {
    if (nowMs < this.lookAtMs) return false;
    const isUnseen = calledAtMs <= this.#sinceMs;
    this.#plan(processes, nowMs);
    return isUnseen && processes > 0;
  }

  #plan(processes: number, nowMs: number): void {
    const idleMs = nowMs - this.#usedAtMs;
    this.lookAtMs = Number.POSITIVE_INFINITY;
    if (idleMs >= ACTIVE_MS) return;
    this.#everyMs = processes > this.#known ? SOON_MS : Math.min(2 * this.#everyMs, EVERY_MS);
    this.#known = processes;
    this.#sinceMs = nowMs;
    this.lookAtMs = nowMs + (idleMs < 60_000 ? this.#everyMs : SELDOM_MS);
  }
}
