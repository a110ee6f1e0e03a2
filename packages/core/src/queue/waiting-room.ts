import { prose, proseOf } from '#prose';
import { flag, having, notNegative, wholeNumber } from '../base/check.ts';
import { ThrottledError, type ThrottledReason } from '../base/errors.ts';
import { onAbort } from '../base/on-abort.ts';
import type { Complete, OptionTable } from '../base/options.ts';
import type { AcquireOptions } from '../loop/contracts.ts';
import { inOrderOfArrival } from './lanes.ts';
import {
  type Amount,
  type Lane,
  NUMBERS,
  type Queue,
  type Queued,
  type QueueOrder,
  type Sums,
} from './queue.ts';
import { type SteadyTime, Timer, TOLERANCE_MS } from './time.ts';

/** Limits of the queue in front of a bucket or a concurrency limit. */
export interface WaitingOptions {
  /**
   * The most requests that may wait. A new one is refused then.
   * @default no limit
   */
  readonly maxQueue?: number | undefined;
  /**
   * The longest wait, in milliseconds. A request that would wait longer is refused at once.
   * @default no limit
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * The order of the requests that wait: what `priorityQueue` returns. By default first come, first served, except that a retry
   * goes before new requests that have not waited 30 s longer.
   * @default in order of arrival
   */
  readonly queue?: QueueOrder | undefined;
}

/** Validated options with all defaults applied. */
export type WaitingSetup = Complete<WaitingOptions>;

/** How the options of a queue are read. */
export const WAITING_OPTIONS: OptionTable<WaitingOptions> = {
  maxQueue: { check: wholeNumber, default: Number.POSITIVE_INFINITY },
  maxWaitMs: { check: notNegative, default: Number.POSITIVE_INFINITY },
  queue: {
    check: /* @__PURE__ */ having(prose('what priorityQueue returns'), 'make'),
    default: inOrderOfArrival,
  },
};

/** Requests that are granted, and refused, in one turn of the event loop: a long queue must not block the program. */
const GRANTS = 100;
const REFUSALS = 500;

const NONE: readonly undefined[] = [];

export const CLOSED: string | undefined = /* @__PURE__ */ prose('the bucket was closed');

/** A request that waits. */
export interface Waiter<T> extends Queued<Waiter<T>> {
  /** Rejects with a rejected promise: a second function would cost memory for every waiter. */
  readonly resolve: (value: T | Promise<T>) => void;
  /** In milliseconds of the limit; `Infinity` if it has none. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  stopListening: (() => void) | undefined;
}

/** What the owner of a room does with the first request: its result, or `undefined` if it has to wait. */
type GrantFirst<T> = (cost: Amount, waitedMs: number) => T | Promise<T> | undefined;

/**
 * The requests that wait at a limit: a queue in some order, with a deadline and a signal for each of them, and one timer for all.
 * Its owner decides when the first request may go, in {@link serve}.
 */
export class WaitingRoom<T> {
  /** How many wait. */
  size = 0;
  /** Requests refused so far, aborted ones not included. */
  refused = 0;
  readonly queue: Queue<Waiter<T>>;
  readonly #setup: WaitingSetup;
  readonly #sums: Sums;
  readonly #onWake: () => void;
  readonly #timer: Timer;
  /** No deadline is before this. */
  #nextDeadlineMs = Number.POSITIVE_INFINITY;
  /** Requests with a deadline up to this time are being refused, some in each turn. */
  #lateUntilMs = Number.NEGATIVE_INFINITY;
  /** The largest cost that can be granted. */
  #mostCost: Amount = Number.POSITIVE_INFINITY;
  /** The whole queue is being refused. */
  #isClosed = false;
  /** The turn ended before the queue did: more may go now, whatever the owner knows of it. */
  #isCutShort = false;
  /** What is left of the refusals of a turn. */
  #left = 0;
  readonly #onEmpty: (() => void)[] = [];

  /** @param onWake called when the first in the queue may have to be served */
  constructor(setup: WaitingSetup, time: SteadyTime, onWake: () => void, sums: Sums = NUMBERS) {
    this.#setup = setup;
    this.#sums = sums;
    this.#onWake = onWake;
    this.queue = setup.queue.make(sums);
    this.#timer = new Timer(time, onWake, true);
  }

