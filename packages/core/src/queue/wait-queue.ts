import { devText, devTextOf } from '#dev-text';
import { worker } from '#worker';
import { flag, having, notNegative, wholeNumber } from '../base/check.ts';
import { NotSentError, type NotSentReason } from '../base/errors.ts';
import type { Complete, OptionTable } from '../base/options.ts';
import { onAbort } from '../base/signals.ts';
import type { AcquireOptions } from '../policy/contracts.ts';
import { inOrderOfArrival } from './order.ts';
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
  maxQueue: { check: wholeNumber, default: Infinity },
  maxWaitMs: { check: notNegative, default: Infinity },
  queue: {
    check: /* @__PURE__ */ having(devText('what priorityQueue returns'), 'make'),
    default: inOrderOfArrival,
  },
};

/** Requests that are granted, and refused, in one turn of the event loop: a long queue must not block the program. */
const GRANTS = 100;
const REFUSALS = 500;

const CLOSED: string | undefined = /* @__PURE__ */ devText('the bucket was closed');
/** Why a request is refused that would wait, or has waited, for too long. */
export const TOO_LATE: string | undefined = /* @__PURE__ */ devText('its turn does not come in time');

/** A request that waits. */
export interface Waiter<T> extends Queued<Waiter<T>> {
  /** Rejects with a rejected promise: a second function would cost memory for every waiter. */
  readonly resolve: (value: T | Promise<T>) => void;
  /** In milliseconds of the limit; `Infinity` if it has none. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  stopListening: (() => void) | undefined;
}

/**
 * What a limit gives the request whose turn it is: its result, or `undefined` if it has to wait.
 *
 * @param deadlineMs of a request in the queue
 */
type Grants<T> = (
  cost: Amount,
  waitedMs: number,
  nowMs: number,
  deadlineMs?: number,
) => T | Promise<T> | undefined;

/** What is known of when more comes, in milliseconds. Without it nothing is known. */
interface Supply {
  /** How long until so much can be had, at least. */
  waitMs(cost: Amount, nowMs: number): number;
  /** When the first request is to be served. Called after each change of the queue. */
  dueMs(firstCost: Amount, nowMs: number): number;
  /** The rest of a pause. */
  pausedMs(nowMs: number): number;
  /** A request is refused whose turn would come in so long. */
  refusedFor?(waitMs: number, nowMs: number): void;
}

/**
 * Checks what all calls of a policy ask of a queue.
 *
 * @throws TypeError, RangeError if it does not take their priority, or their keys
 */
export function mustTakeCalls(
  queue: Pick<Queue<never>, 'isFair' | 'laneOf'>,
  { priority, fairKey }: { readonly priority?: number | undefined; readonly fairKey?: unknown },
): void {
  // A key itself is checked when it is known: it may be a function.
  queue.laneOf({ priority, fairKey: queue.isFair ? undefined : (fairKey as undefined) });
}

/**
 * Where a request waits, if it has to.
 *
 * @throws TypeError, RangeError for a wrong option
 */
export function laneFor(queue: Pick<Queue<never>, 'laneOf'>, options: AcquireOptions): Lane {
  const { maxWaitMs, retry } = options;
  if (maxWaitMs !== undefined) notNegative('acquire: maxWaitMs', maxWaitMs);
  if (retry !== undefined) flag('acquire: retry', retry);
  return queue.laneOf(options);
}

/**
 * The requests that wait at a limit: a queue in some order, with a deadline and a signal for each of them, and one timer for all.
 * The limit says what the first of them gets.
 */
export class WaitQueue<T> {
  /** How many wait. */
  size = 0;
  /** Requests refused so far, aborted ones not included. */
  refused = 0;
  /** How the limit was closed; `undefined` while it is open. */
  closed: 'drain' | 'reject' | undefined;
  /** The largest cost that can be granted. */
  mostCost: Amount = Infinity;
  supply: Supply | undefined;
  readonly queue: Queue<Waiter<T>>;
  readonly #setup: WaitingSetup;
  readonly #time: SteadyTime;
  readonly #grants: Grants<T>;
  readonly #sums: Sums;
  readonly #timer: Timer;
  /** No deadline is before this. In the past if there are other requests to refuse. */
  #nextDeadlineMs = Infinity;
  /** How many were aborted in this turn. */
  #aborts = 0;
  readonly #onEmpty: (() => void)[] = [];

  constructor(setup: WaitingSetup, time: SteadyTime, grants: Grants<T>, sums: Sums = NUMBERS) {
    this.#setup = setup;
    this.#time = time;
    this.#grants = grants;
    this.#sums = sums;
    this.queue = setup.queue.make(sums);
    this.#timer = new Timer(time, () => this.serve(), true);
  }

  /** One that drains is open to a request that was granted what it asked for, gave it back, and waits again. */
  isOpenTo(earlier: object | undefined): boolean {
    return this.closed === undefined || (this.closed === 'drain' && earlier !== undefined);
  }

