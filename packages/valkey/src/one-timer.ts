import type { Clock } from '@ebb/core';
import { Heap, type HeapEntry, SteadyTime } from '@ebb/core/bucket';

interface Wait extends HeapEntry {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Waits of one kind, and a timer for the first of them. */
class Waits {
  readonly #time: SteadyTime;
  readonly #kind: readonly [inBackground: boolean, isWait: boolean];
  readonly #heap = new Heap<Wait>(
    (one, other) => one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order),
  );
  #added = 0;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #stop: (() => void) | undefined;

  constructor(time: SteadyTime, ...kind: readonly [inBackground: boolean, isWait: boolean]) {
    this.#time = time;
    this.#kind = kind;
  }

  add(wake: () => void, delayMs: number): () => void {
    const nowMs = this.#time.now();
    this.#added += 1;
    const wait: Wait = { atMs: nowMs + delayMs, order: this.#added, wake, heapIndex: -1 };
    this.#heap.add(wait);
    this.#arm(nowMs);
    return () => {
      this.#heap.remove(wait);
      this.#arm(this.#time.now());
    };
  }

  #arm(nowMs: number): void {
    const atMs = this.#heap.first?.atMs ?? Number.POSITIVE_INFINITY;
    // A timer that is too early is kept: a new timer for each ended wait would cost more.
    if (atMs >= this.#timerAtMs && this.#heap.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#timerAtMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.#stop = this.#time.clock.schedule(() => this.#fire(), Math.max(0, atMs - nowMs), ...this.#kind);
  }

  #fire(): void {
    // The time that the timer was set for has come, also if the clock was set back meanwhile.
    const dueMs = Math.max(this.#time.now(), this.#timerAtMs);
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    this.#stop = undefined;
    const last = this.#added;
    try {
      for (let { first } = this.#heap; first !== undefined; { first } = this.#heap) {
        // Waits that begin meanwhile have their own turn: on a stopped clock this loop would not end.
        if (first.order > last || first.atMs > dueMs) break;
        this.#heap.remove(first);
        first.wake();
      }
    } finally {
      this.#arm(Math.max(this.#time.now(), dueMs));
    }
  }
}

/**
 * A clock whose waits share timers of `clock`: one for each combination of `inBackground` and `isWait`. Each timer of the system takes some
 * 300 bytes, and there may be two for each of 10^5 tenants.
 */
export function oneTimer(clock: Clock): Clock {
  const time = new SteadyTime(clock);
  const kinds = [false, true].flatMap((inBackground) =>
    [false, true].map((isWait) => new Waits(time, inBackground, isWait)),
  );
  return {
    // With its mark: limits with this clock fit to a policy with the other.
    ...time.clock,
    schedule: (wake, delayMs, inBackground = false, isWait = false) =>
      (kinds[2 * Number(inBackground) + Number(isWait)] as Waits).add(wake, delayMs),
  };
}
