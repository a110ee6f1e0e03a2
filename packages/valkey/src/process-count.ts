/** How long the highest count of processes is valid, in milliseconds. */
const VALID_MS = 60_000;

/**
 * How many processes share a key: the highest count that the store returned in the last minute. A store that lost
 * the key counts from 0 again, so a lower count is ignored for a while.
 */
export class ProcessCount {
  #value = 0;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  /** 0 before the first reply. */
  get value(): number {
    return this.#value;
  }

  record(count: number, nowMs: number): void {
    if (count < this.#value && nowMs < this.#countedAtMs + VALID_MS) return;
    this.#value = count;
    this.#countedAtMs = nowMs;
  }

  /** The present count is valid for another minute. */
  renew(nowMs: number): void {
    this.#countedAtMs = nowMs;
  }
}
