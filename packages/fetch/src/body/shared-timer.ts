import type { Clock } from '@ebb/core';

interface Entry {
  readonly dueMs: number;
  readonly wake: () => void;
  isDone: boolean;
}

/**
 * Calls functions a fixed delay after they were added, up to a tenth of the delay late. All share one timer of the clock,
 * which does not keep the process alive.
 */
export class SharedTimer {
  readonly #clock: Clock;
  readonly #delayMs: number;
  /** In the order in which they are due; includes cancelled entries. */
  #entries: Entry[] = [];
  #pending = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  /** Returns a function that cancels the call. */
  add(wake: () => void): () => void {
    const entry: Entry = { dueMs: this.#clock.now() + this.#delayMs, wake, isDone: false };
    this.#entries.push(entry);
    this.#pending += 1;
    if (this.#cancelTimer === undefined) this.#arm(this.#delayMs);
    return () => this.#remove(entry);
  }

  #remove(entry: Entry): void {
    if (entry.isDone) return;
    entry.isDone = true;
    this.#pending -= 1;
    if (this.#pending > 0) return;
    this.#entries = [];
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #arm(delayMs: number): void {
    this.#cancelTimer = this.#clock.schedule(() => this.#wakeDue(), delayMs, true);
  }

  #wakeDue(): void {
    const nowMs = this.#clock.now();
    const end = this.#entries.findIndex(({ dueMs }) => dueMs > nowMs);
    const due = this.#entries.splice(0, end < 0 ? this.#entries.length : end).filter(({ isDone }) => !isDone);
    for (const entry of due) entry.isDone = true;
    this.#pending -= due.length;
    if (this.#pending === 0) this.#entries = [];
    const next = this.#entries[0];
    this.#cancelTimer = undefined;
    if (next !== undefined) this.#arm(Math.max(next.dueMs - nowMs, this.#delayMs / 10));
    for (const { wake } of due) wake();
  }
}

/** The timers of response bodies. */
export interface BodyTimers {
  /** 1 s: checks whether an unread body has arrived. */
  readonly check: SharedTimer;
  /** 5 s: stops reading ahead. */
  readonly readAhead: SharedTimer;
  /** 60 s: stops waiting for a body whose reading cannot be observed. */
  readonly unobserved: SharedTimer;
}

const timersOf = new WeakMap<Clock, BodyTimers>();

/** The timers on a clock, shared by all users of the clock. */
export function timersOn(clock: Clock): BodyTimers {
  const known = timersOf.get(clock);
  if (known !== undefined) return known;
  const timers = {
    check: new SharedTimer(clock, 1_000),
    readAhead: new SharedTimer(clock, 5_000),
    unobserved: new SharedTimer(clock, 60_000),
  };
  timersOf.set(clock, timers);
  return timers;
}
