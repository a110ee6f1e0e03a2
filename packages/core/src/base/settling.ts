import { notNegative, positive } from './check.ts';
import { inRealTime, nextTurn } from './clock.ts';
import { type OptionTable, readOptions } from './options.ts';

/** Bounds of real time, while virtual time runs until a promise settles. */
export interface RunUntilSettledOptions {
  /**
   * After this many milliseconds of real time the run ends with an error.
   * @default 4_000, a second less than a test of vitest or jest may take
   */
  readonly realTimeoutMs?: number | undefined;
  /**
   * Milliseconds of real time for sockets before each timer, and at most as long as the clock is moved. If nothing in the
   * test is real, 0 is faster.
   * @default 5
   */
  readonly ioMs?: number | undefined;
}

const OPTIONS: OptionTable<RunUntilSettledOptions> = {
  realTimeoutMs: { check: positive, default: 4_000 },
  ioMs: { check: notNegative, default: 5 },
};

/** What is read of a virtual clock. */
interface VirtualTime {
  now(): number;
  readonly pending: number;
  readonly nextAtMs: number | undefined;
}

/**
 * A server in the same process takes a turn of the event loop for each of connection, request, response and body, and on a
 * busy machine `ioMs` can pass in one of them.
 */
const IO_TURNS = 12;

/** Makes the calls of a clock one by one, while promises are waited for. */
export class Settling {
  readonly #time: VirtualTime;
  readonly #callNext: () => void;
  /** How many promises are waited for. */
  #waiting = 0;
  /** One step for all of them: two promises do not halve the real time between two calls. */
  #step: Promise<void> | undefined;
  #onScheduled: (() => void) | undefined;
  #made = 0;

  /** @param callNext moves the clock to the next call, and makes it */
  constructor(time: VirtualTime, callNext: () => void) {
    this.#time = time;
    this.#callNext = callNext;
  }

  /** To be called when a call is scheduled. */
  scheduled(): void {
    this.#onScheduled?.();
  }

  async run<T>(promise: T | PromiseLike<T>, options: RunUntilSettledOptions): Promise<T> {
    const { realTimeoutMs, ioMs } = readOptions('runUntilSettled', options, OPTIONS);
    const settling = Promise.resolve(promise);
    const state = { isSettled: false, isLate: false };
    const made = this.#made;
    this.#waiting += 1;
    const end = (): void => {
      state.isSettled = true;
    };
    const settled = settling.then(end, end);
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = inRealTime(() => {
        state.isLate = true;
        resolve();
      }, realTimeoutMs);
    });
    try {
      // A promise that has settled shows it within a turn.
      await Promise.race([settled, nextTurn()]);
      while (!state.isSettled && !state.isLate) await Promise.race([settled, late, this.#next(ioMs)]);
      if (!state.isSettled) throw this.#error(realTimeoutMs, this.#made - made);
      return await settling;
    } finally {
      this.#waiting -= 1;
      cancel();
    }
  }

  #next(ioMs: number): Promise<void> {
    this.#step ??= this.#go(ioMs).finally(() => {
      this.#step = undefined;
    });
    return this.#step;
  }

  async #go(ioMs: number): Promise<void> {
    const { nextAtMs = Number.POSITIVE_INFINITY } = this.#time;
    if (!Number.isFinite(nextAtMs)) {
      // Sockets and other code may schedule one. Until then there is nothing to do.
      await new Promise<void>((resolve) => {
        this.#onScheduled = resolve;
      });
      return;
    }
    const pauseMs = Math.min(ioMs, nextAtMs - this.#time.now());
    if (pauseMs > 0) await new Promise<void>((resolve) => void inRealTime(resolve, pauseMs));
    for (let turn = 0; turn < IO_TURNS; turn += 1) await nextTurn();
    // Meanwhile the promise may have settled, and the call may have been cancelled.
    if (this.#waiting === 0 || !Number.isFinite(this.#time.nextAtMs)) return;
    this.#made += 1;
    this.#callNext();
  }

  #error(realTimeoutMs: number, made: number): Error {
    const { pending, nextAtMs } = this.#time;
    const waiting = pending === 0 ? 'no timer is pending' : `${pending} pending, the next at ${nextAtMs} ms`;
    return new Error(
      `runUntilSettled: the promise did not settle within ${realTimeoutMs} ms of real time. ` +
        `Timers of the clock: ${made} fired, ${waiting}; its time is ${this.#time.now()} ms`,
    );
  }
}
