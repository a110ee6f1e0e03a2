import { notNegative } from '../../base/check.ts';
import { nextTurn } from '../../base/clock.ts';
import { originOf } from '../../http/origin.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import { withJitter } from '../../http/retry-after.ts';
import {
  type Feedback,
  type ReadFeedback,
  readFeedback,
  serverFeedback,
} from '../../http/server-feedback.ts';
import {
  type BucketStats,
  type ChecksCalls,
  type CloseOptions,
  type Grant,
  mustHaveClock,
  type ObservableBucket,
  type TokenBucket,
  waitingAtClose,
} from '../../loop/contracts.ts';
import type { Part } from '../../loop/part.ts';
import type { Amount } from '../../queue/amount.ts';
import type { Tally } from '../../queue/options.ts';
import type { Quota } from './gcra.ts';
import type { WaitingBucketSetup } from './options.ts';
import { OriginGates } from './origin-gates.ts';
import { BucketPart } from './part.ts';
import { QuietOrigins } from './quiet-origins.ts';
import { CLOSED, type MakeSource, TokenCounter } from './token-counter.ts';
import type { TokenSource } from './token-source.ts';
import { ONE_UNIT, type Units } from './units.ts';

/**
 * A token bucket without its tokens: the queue, the timer, pauses, feedback, statistics, and the treatment of requests for
 * which there are no tokens. A subclass brings a {@link TokenSource}.
 */
