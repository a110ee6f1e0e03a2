import { notNegative, positive } from './check.ts';
import { nextTurn } from './clock.ts';
import { type OptionTable, readOptions } from './options.ts';

/** Those that the program was loaded with: time is real also beside fakes that a test installs. */
const { setTimeout: setRealTimer, clearTimeout: clearRealTimer } = globalThis;

function inRealTime(call: () => void, delayMs: number): () => void {
  const timer = setRealTimer(call, delayMs);
  return () => clearRealTimer(timer);
}

/** Bounds of real time, while virtual time runs until a promise settles. */
export interface RunUntilSettledOptions {
  /**
   * After this many milliseconds of real time the run ends with an error.
   * @default 4_000, a second less than a test of vitest or jest may take
   */
  readonly realTimeoutMs?: number | undefined;
  /**
   * The most milliseconds of real time that a response gets before a timer that may guard it, such as `attemptTimeoutMs`,
   * fires. The waits of ebb itself do not take this time.
   * @default 250
   */
  readonly ioMs?: number | undefined;
}

const OPTIONS: OptionTable<RunUntilSettledOptions> = {
  realTimeoutMs: { check: positive, default: 4_000 },
  ioMs: { check: notNegative, default: 250 },
};

/** A scheduled call. */
interface Call {
  readonly atMs: number;
  /** It ends a wait of ebb, and guards nothing. */
  readonly isWait: boolean;
}

/** A virtual clock. */
interface VirtualTime {
  now(): number;
  /** How far it has moved, in milliseconds. */
  readonly elapsedMs: number;
  readonly pending: number;
  /** The next call; `undefined` if there is none. */
  next(): Call | undefined;
  /** Moves the clock to the next call, and makes it. */
  callNext(): void;
}

/** A server in the same process takes a turn of the event loop for each of connection, request, response and body. */
const IO_TURNS = 12;

const NOTHING_WAITS =
  'no timer is pending. Nothing waits on this clock: a policy or a limit without it waits in real time, so pass `clock` to ' +
  'createPolicy, and to a limit that is used without a policy; or a mock or a server has not answered';

/** Makes the calls of a clock one by one, while promises are waited for. */
export class Settling {
  readonly #time: VirtualTime;
  /** How many promises are waited for. */
  #waiting = 0;
  /** One step for all of them: two promises do not halve the real time between two calls. */
  #step: Promise<void> | undefined;
  #onChange: (() => void) | undefined;
  #made = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** To be called when a call was scheduled or cancelled. */
  changed(): void {
    this.#onChange?.();
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
    const next = this.#time.next();
    // Without a timer, sockets and other code may schedule one. Until then there is nothing to do.
    if (next === undefined || next.atMs === Number.POSITIVE_INFINITY) return this.#other(next);
    const pauseMs = next.isWait ? 0 : Math.min(ioMs, next.atMs - this.#time.now());
    if (pauseMs > 0) {
      let cancel = (): void => undefined;
      const pause = new Promise<void>((resolve) => {
        cancel = inRealTime(resolve, pauseMs);
      });
      // A response cancels the timer that guards it.
      await Promise.race([pause, this.#other(next)]);
      cancel();
    }
    for (let turn = 0; turn < IO_TURNS; turn += 1) await nextTurn();
    if (this.#waiting === 0 || this.#time.next() !== next) return;
    this.#made += 1;
    this.#time.callNext();
  }

  /** Resolves when another call is the next. */
  #other(than: Call | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = () => {
        if (this.#time.next() !== than) resolve();
      };
    });
  }

  #error(realTimeoutMs: number, made: number): Error {
    const { pending, elapsedMs } = this.#time;
    const nextMs = (this.#time.next()?.atMs ?? 0) - this.#time.now();
    const waiting = pending === 0 ? NOTHING_WAITS : `${pending} pending, the next in ${nextMs} ms`;
    return new Error(
      `runUntilSettled: the promise did not settle within ${realTimeoutMs} ms of real time. ` +
        `Timers of the clock: ${made} fired in its ${elapsedMs} ms, ${waiting}`,
    );
  }
}
