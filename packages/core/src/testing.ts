import { notNegative, positive } from './base/check.ts';
import { nextTurn } from './base/clock.ts';
import { Heap, type HeapEntry } from './base/heap.ts';
import { type OptionTable, readOptions } from './base/options.ts';
import { sleep } from './base/signals.ts';
import type { Clock, Random } from './base/time.ts';

export type { Clock, Random } from './base/time.ts';

/** The timers from when this module was loaded: time is real even if a test installs fakes. */
const { setTimeout: setRealTimer, clearTimeout: clearRealTimer } = globalThis;

/** A wait in real time. */
function realTime(delayMs: number): { readonly over: Promise<'late'>; cancel(): void } {
  let cancel = (): void => undefined;
  const over = new Promise<'late'>((resolve) => {
    const timer = setRealTimer(() => resolve('late'), delayMs);
    cancel = () => clearRealTimer(timer);
  });
  return { over, cancel };
}

/** Bounds of real time, while virtual time runs until a promise settles. */
export interface RunUntilSettledOptions {
  /**
   * After this many milliseconds of real time the run ends with an error.
   * @default 4_000, a second less than a test of vitest or jest may take
   */
  readonly realTimeoutMs?: number | undefined;
  /**
   * The most milliseconds of real time that a response gets before its guard, such as `attemptTimeoutMs`, fires. The waits of ebb
   * itself do not take this time.
   * @default 250
   */
  readonly ioMs?: number | undefined;
}

const OPTIONS: OptionTable<RunUntilSettledOptions> = {
  realTimeoutMs: { check: positive, default: 4_000 },
  ioMs: { check: notNegative, default: 250 },
};

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
   * they were scheduled. After each the event loop takes two turns, so that promises settle before the next, and a retry
   * without a delay is sent.
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

interface Entry extends HeapEntry {
  readonly atMs: number;
  /** Its number in the order of scheduling. */
  readonly order: number;
  readonly wake: () => void;
  readonly isWait: boolean;
}

function isEarlier(one: Entry, other: Entry): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** A server in the same process takes a turn of the event loop for each of connection, request, response and body. */
const IO_TURNS = 12;

const NOTHING_WAITS =
  'no timer is pending. Nothing waits on this clock: a policy or a limit without it waits in real time, so pass `clock` to ' +
  'createPolicy, and to a limit that is used without a policy; or a mock or a server has not answered';

/** Makes the calls of a clock one by one, while promises are waited for. */
class TimeDriver {
  readonly #clock: VirtualClock;
  readonly #entries: Heap<Entry>;
  /** Moves the clock to the next call, and makes it. */
  readonly #callNext: () => void;
  /** How many promises are waited for. */
  #waiting = 0;
  /** A single step for all promises: two promises do not halve the real time between two calls. */
  #step: Promise<undefined> | undefined;
  #onChange: (() => void) | undefined;
  #made = 0;

  constructor(clock: VirtualClock, entries: Heap<Entry>, callNext: () => void) {
    this.#clock = clock;
    this.#entries = entries;
    this.#callNext = callNext;
  }

  /** To be called when a call was scheduled or cancelled. */
  changed(): void {
    this.#onChange?.();
  }

  async run<T>(promise: T | PromiseLike<T>, options: RunUntilSettledOptions): Promise<T> {
    const { realTimeoutMs, ioMs } = readOptions('runUntilSettled', options, OPTIONS);
    const settling = Promise.resolve(promise);
    const end = (): 'settled' => 'settled';
    const settled = settling.then(end, end);
    const made = this.#made;
    const { over, cancel } = realTime(realTimeoutMs);
    this.#waiting += 1;
    try {
      // A promise that has settled shows it within a turn.
      let ended: 'settled' | 'late' | undefined = await Promise.race([
        settled,
        nextTurn().then(() => undefined),
      ]);
      while (ended === undefined) ended = await Promise.race([settled, over, this.#next(ioMs)]);
      if (ended === 'late') throw this.#error(realTimeoutMs, this.#made - made);
      return await settling;
    } finally {
      this.#waiting -= 1;
      cancel();
    }
  }

  #next(ioMs: number): Promise<undefined> {
    this.#step ??= this.#go(ioMs).finally(() => {
      this.#step = undefined;
    });
    return this.#step;
  }

  async #go(ioMs: number): Promise<undefined> {
    const next = this.#entries.first;
    // Without a timer, sockets and other code may schedule one. Until then there is nothing to do.
    if (next === undefined || next.atMs === Number.POSITIVE_INFINITY) return this.#other(next);
    const pauseMs = next.isWait ? 0 : Math.min(ioMs, next.atMs - this.#clock.now());
    if (pauseMs > 0) {
      const { over, cancel } = realTime(pauseMs);
      // A response cancels the timer that guards it.
      await Promise.race([over, this.#other(next)]);
      cancel();
    }
    for (let turn = 0; turn < IO_TURNS; turn += 1) await nextTurn();
    if (this.#waiting === 0 || this.#entries.first !== next) return undefined;
    this.#made += 1;
    this.#callNext();
    return undefined;
  }

  /** Resolves when another call is the next. */
  #other(than: Entry | undefined): Promise<undefined> {
    return new Promise((resolve) => {
      this.#onChange = () => {
        if (this.#entries.first !== than) resolve(undefined);
      };
    });
  }

  #error(realTimeoutMs: number, made: number): Error {
    const { pending, elapsedMs, nextAtMs = 0 } = this.#clock;
    const nextMs = nextAtMs - this.#clock.now();
    const waiting = pending === 0 ? NOTHING_WAITS : `${pending} pending, the next in ${nextMs} ms`;
    return new Error(
      `runUntilSettled: the promise did not settle within ${realTimeoutMs} ms of real time. ` +
        `Timers of the clock: ${made} fired in its ${elapsedMs} ms, ${waiting}`,
    );
  }
}

/** 2026-01-01T00:00:00Z, in milliseconds since the epoch. */
const START_MS = 1_767_225_600_000;

/** Options of {@link virtualClock}. */
export interface VirtualClockOptions {
  /**
   * The first reading of the clock, in milliseconds since the epoch. A date that a mock sends, such as `Retry-After`, counts from
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
      await nextTurn();
      for (let due = takeDue(untilMs); due !== undefined; due = takeDue(untilMs)) {
        due.wake();
        await nextTurn();
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
  const settling = new TimeDriver(clock, entries, () => takeDue(Number.MAX_VALUE)?.wake());
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
