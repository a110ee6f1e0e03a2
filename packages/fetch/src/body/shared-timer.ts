import type { Clock } from '@ebb/core';

interface Entry {
  readonly dueMs: number;
  readonly wake: () => void;
  isOff: boolean;
}

/**
 * Calls what it is given, each some time later: one timer for all, which does not keep the process alive. Not to
 * the millisecond: up to a tenth later.
 */
export class Later {
  readonly #clock: Clock;
  readonly #delayMs: number;
  /** In the order in which they are due; those that were called off are still among them. */
  #entries: Entry[] = [];
  #left = 0;
  #callOff: (() => void) | undefined;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  /** What is returned calls it off. */
  add(wake: () => void): () => void {
    const entry: Entry = { dueMs: this.#clock.now() + this.#delayMs, wake, isOff: false };
    this.#entries.push(entry);
    this.#left += 1;
    if (this.#callOff === undefined) this.#arm(this.#delayMs);
    return () => this.#remove(entry);
  }

  #remove(entry: Entry): void {
    if (entry.isOff) return;
    entry.isOff = true;
    this.#left -= 1;
    if (this.#left > 0) return;
    this.#entries = [];
    this.#callOff?.();
    this.#callOff = undefined;
  }

  #arm(delayMs: number): void {
    this.#callOff = this.#clock.schedule(() => this.#wakeDue(), delayMs, true);
  }

  #wakeDue(): void {
    const nowMs = this.#clock.now();
    const end = this.#entries.findIndex(({ dueMs }) => dueMs > nowMs);
    const due = this.#entries.splice(0, end < 0 ? this.#entries.length : end).filter(({ isOff }) => !isOff);
    for (const entry of due) entry.isOff = true;
    this.#left -= due.length;
    if (this.#left === 0) this.#entries = [];
    const next = this.#entries[0];
    this.#callOff = undefined;
    if (next !== undefined) this.#arm(Math.max(next.dueMs - nowMs, this.#delayMs / 10));
    for (const { wake } of due) wake();
  }
}

/** The delays that are used here. */
export interface Delays {
  /** To look at a body that may not have been asked for. */
  readonly look: Later;
  /** To give up reading ahead. */
  readonly readAhead: Later;
  /** To give up waiting for a body that is read where it cannot be seen. */
  readonly unseen: Later;
}

const delaysOf = new WeakMap<Clock, Delays>();

/** The delays on a clock, which all who use the clock share. */
export function delaysOn(clock: Clock): Delays {
  const known = delaysOf.get(clock);
  if (known !== undefined) return known;
  const delays = {
    look: new Later(clock, 1_000),
    readAhead: new Later(clock, 5_000),
    unseen: new Later(clock, 60_000),
  };
  delaysOf.set(clock, delays);
  return delays;
}
