import {
  type Check,
  checkPriority,
  flag,
  notNegative,
  oneOf,
  positive,
  wholeNumber,
} from '../../base/check.ts';
import { ThrottledError, type ThrottledReason } from '../../base/errors.ts';
import type { AcquireOptions } from '../contracts.ts';
import type { SteadyTime } from './time.ts';
import { laneOf, type Waiter, WaitingLine } from './waiting-line.ts';

/** Who makes place when too many wait: nobody, the one who waited longest, or the last of a lower priority. */
export type Overflow = 'reject' | 'drop-oldest' | 'drop-lowest';

/** How long a line may get, and how long one may wait in it. */
export interface WaitingOptions {
  /**
   * How many may wait.
   * @default no limit
   */
  readonly maxQueue?: number | undefined;
  /**
   * Who makes place when too many wait.
   * @default 'reject'
   */
  readonly overflow?: Overflow | undefined;
  /**
   * The longest wait, in milliseconds. Whoever would wait longer is refused at once.
   * @default no limit
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * How much waiting outweighs a step of priority, in milliseconds, so that low priorities go late, but go. A
   * retry counts as half a step.
   * @default 60_000
   */
  readonly agingMs?: number | undefined;
}

/** The options with every default in its place. */
export type WaitingSetup = { readonly [K in keyof WaitingOptions]-?: NonNullable<WaitingOptions[K]> };

export function waitingSetup(options: WaitingOptions): WaitingSetup {
  return {
    maxQueue: options.maxQueue ?? Number.POSITIVE_INFINITY,
    overflow: options.overflow ?? 'reject',
    maxWaitMs: options.maxWaitMs ?? Number.POSITIVE_INFINITY,
    agingMs: options.agingMs ?? 60_000,
  };
}

export const WAITING_CHECKS: Readonly<Record<keyof WaitingOptions, Check>> = {
  maxQueue: wholeNumber,
  overflow: oneOf('reject', 'drop-oldest', 'drop-lowest'),
  maxWaitMs: notNegative,
  agingMs: positive,
};

/**
 * What is done in one turn of the event loop, in grants: a long line that may go all at once must not hold up the
 * rest of the program.
 */
const SLICE = 1_000;

/** A refusal takes as long as two grants or more: an error has a stack trace. */
const REFUSAL = 2;

/** In the time of one grant, so many waiters can be looked at. */
const LOOKS_A_GRANT = 20;

/** Times are sums of fractions; what is this little too late is in time. And no timer is shorter. */
const TOLERANCE_MS = 1e-3;

/** Those who wait, the bounds on them, and the one timer for all of them. */
export class WaitingRoom<T> {
  readonly line: WaitingLine<T>;
  /** How many were turned away, aborted ones not included. */
  refused = 0;
  readonly #setup: WaitingSetup;
  readonly #time: SteadyTime;
  readonly #onWake: () => void;
  /** When the timer is due; `Infinity` when there is none. */
  #timerAtMs = Number.POSITIVE_INFINITY;
  #stopTimer: () => void = () => {};
  /** Waiters with a deadline up to this are being turned away, slice by slice. */
  #lateUntilMs = Number.NEGATIVE_INFINITY;
  /** The largest cost that can be granted. While `#isSearching`, the line is searched for larger ones. */
  #mostCost = Number.POSITIVE_INFINITY;
  #isSearching = false;
  /** Why the whole line is being turned away, if it is. */
  #dismissal: { readonly reason: ThrottledReason; readonly message: string } | undefined;

  /** `onWake` is called when somebody's turn may have come. */
  constructor(setup: WaitingSetup, time: SteadyTime, onWake: () => void) {
    this.#setup = setup;
    this.#time = time;
    this.#onWake = onWake;
    // A step of priority is two lanes, one of them for retries.
    this.line = new WaitingLine(setup.agingMs / 2, onWake);
  }

  /** The lane that an ask waits in. */
  laneFor({ maxWaitMs, priority, retry }: AcquireOptions): number {
    if (maxWaitMs !== undefined) notNegative('acquire: maxWaitMs', maxWaitMs);
    if (priority !== undefined) checkPriority('acquire: priority', priority);
    if (retry !== undefined) flag('acquire: retry', retry);
    return laneOf(priority ?? 0, retry ?? false);
  }

  #patienceMs({ maxWaitMs = Number.POSITIVE_INFINITY }: AcquireOptions): number {
    return Math.min(maxWaitMs, this.#setup.maxWaitMs);
  }

  /**
   * The tokens that those wait for who go before this one, if none of them leaves. For one who would wait for any
   * time it may be less: then nothing depends on it, and counting them all could take long.
   */
  costAhead(ask: AcquireOptions, lane: number, nowMs: number): number {
    const isPatient = this.#patienceMs(ask) === Number.POSITIVE_INFINITY;
    return isPatient ? this.line.leastCostAhead(lane) : this.line.costAhead(lane, nowMs);
  }

  /** Joins the line, for a turn that comes in `waitMs` at the earliest, or nobody knows when. */
  join(
    ask: AcquireOptions,
    lane: number,
    cost: number,
    waitMs: number | undefined,
    nowMs: number,
  ): Promise<T> {
    const patienceMs = this.#patienceMs(ask);
    if (patienceMs === 0 || (waitMs ?? 0) > patienceMs + TOLERANCE_MS) {
      throw this.refusal('wait-too-long', `its turn would not come within ${patienceMs} ms`, waitMs);
    }
    if (this.line.size >= this.#setup.maxQueue) this.#makePlace(lane, waitMs);
    return this.line.join(lane, cost, nowMs, nowMs + patienceMs, ask.signal);
  }

  #makePlace(lane: number, waitMs: number | undefined): void {
    const { maxQueue, overflow } = this.#setup;
    let displaced: Waiter<T> | undefined;
    if (overflow === 'drop-lowest') displaced = this.line.popBelow(lane);
    else if (overflow === 'drop-oldest') displaced = this.line.shiftOldest();
    const full = `${maxQueue} wait already`;
    if (displaced === undefined) throw this.refusal('queue-full', `${full}, and no more may`, waitMs);
    this.turnAway(displaced, 'displaced', `${full}, and another took its place`);
  }

