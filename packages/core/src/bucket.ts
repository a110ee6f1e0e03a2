import { type BucketSetup, bucketSetup, type TokenBucketOptions } from './bucket-options.ts';
import { flag, notNegative, positive, wrongRange, wrongType } from './check.ts';
import { ThrottledError, type ThrottledReason } from './errors.ts';
import { TokenGrant } from './grant.ts';
import { Level } from './level.ts';
import { BucketTime, type Held, Levels } from './levels.ts';
import type { Ask, BucketStats, Grant, ObservableBucket } from './limits.ts';
import { checkPriority, laneOf, WaitingLine } from './waiting-line.ts';

/** A token bucket in this program's memory. */
export interface MemoryBucket extends ObservableBucket {
  /**
   * Changes the rate, and the capacity if one is given. Tokens that are there stay, as far as there is room;
   * those who wait for more than the new capacity are refused.
   *
   * @throws TypeError, RangeError when a number is not finite and above 0
   */
  setRate(refillPerSecond: number, capacity?: number): void;
}

/** How many go in one turn of the event loop: a long line that may go all at once must not hold up the rest. */
const SLICE = 1_000;
/** Times are sums of fractions; what is this little too late is in time. And no timer is shorter. */
const TOLERANCE_MS = 1e-3;

class Bucket implements MemoryBucket {
  readonly #setup: BucketSetup;
  readonly #time: BucketTime;
  readonly #levels: Levels;
  readonly #line: WaitingLine<Grant>;
  #maxCost: number;
  /** When the timer is due; `Infinity` when there is none. */
  #timerAtMs = Number.POSITIVE_INFINITY;
  #stopTimer: () => void = () => {};
  #granted = 0;
  #marked = 0;
  #refused = 0;

