import { notNegative, wrongRange, wrongType } from '../../base/check.ts';
import { type Clock, nextTurn } from '../../base/clock.ts';
import type { ThrottledError } from '../../base/errors.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import type { Feedback, ReadFeedback } from '../../http/server-feedback.ts';
import { bindClock, type ChecksPriority, type ClockBound } from '../bind-clock.ts';
import {
  type AcquireOptions,
  type BucketStats,
  type CloseOptions,
  type Grant,
  type ObservableBucket,
  type TokenBucket,
  waitingAtClose,
} from '../contracts.ts';
import type { CallsBeforeUse } from '../key-map.ts';
import type { Tally } from '../queue/options.ts';
import { SteadyTime } from '../queue/time.ts';
import { WaitingRoom } from '../queue/waiting-room.ts';
import { FeedbackReader } from './feedback-reader.ts';
import type { Quota } from './gcra.ts';
import { type Settles, TokenGrant } from './grant.ts';
import { OriginGates } from './origin-gates.ts';
import type { TokenSource, WaitingQueue } from './token-source.ts';
import type { WaitingBucketSetup } from './waiting-bucket-options.ts';

const CLOSED = 'the bucket was closed';

/**
 * A token bucket without its tokens: the queue with its deadlines, priorities and aborts, the timer, pauses, feedback,
 * statistics, and the treatment of requests for which there are no tokens. A subclass brings a {@link TokenSource}.
 */
export abstract class WaitingBucket<
  Source extends TokenSource,
  Gate extends ObservableBucket = ObservableBucket,