  refusal(reason: ThrottledReason, message: string, waitMs?: number, cause?: unknown): ThrottledError {
    this.refused += 1;
    return new ThrottledError(`Not sent: ${message}`, waitMs, {
      reason,
      ...(cause !== undefined && { cause }),
    });
  }

  /** For one who has left the line. */
  turnAway(waiter: Waiter<T>, reason: ThrottledReason, message: string, cause?: unknown): void {
    waiter.resolve(Promise.reject(this.refusal(reason, message, undefined, cause)));
  }

  /**
   * Calls `letGo` for the first in line until it returns `false`. First turns away those that are late or ask for too
   * much, and last those whose deadline is now. Does one slice; {@link arm} sets the timer for the next.
   */
  serve(nowMs: number, letGo: (first: Waiter<T>) => boolean): void {
    const { line } = this;
    let left = this.#sendAway(nowMs - TOLERANCE_MS, SLICE);
    for (let first = line.peek(); first !== undefined && left > 0; first = line.peek()) {
      if (!letGo(first)) break;
      left -= 1;
    }
    if (left > 0) this.#sendAway(nowMs + TOLERANCE_MS, left);
  }

  /** Turns those away whose deadline is `untilMs` or before. {@link arm} is to be called after it. */
  giveUp(untilMs: number): void {
    this.#sendAway(untilMs, SLICE);
  }

  /** A pause has ended before its time: deadlines that lay in it may be met after all. */
  pauseEnded(): void {
    this.#lateUntilMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * From now on no cost above `most` can be granted: the next {@link serve} turns larger ones away, wherever they
   * stand in line.
   */
  limitCost(most: number): void {
    if (most < this.#mostCost && this.line.size > 0) {
      this.line.startSearch();
      this.#isSearching = true;
    }
    this.#mostCost = most;
  }

  /** From now on turns the whole line away. {@link arm} is to be called after it. */
  dismiss(reason: ThrottledReason, message: string): void {
    this.#dismissal = { reason, message };
    this.#sendAway(Number.NEGATIVE_INFINITY, SLICE);
  }

  /** Resolves when the line is empty, if only for a moment: the place of one who was displaced is taken at once. */
  async idle(): Promise<void> {
    if (this.line.size > 0) await new Promise<void>((resolve) => this.line.onceEmpty(resolve));
  }

  /** Turns away those that cannot be served, in the time of `most` grants; returns how much of it is left. */
  #sendAway(lateUntilMs: number, most: number): number {
    let left = this.#dismissal === undefined ? most : this.#sendAllAway(this.#dismissal, most);
    this.#lateUntilMs = Math.max(this.#lateUntilMs, lateUntilMs);
    while (left > 0) {
      const late = this.line.shiftExpired(this.#lateUntilMs);
      if (late === undefined) {
        this.#lateUntilMs = Number.NEGATIVE_INFINITY;
        break;
      }
      this.turnAway(late, 'wait-too-long', 'its turn does not come in time');
      left -= REFUSAL;
    }
    return this.#isSearching ? this.#sendLargeAway(left) : left;
  }

  #sendAllAway({ reason, message }: { reason: ThrottledReason; message: string }, most: number): number {
    let left = most;
    for (; left > 0; left -= REFUSAL) {
      const next = this.line.shift();
      if (next === undefined) break;
      this.turnAway(next, reason, message);
    }
    return left;
  }

  #sendLargeAway(most: number): number {
    let left = most;
    while (left > 0) {
      const looks = { left: left * LOOKS_A_GRANT };
      const found = this.line.shiftAbove(this.#mostCost, looks);
      left = looks.left / LOOKS_A_GRANT;
      if (found !== undefined) {
        const message = `it asks for ${found.cost} tokens, and the bucket now holds ${this.#mostCost} at most`;
        this.turnAway(found, 'capacity-lowered', message);
        left -= REFUSAL;
      } else if (left > 0) {
        this.#isSearching = false;
        break;
      }
    }
    return left;
  }

  /** Whether there is more to do than fitted into the slice. */
  get #isBehind(): boolean {
    return this.#isSearching || this.#lateUntilMs > Number.NEGATIVE_INFINITY || this.#dismissal !== undefined;
  }

  /** Sets the one timer for the first in line, or for the first deadline; none when nobody waits. */
  arm(nowMs: number, firstAtMs: number): void {
    const waiting = this.line.size > 0;
    let atMs = this.#isBehind ? nowMs : Math.min(firstAtMs, this.line.nextDeadlineMs);
    atMs = waiting ? Math.max(atMs, nowMs + TOLERANCE_MS) : Number.POSITIVE_INFINITY;
    // One that is due earlier is left alone: when it is, it looks again.
    if (waiting && this.#timerAtMs <= atMs) return;
    this.#stopTimer();
    this.#timerAtMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.#stopTimer = this.#time.clock.schedule(() => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      this.#onWake();
    }, atMs - nowMs);
  }
}
