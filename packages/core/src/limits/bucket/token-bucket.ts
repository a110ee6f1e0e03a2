import { notNegative, wrongRange, wrongType } from '../../base/check.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import type { Feedback } from '../../http/server-feedback.ts';
import type {
  AcquireOptions,
  BucketStats,
  CloseOptions,
  Grant,
  ObservableBucket,
  TokenBucket,
} from '../contracts.ts';
import type { CallsBeforeUse } from '../evicted.ts';
import { SteadyTime } from '../queue/time.ts';
import { laneOf } from '../queue/waiting-line.ts';
import { WaitingRoom } from '../queue/waiting-room.ts';
import { CLOSED, noOneWaits, waitingAtClose } from './closing.ts';
import { TokenGrant } from './grant.ts';
import { type Held, Levels } from './levels.ts';
import { type BucketSetup, bucketSetup, checkRate, type TokenBucketOptions } from './options.ts';
import { OriginGates } from './origin-gates.ts';
import { Level, type Rate } from './quota-state.ts';
import { requestedPause } from './requested-pause.ts';

/** A token bucket in this program's memory. */
export interface MemoryBucket extends ObservableBucket {
  /**
   * Changes the rate, and the capacity if one is given. Tokens that are there stay, as far as there is room;
   * those who wait for more than the new capacity are refused, wherever they stand in line.
   *
   * @throws TypeError, RangeError for numbers that {@link TokenBucketOptions} does not take
   */
  setRate(refillPerSecond: number, capacity?: number): void;
  /**
   * How long until so many tokens can be taken, in milliseconds, if no one else takes any; 0 when that is now.
   * For more than the capacity: until so many have come in, for several askers in a row. Tokens that come in steps
   * come with the steps, and none of these brings more than the capacity.
   *
   * @throws TypeError, RangeError when the number is not finite and from 0
   */
  waitMs(tokens?: number): number;
}

/** What is asked where nothing is said, and the lane that it waits in. */
const ONE: AcquireOptions = {};
const USUAL_LANE: number = laneOf(0, false);

/** What {@link tokenBucket} makes. */
export class Bucket implements MemoryBucket, CallsBeforeUse {
  beforeUse: (() => void) | undefined;
  readonly #setup: BucketSetup;
  /** The rate that it was made with: at another it is not idle. */
  #made: Rate;
  readonly #time: SteadyTime;
  readonly #levels: Levels;
  readonly #room: WaitingRoom<Grant>;
  readonly #gates: OriginGates<Bucket> = new OriginGates(() => this.#makeGate());
  #maxCost: number;
  /** What the user has set, which the rate may be below for a while. */
  #wantedRate: number;
  #granted = 0;
  #marked = 0;
  /** How it was closed; `undefined` while it is open. */
  #closed: 'drain' | 'reject' | undefined;