> implements ObservableBucket, CallsBeforeUse, ClockBound, ChecksPriority
{
  beforeUse: (() => void) | undefined;
  protected readonly source: Source;
  protected readonly time: SteadyTime;
  readonly #atGates: Tally = { waiting: 0 };
  readonly #gates: OriginGates<Gate>;
  readonly #feedback: FeedbackReader;
  readonly #setup: WaitingBucketSetup;
  readonly #room: WaitingRoom<Grant>;
  /** The most tokens that a request may cost. */
  #maxCost: number;
  #granted = 0;
  #marked = 0;
  /** How the bucket was closed; `undefined` while it is open. */
  #closed: 'drain' | 'reject' | undefined;
  #sourceClosed: Promise<void> | undefined;
  #isServedSoon = false;
  readonly #settles: Settles<unknown> = {
    settleGrant: (surplus, held) => {
      // A bucket that was evicted was full: returned tokens change nothing.
      if (surplus < 0) this.beforeUse?.();
      this.source.settle(surplus, held, this.time.now());
      this.serve();
    },
  };

  /**
   * @param makeSource makes the source. `time` is what its `nowMs` are counted in, and `queue` the requests that wait. It
   * calls `onChange` when tokens may have come by themselves, or will not come any more: at any time, because the queue is
   * served in a microtask
   * @param makeGate makes the bucket that stands in front of this one for an origin that asked for a pause:
   * with so many tokens, and a count of the requests at all of them
   */
  constructor(
    setup: WaitingBucketSetup,
    makeSource: (time: SteadyTime, queue: WaitingQueue, onChange: () => void) => Source,
    makeGate: (tokens: number, waiting: Tally) => Gate,
  ) {
    this.#setup = setup;
    this.time = new SteadyTime(setup.clock);
    this.#room = new WaitingRoom(setup, this.time, () => this.serve());
    const make = (tokens: number): Gate => {
      const gate = makeGate(tokens, this.#atGates);
      bindClock(gate, this.time.clock);
      return gate;
    };
    this.#gates = new OriginGates(
      { now: () => this.time.now(), rate: () => this.gateRate, make },
      this.#atGates,
    );
    this.#feedback = new FeedbackReader(setup, this.time);
    this.source = makeSource(this.time, this.#room, () => this.#serveSoon());
    this.#maxCost = this.source.capacity;
    this.#room.limitCost(this.#maxCost);
  }

  takeClock(clock: Clock): void {
    this.time.bind(clock);
    for (const gate of this.#gates.all()) bindClock(gate, clock);
  }

  checkPriority(priority: number | undefined): void {
    this.#room.laneFor({ priority });
  }

  tryAcquire(cost = 1, earlier?: Grant): Grant | undefined {
    this.#checkCost('tryAcquire', cost);
    if (this.#closed !== undefined && !this.#mayReturn(earlier)) return undefined;
    this.beforeUse?.();
    const nowMs = this.time.now();
    const isEmpty = this.#room.size === 0;
    if (isEmpty && this.source.take(cost, nowMs)) return this.#grant(cost, 0, nowMs);
    if (this.#setup.nonConforming === 'mark' && this.#lacks(cost, nowMs)) return this.#mark(cost, 0, nowMs);
    if (isEmpty) this.source.missed?.(cost, nowMs);
    return undefined;
  }

  acquire(options: AcquireOptions = {}): Promise<Grant> {
    try {
      const { cost = 1, signal } = options;
      this.#checkCost('acquire', cost);
      this.beforeUse?.();
      const lane = this.#room.laneFor(options);
      if (signal?.aborted) throw signal.reason;
      if (this.#closed !== undefined && !this.#mayReturn(options.earlier)) {
        throw this.#room.refusal('closed', CLOSED);
      }
      const nowMs = this.time.now();
      if (this.#room.goesFirst(lane, options, nowMs) && this.source.take(cost, nowMs)) {
        return Promise.resolve(this.#grant(cost, 0, nowMs));
      }
      return this.#acquireLater(options, lane, cost, nowMs);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** For a request whose tokens are not available now. */
  #acquireLater(options: AcquireOptions, lane: number, cost: number, nowMs: number): Promise<Grant> {
    const { unavailable } = this.source;
    if (unavailable !== undefined) throw this.#unavailable(unavailable);
    if (this.#setup.nonConforming !== 'delay' && this.#room.size === 0 && this.#lacks(cost, nowMs)) {
      return Promise.resolve(this.#doNotWait(cost, 0, nowMs));
    }
    const waitMs = this.source.waitMs(this.#room.costAhead(options, lane, nowMs) + cost, nowMs);
    let granted: Promise<Grant>;
    try {
      granted = this.#room.join(options, lane, cost, waitMs, nowMs);
    } catch (error) {
      this.source.refusedFor?.(waitMs, nowMs);
      throw error;
    }
    this.#arm(nowMs);
    return granted;
  }

  /** Sends a request that may not wait with a mark, or refuses it. */
  #doNotWait(cost: number, waitedMs: number, nowMs: number): Grant | Promise<never> {
    // Not a promise: in the queue, the requests behind it would be granted before it.
    if (this.#setup.nonConforming === 'mark') return this.#mark(cost, waitedMs, nowMs);
    const waitMs = this.source.waitMs(cost, nowMs);
    this.source.refusedFor?.(waitMs, nowMs);
    return Promise.reject(this.#room.refusal('not-conforming', 'its tokens are not available', waitMs));
  }

  /** True if it is known that the tokens are not available. */
  #lacks(cost: number, nowMs: number): boolean {
    return this.source.unavailable === undefined && this.source.waitMs(cost, nowMs) > 0;
  }

  #unavailable({ message, cause }: NonNullable<TokenSource['unavailable']>): ThrottledError {
    return this.#room.refusal('unavailable', message, undefined, cause);
  }

  pauseFor(durationMs: number): void {
    notNegative('pauseFor: durationMs', durationMs);
    this.beforeUse?.();
    const nowMs = this.time.now();
    if (durationMs > 0) this.source.pause(nowMs + durationMs, nowMs);
    this.#room.giveUp(nowMs + this.source.pausedMs(nowMs));
    this.#arm(nowMs);
  }

  resume(): void {
    this.#gates.resume();
    const nowMs = this.time.now();
    if (this.source.pausedMs(nowMs) === 0) return;
    this.source.resume(nowMs);
    this.#room.pauseEnded();
    this.serve();
  }

  observe(
    outcome: Outcome,
    grant: Grant,
    request?: RequestTraits,
    read?: ReadFeedback | false,
  ): Feedback | undefined {
    const said = this.#feedback.read(outcome, grant, request, read);
    const pauseMs = this.#feedback.pauseMs(said);
    if (pauseMs === 0) return said;
    this.beforeUse?.();
    const origin = this.#feedback.pausedOrigin(outcome, request);
    if (origin === undefined) this.pauseFor(pauseMs);
    else this.#gates.pause(origin, pauseMs);
    return said;
  }

  gateFor(request: RequestTraits): TokenBucket | undefined {
    return this.#gates.for(request);
  }

  /** The rate of a bucket for an origin that asked for a pause. */
  protected get gateRate(): Quota {
    return { refillPerSecond: this.source.refillPerSecond, capacity: this.source.capacity };
  }

  /** The buckets of origins that asked for a pause. */
  protected gates(): Iterable<Gate> {
    return this.#gates.all();
  }

  async idle(): Promise<void> {
    do {
      await this.#room.idle();
      // A request that has passed a gate joins this queue next.
      if (await this.#gates.idle()) await nextTurn();
    } while (this.#room.size > 0 || this.#gates.stats().waiting > 0);
  }

  async close(options?: CloseOptions): Promise<void> {
    const waiting = waitingAtClose(options);
    this.beforeUse?.();
    if (this.#closed === undefined || waiting === 'reject') {
      this.#closed = waiting;
      this.#gates.close({ waiting });
      if (waiting === 'reject') this.#room.dismiss('closed', CLOSED);
    }
    if (this.#closed === 'drain') await this.idle();
    this.#sourceClosed ??= this.source.close?.();
    this.#arm(this.time.now());
    await this.idle();
    await this.#sourceClosed;
  }

  /** True for a request that was granted tokens, gave them back, and waits again while the bucket drains. */
  #mayReturn(earlier: Grant | undefined): boolean {
    return this.#closed === 'drain' && earlier !== undefined;
  }

  stats(): BucketStats {
    const nowMs = this.time.now();
    const { source } = this;
    const gates = this.#gates.stats();
    const pausedMs = Math.max(source.pausedMs(nowMs), gates.pausedMs);
    const waiting = this.#room.size + gates.waiting;
    const isOpen = this.#closed === undefined && gates.count === 0 && pausedMs === 0;
    return {
      tokens: source.tokens(nowMs),
      capacity: this.#maxCost,
      refillPerSecond: source.refillPerSecond,
      waiting,
      waitingCost: this.#room.cost,
      pausedMs,
      granted: this.#granted,
      marked: this.#marked,
      refused: this.#room.refused,
      idle: waiting === 0 && isOpen && source.isIdle(nowMs),
    };
  }

  #checkCost(caller: string, cost: number): void {
    if (cost > 0 && cost <= this.#maxCost && typeof cost === 'number') return;
    const takes = `a number > 0 and ≤ the capacity, ${this.#maxCost}`;
    throw (typeof cost === 'number' ? wrongRange : wrongType)(`${caller}: cost`, takes, cost);
  }

  #grant(cost: number, waitedMs: number, nowMs: number): Grant {
    const { source } = this;
    if (source.isBeyond === true) return this.#mark(cost, waitedMs, nowMs);
    this.#granted += 1;
    return new TokenGrant(cost, waitedMs, this.time.startMs + nowMs, source.held, this.#settles);
  }

  #mark(cost: number, waitedMs: number, nowMs: number): Grant {
    this.#granted += 1;
    this.#marked += 1;
    return new TokenGrant(cost, waitedMs, this.time.startMs + nowMs, undefined, undefined);
  }

  /** To be called when the capacity of the source has changed. Requests that cost more are refused, wherever they wait. */
  protected capacityChanged(): void {
    this.#maxCost = this.source.capacity;
    this.#room.limitCost(this.#maxCost);
    this.serve();
  }

  /** A source may report a change while it is called, and the queue must not be served twice at a time. */
  #serveSoon(): void {
    if (this.#isServedSoon) return;
    this.#isServedSoon = true;
    queueMicrotask(() => {
      this.#isServedSoon = false;
      this.serve();
    });
  }

  /** Serves the queue until its first request has to go on waiting. */
  protected serve(): void {
    const nowMs = this.time.now();
    this.#room.serve(nowMs, (cost, waitedMs) => this.#serveFirst(cost, waitedMs, nowMs));
    this.#arm(nowMs);
  }

  /** The result of the first request in the queue; `undefined` if it goes on waiting. */
  #serveFirst(cost: number, waitedMs: number, nowMs: number): Grant | Promise<Grant> | undefined {
    try {
      return this.#grantOrRefuse(cost, waitedMs, nowMs);
    } catch (error) {
      // The source is broken. The request must not hold up those behind it.
      return Promise.reject(error);
    }
  }

  #grantOrRefuse(cost: number, waitedMs: number, nowMs: number): Grant | Promise<Grant> | undefined {
    const { source } = this;
    if (source.take(cost, nowMs)) return this.#grant(cost, waitedMs, nowMs);
    const { unavailable } = source;
    if (unavailable !== undefined) return Promise.reject(this.#unavailable(unavailable));
    if (this.#setup.nonConforming !== 'delay') {
      return this.#lacks(cost, nowMs) ? this.#doNotWait(cost, waitedMs, nowMs) : undefined;
    }
    if (source.isTooLate?.(cost, this.#room.firstDeadlineMs, nowMs) !== true) return undefined;
    // Refused now, so that no request waits behind it in vain.
    const waitMs = source.waitMs(cost, nowMs);
    source.refusedFor?.(waitMs, nowMs);
    return Promise.reject(this.#room.refusal('wait-too-long', 'its turn does not come in time', waitMs));
  }

  #arm(nowMs: number): void {
    this.#room.arm(nowMs, this.source.dueMs(this.#room.firstCost, nowMs));
  }
}
