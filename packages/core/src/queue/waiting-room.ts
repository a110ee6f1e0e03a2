import { prose, proseOf } from '#prose';
import { flag, notNegative } from '../base/check.ts';
import { inNextTurn } from '../base/clock.ts';
import { ThrottledError, type ThrottledReason } from '../base/errors.ts';
import type { AcquireOptions } from '../loop/contracts.ts';
import { type Amount, exceeds, type Weigh } from './amount.ts';
import type { WaitingSetup } from './options.ts';
import type { Lane } from './queue.ts';
import type { SteadyTime } from './time.ts';
import { Timer, TOLERANCE_MS } from './timer.ts';
import { type Waiter, WaitingLine } from './waiting-line.ts';

/** Work in one turn of the event loop: a long queue that is served all at once must not block the program. In half microseconds. */
const SLICE = 20_000;

/** What a grant costs of it: its request is sent in the same turn. */
const GRANT = 200;

/** What a refusal costs: an error captures a stack trace. */
const REFUSAL = 40;

/** What the end of an aborted request costs. Looking at one costs 1. */
const ABORT = 20;

/** Why a whole queue is refused. */
type Dismissal = readonly [reason: ThrottledReason, message: string | undefined];

/**
 * A line of requests with limits, and one timer for all of it. Its owner decides when the first request may go, in
 * {@link serve}.
 */
export class WaitingRoom<T> extends WaitingLine<T> {
  /** Requests refused so far, aborted ones not included. */
  refused = 0;
  readonly #setup: WaitingSetup;
  readonly #onWake: () => void;
  readonly #timer: Timer;
  /** Waiters with a deadline up to this time are being refused, a slice per turn. */
  #lateUntilMs = Number.NEGATIVE_INFINITY;
  /** The largest cost that can be granted. While `#isSearching`, the queue is searched for larger ones. */
  #mostCost: Amount = Number.POSITIVE_INFINITY;
  #isSearching = false;
  /** The last slice ended before the queue did: more may go now, whatever the owner knows of it. */
  #isCutShort = false;
  /** Why the whole queue is being refused; `undefined` if it is not. */
  #dismissal: Dismissal | undefined;
  /** What is left of the slice. */
  #left = 0;