  constructor(setup: BucketSetup) {
    const { refillIntervalMs, initialTokens, furtherLimits, agingMs, clock } = setup;
    this.#setup = setup;
    this.#time = new BucketTime(clock);
    this.#levels = new Levels(
      new Level(setup, refillIntervalMs, initialTokens, 0),
      furtherLimits.map((rate) => new Level(rate, 0, rate.capacity, 0)),
    );
    this.#maxCost = this.#levels.capacity;
    // A step of priority is two lanes, one of them for retries.
    this.#line = new WaitingLine(agingMs / 2, () => this.#drain());
  }

  tryAcquire(cost = 1): boolean {
    this.#checkCost('tryAcquire', cost);
    if (this.#line.size === 0 && this.#levels.take(cost, this.#time.now())) {
      this.#granted += 1;
      return true;
    }
    if (this.#setup.nonConforming !== 'mark') return false;
    this.#countMark();
    return true;
  }

  tryTake(cost = 1): Grant | undefined {
    this.#checkCost('tryTake', cost);
    const nowMs = this.#time.now();
    if (this.#line.size === 0 && this.#levels.take(cost, nowMs)) return this.#grant(cost, 0, nowMs);
    return this.#setup.nonConforming === 'mark' ? this.#mark(cost, nowMs) : undefined;
  }

  acquire(ask: Ask = {}): Promise<Grant> {
    try {
      const granted = this.#ask(ask);
      return granted instanceof Promise ? granted : Promise.resolve(granted);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #ask({ cost = 1, signal, maxWaitMs, priority = 0, retry = false }: Ask): Grant | Promise<Grant> {
    this.#checkCost('acquire', cost);
    if (maxWaitMs !== undefined) notNegative('acquire: maxWaitMs', maxWaitMs);
    checkPriority('acquire: priority', priority);
    flag('acquire: retry', retry);
    if (signal?.aborted) throw signal.reason;
    const lane = laneOf(priority, retry);
    const nowMs = this.#time.now();
    const line = this.#line;
    if (line.goesFirst(lane, nowMs) && this.#levels.take(cost, nowMs)) return this.#grant(cost, 0, nowMs);

    const { nonConforming, maxQueue, overflow } = this.#setup;
    if (nonConforming === 'mark') return this.#mark(cost, nowMs);
    const waitMs = this.#levels.waitMs(line.costAhead(lane) + cost, nowMs);
    if (nonConforming === 'reject') throw this.#refusal('not-conforming', 'there are too few tokens', waitMs);
    const patienceMs = Math.min(maxWaitMs ?? Number.POSITIVE_INFINITY, this.#setup.maxWaitMs);
    if (waitMs > patienceMs + TOLERANCE_MS) {
      throw this.#refusal('wait-too-long', `tokens would take longer than ${patienceMs} ms to come`, waitMs);
    }
    if (line.size >= maxQueue) this.#makePlace(lane, overflow, waitMs);
    const granted = line.join(lane, cost, nowMs, nowMs + patienceMs, signal);
    this.#arm(nowMs);
    return granted;
  }

  #makePlace(lane: number, overflow: BucketSetup['overflow'], waitMs: number): void {
    const { maxQueue } = this.#setup;
    const displaced =
      overflow === 'drop-lowest'
        ? this.#line.popBelow(lane)
        : overflow === 'drop-oldest'
          ? this.#line.shiftOldest()
          : undefined;
    if (displaced === undefined) {
      throw this.#refusal('queue-full', `${maxQueue} wait already, and no more may`, waitMs);
    }
    const message = `${maxQueue} wait already, and another took this one's place`;
    displaced.resolve(Promise.reject(this.#refusal('displaced', message)));
  }

  pauseFor(durationMs: number): void {
    notNegative('pauseFor: durationMs', durationMs);
    const nowMs = this.#time.now();
    this.#levels.pause(nowMs + durationMs, nowMs);
    this.#arm(nowMs);
  }

  setRate(refillPerSecond: number, capacity?: number): void {
    positive('setRate: refillPerSecond', refillPerSecond);
    if (capacity !== undefined) positive('setRate: capacity', capacity);
    const nowMs = this.#time.now();
    this.#levels.setRate({ refillPerSecond, capacity: capacity ?? this.#levels.capacity }, nowMs);
    this.#maxCost = this.#levels.capacity;
    this.#drain();
  }

  evenOut(surplus: number, held: Held): void {
    this.#levels.settle(surplus, held, this.#time.now());
    this.#drain();
  }

  stats(): BucketStats {
    const nowMs = this.#time.now();
    const levels = this.#levels;
    const { size, cost } = this.#line;
    const pausedMs = levels.pausedMs(nowMs);
    const asMade = levels.refillPerSecond === this.#setup.refillPerSecond;
    return {
      tokens: levels.tokens(nowMs),
      capacity: this.#maxCost,
      refillPerSecond: levels.refillPerSecond,
      waiting: size,
      waitingCost: cost,
      pausedMs,
      granted: this.#granted,
      marked: this.#marked,
      refused: this.#refused,
      idle: size === 0 && pausedMs === 0 && asMade && levels.isFull(nowMs),
    };
  }

  #checkCost(caller: string, cost: number): void {
    if (cost > 0 && cost <= this.#maxCost && typeof cost === 'number') return;
    const takes = `a number above 0 and at most the capacity, ${this.#maxCost},`;
    throw (typeof cost === 'number' ? wrongRange : wrongType)(`${caller}: cost`, takes, cost);
  }

  #grant(cost: number, waitedMs: number, nowMs: number): Grant {
    this.#granted += 1;
    return new TokenGrant(cost, waitedMs, this.#time.startMs + nowMs, this.#levels.held, this);
  }

  #mark(cost: number, nowMs: number): Grant {
    this.#countMark();
    return new TokenGrant(cost, 0, this.#time.startMs + nowMs, undefined, undefined);
  }

  #countMark(): void {
    this.#granted += 1;
    this.#marked += 1;
  }

  #refusal(reason: ThrottledReason, message: string, waitMs?: number): ThrottledError {
    this.#refused += 1;
    return new ThrottledError(`Not sent: ${message}`, waitMs, { reason });
  }

  /** Lets everybody go whose tokens are there, a slice at a time. */
  #drain(): void {
    const nowMs = this.#time.now();
    const line = this.#line;
    this.#expire(nowMs - TOLERANCE_MS);
    let left = SLICE;
    for (let first = line.peek(); first !== undefined; first = line.peek()) {
      if (first.cost > this.#maxCost) {
        line.shift();
        const message = `it asks for ${first.cost} tokens, and the bucket now holds ${this.#maxCost} at most`;
        first.resolve(Promise.reject(this.#refusal('capacity-lowered', message)));
        continue;
      }
      if (left === 0 || !this.#levels.take(first.cost, nowMs)) break;
      left -= 1;
      line.shift();
      first.resolve(this.#grant(first.cost, Math.max(0, nowMs - first.sinceMs), nowMs));
    }
    if (left > 0) this.#expire(nowMs + TOLERANCE_MS);
    this.#arm(nowMs);
  }

  #expire(untilMs: number): void {
    for (let late = this.#line.shiftExpired(untilMs); late; late = this.#line.shiftExpired(untilMs)) {
      late.resolve(Promise.reject(this.#refusal('wait-too-long', 'its turn did not come in time')));
    }
  }

  /** The one timer: for the first in line, or for the first deadline. None when nobody waits. */
  #arm(nowMs: number): void {
    const first = this.#line.peek();
    let atMs = Number.POSITIVE_INFINITY;
    if (first !== undefined) {
      const dueMs = nowMs + this.#levels.waitMs(first.cost, nowMs);
      atMs = Math.max(Math.min(dueMs, this.#line.nextDeadlineMs), nowMs + TOLERANCE_MS);
    }
    // One that is due earlier is left alone: when it is, it looks again.
    if (this.#timerAtMs <= atMs && first !== undefined) return;
    this.#stopTimer();
    this.#timerAtMs = atMs;
    if (first === undefined) return;
    this.#stopTimer = this.#time.clock.schedule(() => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      this.#drain();
    }, atMs - nowMs);
  }
}

/**
 * Tokens that refill at a rate. A request takes some before it is sent, and waits its turn while they are not
 * there: in any window of time at most `capacity + rate · window` go.
 *
 * One timer serves all who wait, and only while somebody waits does it keep the process alive.
 *
 * @throws TypeError, RangeError for a wrong option
 */
export function tokenBucket(options: TokenBucketOptions): MemoryBucket {
  return new Bucket(bucketSetup(options));
}