export abstract class WaitingBucket<
    Source extends TokenSource<unknown, Amount>,
    Gate extends ObservableBucket = ObservableBucket,
  >
  extends TokenCounter<Source>
  implements ObservableBucket, ChecksCalls
{
  readonly #setup: WaitingBucketSetup;
  readonly #atGates: Tally = { waiting: 0 };
  readonly #gates: OriginGates<Gate>;
  readonly #quiet = new QuietOrigins();
  /** Until then what the server says is left applies to this bucket. */
  #sharedUntilMs = Number.NEGATIVE_INFINITY;
  #sourceClosed: Promise<void> | undefined;

  /**
   * @param makeSource makes the source. `time` is what its `nowMs` are counted in, and `queue` the requests that wait. It
   * calls `onChange` when tokens may have come by themselves, or will not come any more: at any time, because the queue is
   * served in a microtask
   * @param makeGate makes the bucket that stands in front of this one for an origin that asked for a pause:
   * with so many tokens, and a count of the requests at all of them
   * @param units of a source of several units
   */
  constructor(
    setup: WaitingBucketSetup,
    makeSource: MakeSource<Source>,
    makeGate: (tokens: number, waiting: Tally) => Gate,
    units?: Units,
  ) {
    super(setup, makeSource, units);
    this.#setup = setup;
    const { time } = this;
    const make = (tokens: number): Gate => makeGate(tokens, this.#atGates);
    this.#gates = new OriginGates({ now: () => time.now(), rate: () => this.gateRate, make }, this.#atGates);
  }

  get part(): Part {
    return new BucketPart(this, true);
  }

  get feedback(): ReadFeedback | false {
    return this.#setup.feedback;
  }

  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    const { cost } = calls;
    mustHaveClock('a bucket', this.time.clock, calls);
    this.room.checkCalls(calls);
    // A number may be for requests that have a cost of their own.
    if (typeof cost === 'object') this.units.amountOf('createPolicy', cost, this.maxCost);
  }

  pauseFor(durationMs: number): void {
    notNegative('pauseFor: durationMs', durationMs);
    const nowMs = this.time.now();
    if (durationMs > 0) this.source.pause(nowMs + durationMs, nowMs);
    this.room.giveUp(nowMs + this.source.pausedMs(nowMs));
    this.arm(nowMs);
  }

  resume(): void {
    this.#gates.resume();
    const nowMs = this.time.now();
    if (this.source.pausedMs(nowMs) === 0) return;
    this.source.resume(nowMs);
    this.room.pauseEnded();
    this.serve();
  }

  get settled(): boolean {
    return this.source.holds === true;
  }

  observe(
    outcome: Outcome,
    grant: Grant,
    request?: RequestTraits,
    read?: ReadFeedback | false,
  ): Feedback | undefined {
    const { feedback: own, feedbackScope, maxPauseMs, random } = this.#setup;
    const feedback = own && (read ?? own);
    if (feedback === false) return undefined;
    const isResponse = outcome.type === 'response';
    // A redirect may have led to another origin.
    const url = (isResponse ? outcome.url : undefined) ?? request?.url;
    const isSuccess = isResponse && outcome.status < 300 && outcome.judgement === undefined;
    // A custom `feedback` sees every outcome.
    const isQuiet = isSuccess && url !== undefined && feedback === serverFeedback;
    if (isQuiet && this.#quiet.mayIgnore(originOf({ url }), grant.grantedAtMs)) return undefined;
    const said = readFeedback(feedback, outcome, this.time.clock.now(), grant.cost as number);
    if (said === undefined) return undefined;
    if (isQuiet) this.#quiet.heard();
    // Without a refusal the tokens that are counted here are right: the server may count in a window that ends soon. With one,
    // others may use the same quota.
    if (said.tooFast) this.#sharedUntilMs = grant.grantedAtMs + maxPauseMs;
    // What quotas the fields of a response are about is known for requests alone.
    const isOurs = this.units === ONE_UNIT && (feedback !== serverFeedback || grant.cost === 1);
    const origin = feedbackScope === 'bucket' || url === undefined ? undefined : originOf({ url });
    if (isOurs && said.remaining !== undefined && grant.grantedAtMs < this.#sharedUntilMs) {
      if (origin === undefined) this.atMost(said.remaining, grant);
      else this.#gates.lower(origin, this.heard(said.remaining, grant) as number);
    }
    // A custom `feedback` may return something that is not a number.
    if (!(said.pauseMs > 0)) return said;
    // With some jitter on top, so that a fleet does not return together.
    const pauseMs = withJitter(Math.min(said.pauseMs, maxPauseMs), random);
    if (pauseMs === 0) return said;
    if (origin === undefined) this.pauseFor(pauseMs);
    else this.#gates.pause(origin, pauseMs);
    return said;
  }

  gateFor(request: RequestTraits): TokenBucket | undefined {
    return this.#gates.for(request);
  }

  /** The rate of a bucket for an origin that asked for a pause. */
  protected get gateRate(): Quota {
    return { refillPerSecond: this.source.refillPerSecond, capacity: this.source.capacity } as Quota;
  }

  /** The buckets of origins that asked for a pause. */
  protected gates(): Iterable<Gate> {
    return this.#gates.all();
  }

  async idle(): Promise<void> {
    do {
      await this.room.idle();
      // A request that has passed a gate joins this queue next.
      if (await this.#gates.idle()) await nextTurn();
    } while (this.room.size > 0 || this.#atGates.waiting > 0);
  }

  async close(options?: CloseOptions): Promise<void> {
    const waiting = waitingAtClose(options);
    if (this.closed === undefined || waiting === 'reject') {
      this.closed = waiting;
      this.#gates.close({ waiting });
      if (waiting === 'reject') this.room.dismiss('closed', CLOSED);
    }
    if (this.closed === 'drain') await this.idle();
    this.#sourceClosed ??= this.source.close?.();
    this.arm(this.time.now());
    await this.idle();
    await this.#sourceClosed;
  }

  stats(): BucketStats {
    const nowMs = this.time.now();
    const { source } = this;
    const gates = this.#gates.stats();
    const pausedMs = Math.max(source.pausedMs(nowMs), gates.pausedMs);
    const waiting = this.room.size + this.#atGates.waiting;
    const isOpen = this.closed === undefined && gates.count === 0 && pausedMs === 0;
    return {
      tokens: source.tokens(nowMs) as number,
      capacity: this.maxCost as number,
      refillPerSecond: source.refillPerSecond as number,
      waiting,
      waitingCost: this.room.cost as number,
      pausedMs,
      granted: this.granted,
      marked: this.marked,
      refused: this.room.refused,
      idle: waiting === 0 && isOpen && source.isIdle(nowMs),
    };
  }
}