  /**
   * Serves a request at once if it may go, else puts it into the queue. Rejects for a wrong option; with the reason of a signal that
   * has aborted; with a NotSentError if the limit is closed, the wait is too long, or the queue is full.
   */
  acquire(options: AcquireOptions, costOf: () => Amount): Promise<T> {
    try {
      return this.#acquire(options, costOf());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #acquire(options: AcquireOptions, cost: Amount): Promise<T> {
    const { maxWaitMs = Infinity, signal, earlier } = options;
    const lane = laneFor(this.queue, options);
    if (signal?.aborted) throw signal.reason;
    if (!this.isOpenTo(earlier)) throw this.refusal('closed', CLOSED);
    const nowMs = this.#time.now();
    const isFirst = this.size === 0 || this.queue.goesFirst(lane, nowMs);
    const result = isFirst ? this.#grants(cost, 0, nowMs) : undefined;
    if (result !== undefined) return Promise.resolve(result);
    const patienceMs = Math.min(maxWaitMs, this.#setup.maxWaitMs);
    this.#mustHaveRoom(lane, cost, nowMs, patienceMs);
    const waiting = this.#join(lane, cost, nowMs, nowMs + patienceMs, signal);
    const dueMs = this.arm(nowMs);
    return worker
      ? worker.wakingItself(waiting, this.#time.clock, {
          dueMs,
          // What is ahead of the next request of this lane includes it.
          turnMs: this.supply?.waitMs(this.queue.costAhead(lane, nowMs, false), nowMs) ?? 0,
          serve: () => this.serve(),
        })
      : waiting;
  }

  #mustHaveRoom(lane: Lane, cost: Amount, nowMs: number, patienceMs: number): void {
    const { supply, queue } = this;
    const isExact = patienceMs < Infinity;
    const waitMs = supply?.waitMs(this.#sums.plus(queue.costAhead(lane, nowMs, isExact), cost), nowMs);
    const isLate = patienceMs === 0 || (waitMs ?? 0) > patienceMs + TOLERANCE_MS;
    if (!isLate && this.size < this.#setup.maxQueue) return;
    const late = devTextOf(() => `its turn would not come within ${patienceMs} ms`);
    const full = devTextOf(() => `the queue is full (maxQueue ${this.#setup.maxQueue})`);
    const displaced = isLate ? undefined : queue.displacedBy?.(lane);
    if (displaced === undefined) {
      supply?.refusedFor?.(waitMs ?? 0, nowMs);
      throw isLate ? this.refusal('wait-too-long', late, waitMs) : this.refusal('queue-full', full, waitMs);
    }
    this.#refuse(
      displaced,
      'displaced',
      devTextOf(() => `${full}, and another request took its place`),
    );
  }

  #join(
    lane: Lane,
    cost: Amount,
    nowMs: number,
    deadlineMs: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    this.#nextDeadlineMs = Math.min(this.#nextDeadlineMs, deadlineMs);
    return new Promise((resolve) => {
      // A small integer needs less memory than a double.
      const sinceMs = Math.round(nowMs);
      // Spread, these would cost each waiter room for more fields.
      const waiter: Waiter<T> = {
        resolve,
        cost,
        sinceMs,
        lane,
        deadlineMs,
        signal,
        next: undefined,
        previous: undefined,
        stopListening: undefined,
      };
      this.queue.add(waiter);
      this.size += 1;
      if (signal !== undefined) this.#listen(waiter, signal);
    });
  }

  /** A method of its own: a function over the waiter takes memory in each call of the one around it. */
  #listen(waiter: Waiter<T>, signal: AbortSignal): void {
    waiter.stopListening = onAbort(signal, () => {
      // In workers an abort runs in the request that it ends.
      if (!worker && this.#isLeftForLater()) return;
      this.#abort(waiter);
      this.serve();
    });
  }

  /** True if so many have been aborted in this turn that the next one goes on with it: a signal may be that of very many requests. */
  #isLeftForLater(): boolean {
    if (this.#aborts === 0)
      queueMicrotask(() => {
        this.#aborts = 0;
      });
    this.#aborts += 1;
    if (this.#aborts === REFUSALS + 1) {
      this.#nextDeadlineMs = Number.NEGATIVE_INFINITY;
      this.arm(this.#time.now());
    }
    return this.#aborts > REFUSALS;
  }

  #abort(waiter: Waiter<T>): void {
    this.#remove(waiter);
    waiter.resolve(Promise.reject(waiter.signal?.reason));
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
    if (this.size === 0) return;
    const empty = new Promise<void>((resolve) => this.#onEmpty.push(resolve));
    await (worker
      ? worker.wakingItself(empty, this.#time.clock, {
          dueMs: this.serve(),
          turnMs: 0,
          serve: () => this.serve(),
        })
      : empty);
  }

