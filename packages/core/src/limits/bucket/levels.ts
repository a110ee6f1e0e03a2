import type { Level } from './quota-state.ts';

/** What the taking of some tokens left behind, for {@link Levels.settle}. One number for each level. */
export type Held = number | readonly number[];

/** The limits of one bucket. Tokens are taken from all of them or from none. */
export class Levels {
  readonly #first: Level;
  readonly #further: readonly Level[];

  constructor(first: Level, further: readonly Level[]) {
    this.#first = first;
    this.#further = further;
  }

  get refillPerSecond(): number {
    return this.#first.refillPerSecond;
  }

  /** Of the limit that is not a further one. */
  get ownCapacity(): number {
    return this.#first.capacity;
  }

  /** The most that can ever be taken at once. */
  get capacity(): number {
    return this.#least((level) => level.capacity);
  }

  tokens(nowMs: number): number {
    return this.#least((level) => level.tokens(nowMs));
  }

  isFull(nowMs: number): boolean {
    return [this.#first, ...this.#further].every((level) => level.tokens(nowMs) >= level.capacity);
  }

  #least(of: (level: Level) => number): number {
    return this.#further.reduce((least, level) => Math.min(least, of(level)), of(this.#first));
  }

  pausedMs(nowMs: number): number {
    return this.#first.pausedMs(nowMs);
  }

  /** Takes the tokens, if they are there. */
  take(cost: number, nowMs: number): boolean {
    const further = this.#further;
    for (const level of further) if (level.waitMs(cost, nowMs) > 0) return false;
    if (!this.#first.take(cost, nowMs)) return false;
    for (const level of further) level.spend(cost, nowMs);
    return true;
  }

  /** What {@link settle} wants to know later of tokens that were taken just now. */
  get held(): Held {
    if (this.#further.length === 0) return this.#first.held;
    return [this.#first.held, ...this.#further.map((level) => level.held)];
  }

  /** How long until so many tokens have come in; 0 when they can be taken now. */
  waitMs(cost: number, nowMs: number): number {
    let waitMs = this.#first.waitMs(cost, nowMs);
    for (const level of this.#further) waitMs = Math.max(waitMs, level.waitMs(cost, nowMs));
    return waitMs;
  }

  /** Gives tokens back that were too many, or takes what was too little. */
  settle(surplus: number, held: Held, nowMs: number): void {
    const each = typeof held === 'number' ? [held] : held;
    [this.#first, ...this.#further].forEach((level, index) => {
      if (surplus < 0) level.spend(-surplus, nowMs);
      else level.giveBack(surplus, each[index] ?? Number.NEGATIVE_INFINITY, nowMs);
    });
  }

  /**
   * Lets no token come in until `untilMs`, and goes on from empty. A further limit is not emptied: that of a day
   * would stay shut for a day.
   */
  pause(untilMs: number, nowMs: number): void {
    this.#first.pause(untilMs, nowMs);
  }

  /** Ends a pause, if there is one. */
  resume(nowMs: number): void {
    this.#first.resume(nowMs);
  }

  /** Further limits stay as they are; so does the capacity, if none is given. */
  setRate(refillPerSecond: number, capacity: number | undefined, nowMs: number): void {
    const first = this.#first;
    first.setRate({ refillPerSecond, capacity: capacity ?? first.capacity }, nowMs);
  }
}