  /** Whether a request of this lane would be the first to go. */
  goesFirst(lane: Lane, nowMs: number): boolean {
    return this.size === 0 || this.queue.goesFirst(lane, nowMs);
  }

  /**
   * The lane that a request waits in.
   * @throws TypeError, RangeError for a wrong option
   */
  laneFor(options: AcquireOptions): Lane {
    const { maxWaitMs, retry } = options;
    if (maxWaitMs !== undefined) notNegative('acquire: maxWaitMs', maxWaitMs);
    if (retry !== undefined) flag('acquire: retry', retry);
    return this.queue.laneOf(options);
  }

  /**
   * Checks what all calls of a policy ask of the queue.
   * @throws TypeError, RangeError if it does not take their priority, or their keys
   */
  checkCalls({
    priority,
    fairKey,
  }: {
    readonly priority?: number | undefined;
    readonly fairKey?: unknown;
  }): void {
    // A key itself is checked when it is known: it may be a function.
    this.queue.laneOf({ priority, fairKey: this.queue.isFair ? undefined : (fairKey as undefined) });
  }

  /**
   * Puts a request into the queue.
   *
   * @param waitFor returns how long until so much can be had, at least, in milliseconds; without it that is unknown
   * @param onRefused called with that if the request is refused
   * @throws ThrottledError if the wait is too long, or the queue is full
   */
  join(
    options: AcquireOptions,
    lane: Lane,
    cost: Amount,
    nowMs: number,
    waitFor?: (cost: Amount) => number,
    onRefused?: (waitMs: number) => void,
  ): Promise<T> {
    const patienceMs = Math.min(options.maxWaitMs ?? Number.POSITIVE_INFINITY, this.#setup.maxWaitMs);
    const deadlineMs = nowMs + patienceMs;
    const isExact = deadlineMs < Number.POSITIVE_INFINITY;
    const waitMs = waitFor?.(this.#sums.plus(this.queue.costAhead(lane, nowMs, isExact), cost));
    if (patienceMs === 0 || (waitMs ?? 0) > patienceMs + TOLERANCE_MS) {
      const late = proseOf(() => `its turn would not come within ${patienceMs} ms`);
      onRefused?.(waitMs ?? 0);
      throw this.refusal('wait-too-long', late, waitMs);
    }
    if (this.size >= this.#setup.maxQueue) {
      const full = proseOf(() => `the queue is full (maxQueue ${this.#setup.maxQueue})`);
      const displaced = this.queue.displacedBy?.(lane);
      if (displaced === undefined) {
        onRefused?.(waitMs ?? 0);
        throw this.refusal('queue-full', full, waitMs);
      }
      this.#refuse(
        displaced,
        'displaced',
        proseOf(() => `${full}, and another request took its place`),
      );
    }
    this.#nextDeadlineMs = Math.min(this.#nextDeadlineMs, deadlineMs);
    return new Promise((resolve) => {
      const { signal } = options;
      // A small integer needs less memory than a double.
      const sinceMs = Math.round(nowMs);
      const [next, previous, stopListening] = NONE;
      // Spread, these would cost each waiter room for more fields.
      const waiter: Waiter<T> = {
        resolve,
        cost,
        sinceMs,
        lane,
        deadlineMs,
        signal,
        next,
        previous,
        stopListening,
      };
      this.queue.add(waiter);
      this.size += 1;
      if (signal !== undefined) this.#listen(waiter, signal);
    });
  }

  /** A method of its own: a function over the waiter takes memory in each call of the one around it. */
  #listen(waiter: Waiter<T>, signal: AbortSignal): void {
    waiter.stopListening = onAbort(signal, () => {
      this.#remove(waiter);
      waiter.resolve(Promise.reject(signal.reason));
      this.#onWake();
    });
  }

  #remove(waiter: Waiter<T>, isServed = false): void {
    this.queue.remove(waiter, isServed);
    this.size -= 1;
    waiter.stopListening?.();
    if (this.size > 0) return;
    for (const callback of this.#onEmpty.splice(0)) callback();
  }