  /** The error for a refused request, which is counted. */
  refusal(
    reason: NotSentReason,
    message: string | undefined,
    waitMs?: number,
    cause?: unknown,
  ): NotSentError {
    this.refused += 1;
    return new NotSentError(
      `Not sent: ${message ?? reason}`,
      waitMs,
      cause === undefined ? { reason } : { reason, cause },
    );
  }

  #refuse(waiter: Waiter<T>, reason: NotSentReason, message: string | undefined): void {
    this.#remove(waiter);
    waiter.resolve(Promise.reject(this.refusal(reason, message)));
  }

  /**
   * Serves the first in the queue, one after the other, until one has to go on waiting. Then refuses those whose deadline is now, or
   * before the end of a pause. Does some in each turn, and sets the timer for the next. Returns what {@link arm} does.
   */
  serve(): number {
    const nowMs = this.#time.now();
    let left = this.closed === 'reject' ? 0 : GRANTS;
    for (; left > 0; left -= 1) {
      const { first } = this.queue;
      if (!worker && first?.signal?.aborted && this.#isLeftForLater()) break;
      const result = first && this.#resultOf(first, nowMs);
      if (first === undefined || result === undefined) break;
      this.#remove(first, !(result instanceof Promise));
      first.resolve(result);
    }
    this.#refuseLate(nowMs + Math.max(TOLERANCE_MS, this.supply?.pausedMs(nowMs) ?? 0));
    return this.arm(nowMs, left === 0);
  }

  #resultOf({ signal, cost, sinceMs, deadlineMs }: Waiter<T>, nowMs: number): T | Promise<T> | undefined {
    try {
      // Its own listener comes after that of a request under the same signal.
      if (worker ? worker.aborted(signal) : signal?.aborted) throw signal?.reason;
      if (deadlineMs < nowMs - TOLERANCE_MS) throw this.refusal('wait-too-long', TOO_LATE);
      return this.#grants(cost, Math.max(0, nowMs - sinceMs), nowMs, deadlineMs);
    } catch (error) {
      // The supply may be broken. The request must not hold up those behind it.
      return Promise.reject(error);
    }
  }

  /** Refuses requests with a deadline up to `untilMs`, those that can never be served, and those that are aborted. */
  #refuseLate(untilMs: number): void {
    if (this.#nextDeadlineMs > untilMs) return;
    this.#nextDeadlineMs = Infinity;
    let left = REFUSALS;
    for (const one of this.queue) {
      const isClosed = this.closed === 'reject';
      const isLate = one.deadlineMs <= untilMs;
      const isAborted = !worker && one.signal?.aborted;
      if (!(isClosed || isLate || isAborted || this.#sums.exceeds(one.cost, this.mostCost))) {
        this.#nextDeadlineMs = Math.min(this.#nextDeadlineMs, one.deadlineMs);
      } else if (left === 0) {
        // The rest in the next turn.
        this.#nextDeadlineMs = Number.NEGATIVE_INFINITY;
        return;
      } else {
        left -= 1;
        if (isAborted) this.#abort(one);
        else if (isClosed) this.#refuse(one, 'closed', CLOSED);
        else if (isLate) this.#refuse(one, 'wait-too-long', TOO_LATE);
        else {
          const message = devTextOf(
            () => `it costs ${one.cost} tokens, and the capacity is now ${this.mostCost}`,
          );
          this.#refuse(one, 'capacity-lowered', message);
        }
      }
    }
  }

  /** Sets the largest cost that can be granted. Larger ones are refused, wherever they stand in the queue. */
  limitCost(most: Amount): void {
    if (this.#sums.exceeds(this.mostCost, most)) this.#nextDeadlineMs = Number.NEGATIVE_INFINITY;
    this.mostCost = most;
    this.serve();
  }

  /** Closes the limit, and refuses everything in the queue unless it drains. */
  close(how: 'drain' | 'reject'): void {
    this.closed = how;
    if (how === 'reject') this.#nextDeadlineMs = Number.NEGATIVE_INFINITY;
    this.serve();
  }

  /**
   * Sets the timer for the first deadline, or for when the first in the queue is to be served; stops it if the queue is empty.
   *
   * Returns the time until then, in milliseconds.
   *
   * @param isCutShort true if more may go now, whatever the supply says
   */
  arm(nowMs: number, isCutShort = false): number {
    const dueMs = this.supply?.dueMs(this.queue.first?.cost ?? 0, nowMs) ?? Infinity;
    const atMs = isCutShort ? nowMs : Math.min(dueMs, this.#nextDeadlineMs);
    // Not before a time that the clock can tell from now: a timer that is set for then is kept.
    const wakeMs = this.size > 0 ? Math.max(atMs, nowMs + TOLERANCE_MS) : Infinity;
    this.#timer.set(wakeMs, nowMs);
    return wakeMs - nowMs;
  }
}
