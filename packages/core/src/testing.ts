import { type Clock, nextTurn, type Random } from './base/clock.ts';
import { Heap, type Heaped } from './base/heap.ts';
import { type RunUntilSettledOptions, Settling } from './base/settling.ts';
import { sleep } from './base/signals.ts';

export type { Clock, Random } from './base/clock.ts';
export type { RunUntilSettledOptions } from './base/settling.ts';

/** A clock that only moves when a test moves it. */
export interface VirtualClock extends Clock {
  /** How far it has moved since it was made, in milliseconds. */
  readonly elapsedMs: number;
  /** The number of scheduled calls that were neither made nor cancelled. */
  readonly pending: number;
  /** When the next of them is due, in milliseconds of this clock; `undefined` if there is none. */
  readonly nextAtMs: number | undefined;
  /**
   * Moves the clock forward. Calls that become due are made in order of time, and at the same time in the order in which
   * they were scheduled. After each the event loop takes a turn, so that promises settle before the next.
   */
  advance(durationMs: number): Promise<void>;
  /** As {@link advance}, but synchronously: for code without promises. */
  tick(durationMs: number): void;
  /** Resolves when the clock has moved so far: for a mock that takes its time. */
  sleep(durationMs: number): Promise<void>;
  /**
   * Moves the clock from one scheduled call to the next until a promise settles, and no further. Before a call that may guard
   * a response, such as a timeout, sockets and mocks get `ioMs` of real time. If no call is left, it waits for them.
   *
   * @returns what the promise resolves to
   * @throws the rejection of the promise, and the error of a scheduled call; an error with the number of pending calls if the
   * promise does not settle within `realTimeoutMs` of real time
   */
  runUntilSettled<T>(promise: T | PromiseLike<T>, options?: RunUntilSettledOptions): Promise<T>;
}

interface Entry extends Heaped {
  readonly atMs: number;
  /** Its number in the order of scheduling. */
  readonly order: number;
  readonly wake: () => void;
  readonly isWait: boolean;
}

function isEarlier(one: Entry, other: Entry): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** 2026-01-01T00:00:00Z, in milliseconds since the epoch. */
const START_MS = 1_767_225_600_000;

/** Options of {@link virtualClock}. */
export interface VirtualClockOptions {
  /**
   * What the clock shows at first, in milliseconds since the epoch. A date that a mock sends, such as `Retry-After`, counts from
   * there.
   * @default 1_767_225_600_000, which is 2026-01-01T00:00:00Z
   */
  readonly startMs?: number | undefined;
}

/**
 * A {@link Clock} for tests: a day of backoff takes no time, and is exact to the millisecond. It starts at the same date in
 * each run.
 */
export function virtualClock({ startMs = START_MS }: VirtualClockOptions = {}): VirtualClock {
  let nowMs = startMs;
  let scheduled = 0;
  const entries = new Heap<Entry>(isEarlier);

  /** Removes the next entry that is due by `untilMs`, and sets the time to it. */
  const takeDue = (untilMs: number): Entry | undefined => {
    const next = entries.first;
    if (next === undefined || next.atMs > untilMs) return undefined;
    entries.remove(next);
    nowMs = Math.max(nowMs, next.atMs);
    settling.changed();
    return next;
  };

  const clock: VirtualClock = {
    now: () => nowMs,
    get elapsedMs() {
      return nowMs - startMs;
    },
    get pending() {
      return entries.size;
    },
    get nextAtMs() {
      return entries.first?.atMs;
    },
    schedule(wake, delayMs, _inBackground, isWait = false) {
      scheduled += 1;
      const atMs = nowMs + Math.max(0, delayMs);
      const entry: Entry = { atMs, order: scheduled, wake, isWait, heapIndex: -1 };
      entries.add(entry);
      settling.changed();
      return () => {
        entries.remove(entry);
        settling.changed();
      };
    },
    async advance(durationMs) {
      const untilMs = nowMs + durationMs;
      await nextTurn();
      for (let due = takeDue(untilMs); due !== undefined; due = takeDue(untilMs)) {
        due.wake();
        await nextTurn();
      }
      nowMs = Math.max(nowMs, untilMs);
    },
    tick(durationMs) {
      const untilMs = nowMs + durationMs;
      for (let due = takeDue(untilMs); due !== undefined; due = takeDue(untilMs)) due.wake();
      nowMs = Math.max(nowMs, untilMs);
    },
    sleep: (durationMs) => sleep(clock, durationMs),
    runUntilSettled: (promise, options = {}) => settling.run(promise, options),
  };
  const settling = new Settling({
    now: clock.now,
    get elapsedMs() {
      return nowMs - startMs;
    },
    get pending() {
      return entries.size;
    },
    next: () => entries.first,
    callNext: () => takeDue(Number.MAX_VALUE)?.wake(),
  });
  return clock;
}

/**
 * Pseudo-random numbers that are the same for the same seed. Not for secrets.
 *
 * Source: Mulberry32, with 32 bits of state.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
