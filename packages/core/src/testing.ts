import { type Clock, nextTurn, type Random } from './base/clock.ts';
import { Heap, type Heaped } from './limits/queue/heap.ts';

export type { Clock, Random } from './base/clock.ts';

/** A clock that moves only when it is told to. */
export interface VirtualClock extends Clock {
  /** Calls that are scheduled and have neither happened nor been called off. */
  readonly pending: number;
  /** When the next of them is due, on this clock; `undefined` when there is none. */
  readonly nextAtMs: number | undefined;
  /**
   * Lets time pass, at once. What falls due happens in order of time and, at one time, in the order in which
   * it was scheduled; after each the program gets a turn, so that what it starts is in time for the next.
   */
  advance(durationMs: number): Promise<void>;
  /** As {@link advance}, without giving the program its turns in between: for code that makes no promises. */
  tick(durationMs: number): void;
}

interface Entry extends Heaped {
  readonly atMs: number;
  /** Which of all that were ever scheduled it is. */
  readonly order: number;
  readonly wake: () => void;
}

function isEarlier(one: Entry, other: Entry): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** A {@link Clock} for tests: a day of backoff passes in no time, and to the millisecond. */
export function virtualClock(options: { readonly startMs?: number } = {}): VirtualClock {
  let nowMs = options.startMs ?? 0;
  let scheduled = 0;
  const entries = new Heap<Entry>(isEarlier);

  /** The next entry that is due by `untilMs`, taken out, with the time set to its own. */
  const takeDue = (untilMs: number): Entry | undefined => {
    const next = entries.first;
    if (next === undefined || next.atMs > untilMs) return undefined;
    entries.remove(next);
    nowMs = Math.max(nowMs, next.atMs);
    return next;
  };

  return {
    now: () => nowMs,
    get pending() {
      return entries.size;
    },
    get nextAtMs() {
      return entries.first?.atMs;
    },
    schedule(wake, delayMs) {
      scheduled += 1;
      const entry: Entry = { atMs: nowMs + Math.max(0, delayMs), order: scheduled, wake, heapIndex: -1 };
      entries.add(entry);
      return () => entries.remove(entry);
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
  };
}

/**
 * Numbers that look random and are the same for the same seed (Mulberry32: 32 bits of state, enough for tests
 * and simulations, and for no secret).
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