  /** Resolves when the queue is empty. It may be for a moment only: a displaced request is replaced at once. */
  async idle(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  /** The error for a refused request, which is counted. */
  refusal(
    reason: ThrottledReason,
    message: string | undefined,
    waitMs?: number,
    cause?: unknown,
  ): ThrottledError {
    this.refused += 1;
    return new ThrottledError(
      `Not sent: ${message ?? reason}`,
      waitMs,
      cause === undefined ? { reason } : { reason, cause },
    );
  }

  #refuse(waiter: Waiter<T>, reason: ThrottledReason, message: string | undefined): void {
    this.#remove(waiter);
    waiter.resolve(Promise.reject(this.refusal(reason, message)));
  }

  /**
   * Serves the first in the queue, one after the other, until `grant` returns `undefined`; what it returns is the
   * result of that request. Before that, refuses requests that are late or cost too much, and after it those
   * whose deadline is now. Does some in each turn; {@link arm} sets the timer for the next.
   */
  serve(nowMs: number, grant: GrantFirst<T>): void {
    this.giveUp(nowMs - TOLERANCE_MS);
    let left = GRANTS;
    for (; left > 0; left -= 1) {
      const { first } = this.queue;
      if (first === undefined) break;
      // Its own listener comes after that of a request under the same signal.
      const isOver = first.signal?.aborted;
      const result = isOver
        ? Promise.reject(first.signal?.reason)
        : grant(first.cost, Math.max(0, nowMs - first.sinceMs));
      if (result === undefined) break;
      this.#remove(first, !(result instanceof Promise));
      first.resolve(result);
    }
    this.#isCutShort = left === 0;
    this.#sendAway(nowMs + TOLERANCE_MS);
  }

  /** Refuses requests with a deadline up to `untilMs`, and those that can never be served. Call {@link arm} after it. */
  giveUp(untilMs: number): void {
    this.#left = REFUSALS;
    this.#sendAway(untilMs);
  }

  #sendAway(untilMs: number): void {
    this.#lateUntilMs = Math.max(this.#lateUntilMs, untilMs);
    let nextMs = Number.POSITIVE_INFINITY;
    if (this.#nextDeadlineMs > this.#lateUntilMs) nextMs = this.#nextDeadlineMs;
    else
      for (const one of this.queue) {
        const isLate = one.deadlineMs <= this.#lateUntilMs;
        const isLarge = this.#sums.exceeds(one.cost, this.#mostCost);
        if (!(isLate || isLarge || this.#isClosed)) nextMs = Math.min(nextMs, one.deadlineMs);
        else if (this.#left === 0) {
          // The rest in the next turn.
          this.#nextDeadlineMs = Number.NEGATIVE_INFINITY;
          return;
        } else {
          this.#left -= 1;
          if (this.#isClosed) this.#refuse(one, 'closed', CLOSED);
          else if (isLate) this.#refuse(one, 'wait-too-long', prose('its turn does not come in time'));
          else {
            const message = proseOf(
              () => `it costs ${one.cost} tokens, and the capacity is now ${this.#mostCost}`,
            );
            this.#refuse(one, 'capacity-lowered', message);
          }
        }
      }
    this.#nextDeadlineMs = nextMs;
    this.#lateUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** A pause ended early: requests whose deadlines lay in it need not be refused any more. */
  pauseEnded(): void {
    this.#lateUntilMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Sets the largest cost that can be granted. The next {@link serve} refuses larger ones, wherever they stand in the
   * queue.
   */
  limitCost(most: Amount): void {
    const isLess = this.size > 0 && this.#sums.exceeds(this.#mostCost, most);
    if (isLess) this.#nextDeadlineMs = Number.NEGATIVE_INFINITY;
    this.#mostCost = most;
  }

  /** Refuses everything in the queue, now and later, because the limit was closed. Call {@link arm} after it. */
  dismiss(): void {
    this.#isClosed = true;
    this.#nextDeadlineMs = Number.NEGATIVE_INFINITY;
    this.giveUp(Number.NEGATIVE_INFINITY);
  }

  /**
   * Sets the timer for the first deadline, or for `firstAtMs` if that is earlier; stops it if the queue is empty.
   *
   * @param firstAtMs when the first in the queue is to be served
   */
  arm(nowMs: number, firstAtMs: number): void {
    const atMs = this.#isCutShort ? nowMs : Math.min(firstAtMs, this.#nextDeadlineMs);
    // Not before a time that the clock can tell from now: a timer that is set for then is kept.
    this.#timer.set(this.size > 0 ? Math.max(atMs, nowMs + TOLERANCE_MS) : Number.POSITIVE_INFINITY, nowMs);
  }
}