  constructor(setup: BucketSetup) {
    const { refillIntervalMs, initialTokens, furtherLimits, clock } = setup;
    this.#setup = setup;
    this.#made = setup;
    this.#wantedRate = setup.refillPerSecond;
    this.#time = new SteadyTime(clock);
    this.#levels = new Levels(
      new Level(setup, refillIntervalMs, initialTokens, 0),
      furtherLimits.map((rate) => new Level(rate, 0, rate.capacity, 0)),
    );
    this.#maxCost = this.#levels.capacity;
    this.#room = new WaitingRoom(setup, this.#time, () => this.#drain());
    this.#room.limitCost(this.#maxCost);
  }

  tryAcquire(cost = 1, earlier?: Grant): Grant | undefined {
    this.#checkCost('tryAcquire', cost);
    if (this.#closed !== undefined && !this.#isLetIn(earlier)) return undefined;
    this.beforeUse?.();
    const nowMs = this.#time.now();
    if (this.#room.line.size === 0 && this.#levels.take(cost, nowMs)) return this.#grant(cost, 0, nowMs);
    return this.#setup.nonConforming === 'mark' ? this.#mark(cost, nowMs) : undefined;
  }

  acquire(ask: AcquireOptions = ONE): Promise<Grant> {
    try {
      const { cost = 1, signal } = ask;
      this.#checkCost('acquire', cost);
      this.beforeUse?.();
      const lane = ask === ONE ? USUAL_LANE : this.#room.laneFor(ask);
      if (signal?.aborted) throw signal.reason;
      if (this.#closed !== undefined && !this.#isLetIn(ask.earlier)) {
        throw this.#room.refusal('closed', CLOSED);
      }
      const nowMs = this.#time.now();
      if (this.#room.line.goesFirst(lane, nowMs) && this.#levels.take(cost, nowMs)) {
        return Promise.resolve(this.#grant(cost, 0, nowMs));
      }
      return this.#delay(ask, lane, cost, nowMs);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** For one whose tokens are not there. */
  #delay(ask: AcquireOptions, lane: number, cost: number, nowMs: number): Promise<Grant> {
    const { nonConforming } = this.#setup;
    if (nonConforming === 'mark') return Promise.resolve(this.#mark(cost, nowMs));
    const waitMs = this.#levels.waitMs(this.#room.costAhead(ask, lane, nowMs) + cost, nowMs);
    if (nonConforming === 'reject') {
      throw this.#room.refusal('not-conforming', 'its tokens are not there', waitMs);
    }
    const granted = this.#room.join(ask, lane, cost, waitMs, nowMs);
    this.#arm(nowMs);
    return granted;
  }

  pauseFor(durationMs: number): void {
    notNegative('pauseFor: durationMs', durationMs);
    this.beforeUse?.();
    const nowMs = this.#time.now();
    this.#levels.pause(nowMs + durationMs, nowMs);
    this.#room.giveUp(nowMs + this.#levels.pausedMs(nowMs));
    this.#arm(nowMs);
  }

  resume(): void {
    this.#gates.resume();
    this.#levels.resume(this.#time.now());
    this.#room.pauseEnded();
    this.#drain();
  }

  /** Whether the bucket drains, and this asker is one of those who waited when it was closed. */
  #isLetIn(earlier: Grant | undefined): boolean {
    return this.#closed === 'drain' && earlier !== undefined;
  }

  idle(): Promise<void> {
    return noOneWaits(this.#room, this.#gates);
  }

  async close(options?: CloseOptions): Promise<void> {
    this.beforeUse?.();
    const waiting = waitingAtClose(options);
    if (this.#closed === undefined || waiting === 'reject') {
      this.#closed = waiting;
      this.#gates.close({ waiting });
      if (waiting === 'reject') {
        this.#room.dismiss('closed', CLOSED);
        this.#arm(this.#time.now());
      }
    }
    await this.idle();
  }

  observe(outcome: Outcome, _grant: Grant, request?: RequestTraits): Feedback | undefined {
    const { said, pauseMs, origin } = requestedPause(this.#setup, outcome, request);
    if (pauseMs === 0) return said;
    this.beforeUse?.();
    if (origin === undefined) this.pauseFor(pauseMs);
    else this.#gates.pause(origin, pauseMs);
    return said;
  }

  gateFor(request: RequestTraits): TokenBucket | undefined {
    return this.#gates.for(request);
  }

  #makeGate(): Bucket {
    const { refillPerSecond, ownCapacity: capacity } = this.#levels;
    return new Bucket({ ...this.#setup, refillPerSecond, capacity, initialTokens: 0, furtherLimits: [] });
  }

  setRate(refillPerSecond: number, capacity?: number): void {
    checkRate('setRate', { refillPerSecond, capacity: capacity ?? this.#levels.ownCapacity });
    this.#wantedRate = refillPerSecond;
    this.changeRate(refillPerSecond, capacity);
    for (const gate of this.#gates.all())
      gate.#remake({ refillPerSecond, capacity: this.#levels.ownCapacity });
  }

  /** As if it had been made with this rate. */
  #remake(rate: Rate): void {
    this.#made = rate;
    this.#wantedRate = rate.refillPerSecond;
    this.changeRate(rate.refillPerSecond, rate.capacity);
  }

  /** Sets the rate without counting as changed by the user: a rate that was found may be found again. */
  changeRate(refillPerSecond: number, capacity?: number): void {
    this.beforeUse?.();
    this.#levels.setRate(refillPerSecond, capacity, this.#time.now());
    this.#maxCost = this.#levels.capacity;
    this.#room.limitCost(this.#maxCost);
    this.#drain();
  }

  waitMs(tokens = 1): number {
    notNegative('waitMs: tokens', tokens);
    return this.#levels.waitMs(tokens, this.#time.now());
  }

  evenOut(surplus: number, held: Held): void {
    // What is given back changes nothing in a bucket that was let go: it is full.
    if (surplus < 0) this.beforeUse?.();
    this.#levels.settle(surplus, held, this.#time.now());
    this.#drain();
  }

  stats(): BucketStats {
    const nowMs = this.#time.now();
    const levels = this.#levels;
    const { size, cost } = this.#room.line;
    const gates = this.#gates.stats();
    const pausedMs = Math.max(levels.pausedMs(nowMs), gates.pausedMs);
    const waiting = size + gates.waiting;
    const { refillPerSecond, capacity } = this.#made;
    const asMade =
      this.#closed === undefined && this.#wantedRate === refillPerSecond && levels.ownCapacity === capacity;
    return {
      tokens: levels.tokens(nowMs),
      capacity: this.#maxCost,
      refillPerSecond: levels.refillPerSecond,
      waiting,
      waitingCost: cost,
      pausedMs,
      granted: this.#granted,
      marked: this.#marked,
      refused: this.#room.refused,
      idle: waiting === 0 && gates.count === 0 && pausedMs === 0 && asMade && levels.isFull(nowMs),
    };
  }

  #checkCost(caller: string, cost: number): void {
    if (cost > 0 && cost <= this.#maxCost && typeof cost === 'number') return;
    const takes = `a number above 0 and at most the capacity, ${this.#maxCost}`;
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

  /** Lets everybody go whose tokens are there. */
  #drain(): void {
    const nowMs = this.#time.now();
    this.#room.serve(nowMs, (first) => {
      if (!this.#levels.take(first.cost, nowMs)) return false;
      this.#room.line.shift();
      first.resolve(this.#grant(first.cost, Math.max(0, nowMs - first.sinceMs), nowMs));
      return true;
    });
    this.#arm(nowMs);
  }

  #arm(nowMs: number): void {
    const first = this.#room.line.peek();
    const waitMs = first === undefined ? 0 : this.#levels.waitMs(first.cost, nowMs);
    this.#room.arm(nowMs, nowMs + waitMs);
  }
}

/**
 * Tokens that refill at a rate. A request takes some before it is sent, and waits its turn while they are not
 * there: in any window of time at most `capacity + rate · window` go.
 *
 * That is when they are sent; a server counts when they arrive, and the way there may bunch them. Where its
 * limit is hard, stay five or ten percent below it.
 *
 * One timer serves all who wait, and only while somebody waits does it keep the process alive.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, tokenBucket } from '@ebb/core';
 *
 * // 500 requests per second, at most 100 at once; no request waits longer than 5 s.
 * const bucket = tokenBucket({ refillPerSecond: 500, capacity: 100, maxWaitMs: 5_000 });
 * const policy = createPolicy({ bucket });
 * ```
 */
export function tokenBucket(options: TokenBucketOptions): MemoryBucket {
  return new Bucket(bucketSetup(options));
}
