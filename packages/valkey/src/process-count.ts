/**
 * How many processes share a key: the highest count that the store returned in the last `validMs`. A store that lost
 * the key counts from 0 again, so a lower count is ignored for a while.
 */
export class ProcessCount {
  readonly #validMs: number;
  #value = 0;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(validMs: number) {
    this.#validMs = validMs;
  }

  /** 0 before the first reply. */
  get value(): number {
    return this.#value;
  }

  record(count: number, nowMs: number): void {
    if (count < this.#value && nowMs < this.#countedAtMs + this.#validMs) return;
    this.#value = count;
    this.#countedAtMs = nowMs;
  }

  /** The present count is valid for another `validMs`. */
  renew(nowMs: number): void {
    this.#countedAtMs = nowMs;
  }
}