  /**
   * @param onWake called when the first in the queue may have to be served
   * @param weigh what a cost weighs at this limit
   */
  constructor(setup: WaitingSetup, time: SteadyTime, onWake: () => void, weigh?: Weigh) {
    super(setup, () => this.#endAllAborted(), weigh);
    this.#setup = setup;
    this.#onWake = onWake;
    this.#timer = new Timer(time, onWake, true);
  }

  /** Ends those whose signal has aborted, a slice in each turn, also while a virtual clock stands still. */
  #endAllAborted(): void {
    this.#onWake();
    if (this.hasAborted) inNextTurn(() => this.#endAllAborted());
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

  #patienceMs({ maxWaitMs = Number.POSITIVE_INFINITY }: AcquireOptions): number {
    return Math.min(maxWaitMs, this.#setup.maxWaitMs);
  }

  /**
   * The cost of everything that goes before a new request of this lane, if none of it leaves. A lower bound for a
   * request without a deadline, which needs no exact estimate: counting could take long.
   */
  costAhead(options: AcquireOptions, lane: Lane, nowMs: number): Amount {
    // What is left of an aborted crowd counts no more, and is gone before the request has its turn.
    if (this.hasAborted) return 0;
    return this.queue.costAhead(lane, nowMs, this.#patienceMs(options) < Number.POSITIVE_INFINITY);
  }

  /**
   * Puts a request into the queue.
   *
   * @param waitMs how long until its turn comes, at least; `undefined` if that is unknown
   * @throws ThrottledError if the wait is too long, or the queue is full
   */
  join(
    options: AcquireOptions,
    lane: Lane,
    cost: Amount,
    waitMs: number | undefined,
    nowMs: number,
  ): Promise<T> {
    const patienceMs = this.#patienceMs(options);
    if (patienceMs === 0 || (waitMs ?? 0) > patienceMs + TOLERANCE_MS) {
      const late = proseOf(() => `its turn would not come within ${patienceMs} ms`);
      throw this.refusal('wait-too-long', late, waitMs);
    }
    if (this.size >= this.#setup.maxQueue && !this.endAborted()) this.#makeRoom(lane, waitMs);
    return this.add(lane, cost, nowMs, nowMs + patienceMs, options.signal);
  }

  #makeRoom(lane: Lane, waitMs: number | undefined): void {
    const full = proseOf(() => `the queue is full (maxQueue ${this.#setup.maxQueue})`);
    const displaced = this.queue.displacedBy?.(lane);
    if (displaced === undefined) throw this.refusal('queue-full', full, waitMs);
    this.#refuse(
      displaced,
      'displaced',
      proseOf(() => `${full}, and another request took its place`),
    );
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

  /** Returns true, for {@link #refuseOne}. */
  #refuse(waiter: Waiter<T>, reason: ThrottledReason, message: string | undefined): true {
    this.remove(waiter);
    waiter.resolve(Promise.reject(this.refusal(reason, message)));
    return true;
  }

  /**
   * Serves the first in the queue, one after the other, until `grant` returns `undefined`; what it returns is the
   * result of that request. Before that, refuses requests that are late or cost too much, and after it those
   * whose deadline is now. Does one slice; {@link arm} sets the timer for the next.
   *
   * @param grant takes the cost and how long the request has waited, in milliseconds
   */
  serve(nowMs: number, grant: (cost: Amount, waitedMs: number) => T | Promise<T> | undefined): void {
    this.giveUp(nowMs - TOLERANCE_MS);
    for (; this.#left > 0; this.#left -= GRANT) {
      const { first } = this.queue;
      if (first === undefined) break;
      const result = grant(first.cost, Math.max(0, nowMs - first.sinceMs));
      if (result === undefined) break;
      this.remove(first, !(result instanceof Promise));
      first.resolve(result);
    }
    this.#isCutShort = this.#left <= 0;
    this.#sendAway(nowMs + TOLERANCE_MS);
  }

  /** Refuses requests with a deadline up to `untilMs`. Call {@link arm} after it. */
  giveUp(untilMs: number): void {
    this.#left = SLICE;
    this.#sendAway(untilMs);
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
    if (exceeds(this.#mostCost, most) && this.size > 0) {
      this.queue.startSearch();
      this.#isSearching = true;
    }
    this.#mostCost = most;
  }

  /** Refuses everything in the queue, now and later. Call {@link arm} after it. */
  dismiss(reason: ThrottledReason, message: string | undefined): void {
    this.#dismissal = [reason, message];
    this.giveUp(Number.NEGATIVE_INFINITY);
  }

  /** Ends and refuses what cannot be served, as far as the slice allows. */
  #sendAway(lateUntilMs: number): void {
    this.#lateUntilMs = Math.max(this.#lateUntilMs, lateUntilMs);
    for (; this.#left > 0 && this.endAborted(); this.#left -= ABORT);
    for (; this.#left > 0 && this.#refuseOne(); this.#left -= REFUSAL);
  }

  #refuseOne(): boolean {
    const dismissed = this.#dismissal && this.queue.first;
    if (dismissed !== undefined) return this.#refuse(dismissed, ...(this.#dismissal as Dismissal));
    const late = this.expired(this.#lateUntilMs);
    if (late !== undefined)
      return this.#refuse(late, 'wait-too-long', prose('its turn does not come in time'));
    this.#lateUntilMs = Number.NEGATIVE_INFINITY;
    for (; this.#isSearching && this.#left > 0; this.#left -= 1) {
      const one = this.queue.searched();
      this.#isSearching = one !== undefined;
      if (one === undefined || !exceeds(one.cost, this.#mostCost)) continue;
      const message = proseOf(() => `it costs ${one.cost} tokens, and the capacity is now ${this.#mostCost}`);
      return this.#refuse(one, 'capacity-lowered', message);
    }
    return false;
  }

  /**
   * Sets the timer for the first deadline, or for `firstAtMs` if that is earlier; stops it if the queue is empty.
   *
   * @param firstAtMs when the first in the queue is to be served
   */
  arm(nowMs: number, firstAtMs: number): void {
    const waiting = this.size > 0;
    const isRefusing = this.#isSearching || this.#lateUntilMs > Number.NEGATIVE_INFINITY;
    const isBehind = isRefusing || this.#isCutShort || this.#dismissal !== undefined;
    let atMs = isBehind ? nowMs : Math.min(firstAtMs, this.nextDeadlineMs);
    // Not before a time that the clock can tell from now: a timer that is set for then is kept.
    atMs = waiting ? Math.max(atMs, nowMs + TOLERANCE_MS) : Number.POSITIVE_INFINITY;
    this.#timer.set(atMs, nowMs);
  }
}
