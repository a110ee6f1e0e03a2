import type { VirtualClock } from '@ebb/core/testing';

/** As exact as a number is. */
const EXACT = 1e-6;

/** A quota of a server: a minute of it at most, refilled continuously, which can be overdrawn. */
export class ServerQuota {
  readonly aMinute: number;
  readonly #clock: VirtualClock;
  #level: number;
  #atMs: number;
  #lost = 0;
  /** What was taken, less what was given back. */
  #taken = 0;

  constructor(clock: VirtualClock, aMinute: number) {
    this.#clock = clock;
    this.#atMs = clock.now();
    this.aMinute = aMinute;
    this.#level = aMinute;
  }

  get level(): number {
    this.#come();
    return this.#level;
  }

  /** What came in, or back, while it was full. */
  get lost(): number {
    this.#come();
    return this.#lost;
  }

  get taken(): number {
    return this.#taken;
  }

  has(tokens: number): boolean {
    return this.level >= tokens - EXACT;
  }

  take(tokens: number): void {
    this.#come();
    this.#level -= tokens;
    this.#taken += tokens;
  }

  giveBack(tokens: number): void {
    this.#taken -= tokens;
    this.#come();
    this.#add(tokens);
  }

  #come(): void {
    const nowMs = this.#clock.now();
    this.#add(((nowMs - this.#atMs) * this.aMinute) / 60_000);
    this.#atMs = nowMs;
  }

  #add(tokens: number): void {
    const level = this.#level + tokens;
    this.#level = Math.min(this.aMinute, level);
    this.#lost += level - this.#level;
  }
}
