import { notNegative } from '../../base/check.ts';
import { type Clock, nextTurn } from '../../base/clock.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import type { Feedback, ReadFeedback } from '../../http/server-feedback.ts';
import { bindClock, type ChecksPriority, type ClockBound } from '../../loop/bind-clock.ts';
import {
  type AcquireOptions,
  type BucketStats,
  type CloseOptions,
  type Grant,
  type ObservableBucket,
  type TokenBucket,
  waitingAtClose,
} from '../../loop/contracts.ts';
import type { Part } from '../../loop/part.ts';
import type { Tally } from '../../queue/options.ts';
import { SteadyTime } from '../../queue/time.ts';
import type { WaitingRoom } from '../../queue/waiting-room.ts';
import type { CallsBeforeUse } from '../per-key/key-map.ts';
import { FeedbackReader } from './feedback-reader.ts';
import type { Quota } from './gcra.ts';
import type { WaitingBucketSetup } from './options.ts';
import { OriginGates } from './origin-gates.ts';
import { BucketPart } from './part.ts';
import { CLOSED, TokenCounter } from './token-counter.ts';
import type { TokenSource, WaitingQueue } from './token-source.ts';

/**
 * A token bucket without its tokens: the queue, the timer, pauses, feedback, statistics, and the treatment of requests for
 * which there are no tokens. A subclass brings a {@link TokenSource}.
 */
export abstract class WaitingBucket<
  Source extends TokenSource,
  Gate extends ObservableBucket = ObservableBucket,
> implements ObservableBucket, CallsBeforeUse, ClockBound, ChecksPriority
{
  beforeUse: (() => void) | undefined;
  protected readonly time: SteadyTime;
  protected readonly source: Source;
  readonly feedback: ReadFeedback | false;
  readonly #counter: TokenCounter<Source>;
  readonly #room: WaitingRoom<Grant>;
  readonly #atGates: Tally = { waiting: 0 };
  readonly #gates: OriginGates<Gate>;
  readonly #feedback: FeedbackReader;
  #sourceClosed: Promise<void> | undefined;

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
    const time = new SteadyTime(setup.clock);
    this.time = time;
    this.feedback = setup.feedback;
    this.#counter = new TokenCounter(setup, time, this, makeSource);
    this.#room = this.#counter.room;
    this.source = this.#counter.source;
    const make = (tokens: number): Gate => {
      const gate = makeGate(tokens, this.#atGates);
      bindClock(gate, time.clock);
      return gate;
    };
    this.#gates = new OriginGates({ now: () => time.now(), rate: () => this.gateRate, make }, this.#atGates);
    this.#feedback = new FeedbackReader(setup, time);
  }

  get part(): Part {
    return new BucketPart(this);
  }

  takeClock(clock: Clock): void {
    this.time.bind(clock);
    for (const gate of this.#gates.all()) bindClock(gate, clock);
  }

  checkPriority(priority: number | undefined): void {
    this.#room.laneFor({ priority });
  }

  tryAcquire(cost = 1, earlier?: Grant): Grant | undefined {
    return this.#counter.tryAcquire(cost, earlier);
  }

  acquire(options: AcquireOptions = {}): Promise<Grant> {
    return this.#counter.acquire(options);
  }

  /** To be called when the capacity of the source has changed. Requests that cost more are refused, wherever they wait. */
  protected capacityChanged(): void {
    this.#counter.capacityChanged();
  }

  pauseFor(durationMs: number): void {
    notNegative('pauseFor: durationMs', durationMs);
    this.beforeUse?.();
    const nowMs = this.time.now();
    if (durationMs > 0) this.source.pause(nowMs + durationMs, nowMs);
    this.#room.giveUp(nowMs + this.source.pausedMs(nowMs));
    this.#counter.arm(nowMs);
  }

  resume(): void {
    this.#gates.resume();
    const nowMs = this.time.now();
    if (this.source.pausedMs(nowMs) === 0) return;
    this.source.resume(nowMs);
    this.#room.pauseEnded();
    this.#counter.serve();
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
    } while (this.#room.size > 0 || this.#atGates.waiting > 0);
  }

  async close(options?: CloseOptions): Promise<void> {
    const waiting = waitingAtClose(options);
    const counter = this.#counter;
    this.beforeUse?.();
    if (counter.closed === undefined || waiting === 'reject') {
      counter.closed = waiting;
      this.#gates.close({ waiting });
      if (waiting === 'reject') this.#room.dismiss('closed', CLOSED);
    }
    if (counter.closed === 'drain') await this.idle();
    this.#sourceClosed ??= this.source.close?.();
    this.#counter.arm(this.time.now());
    await this.idle();
    await this.#sourceClosed;
  }

  stats(): BucketStats {
    const nowMs = this.time.now();
    const { source } = this;
    const counter = this.#counter;
    const { room } = counter;
    const gates = this.#gates.stats();
    const pausedMs = Math.max(source.pausedMs(nowMs), gates.pausedMs);
    const waiting = room.size + this.#atGates.waiting;
    const isOpen = counter.closed === undefined && gates.count === 0 && pausedMs === 0;
    return {
      tokens: source.tokens(nowMs),
      capacity: counter.maxCost,
      refillPerSecond: source.refillPerSecond,
      waiting,
      waitingCost: room.cost,
      pausedMs,
      granted: counter.granted,
      marked: counter.marked,
      refused: room.refused,
      idle: waiting === 0 && isOpen && source.isIdle(nowMs),
    };
  }
}
