import { devText } from '#dev-text';
import { notNegative } from '../../base/check.ts';
import { nextTurn } from '../../base/clock.ts';
import { type Feedback, type ReadFeedback, readFeedback, withJitter } from '../../http/feedback.ts';
import { type Outcome, originOf, type RequestTraits } from '../../http/outcome.ts';
import type { AcquireOptions, Costs, Grant } from '../../loop/contracts.ts';
import type { ChecksCalls, Part, TokenBucket } from '../../loop/part.ts';
import { type Amount, inUnit } from '../../queue/queue.ts';
import { SteadyTime } from '../../queue/time.ts';
import { TOO_LATE, WaitQueue } from '../../queue/wait-queue.ts';
import {
  type BucketStats,
  type CloseOptions,
  mustHaveClock,
  type ObservableBucket,
  waitingAtClose,
} from '../limit.ts';
import { retryAfter, type WaitingBucketSetup } from './options.ts';
import { OriginPauses } from './origin-pauses.ts';
import { bucketPart } from './part.ts';
import type { TokenSource, WaitingQueue } from './token-source.ts';
import { ONE_UNIT, type Units } from './units.ts';

/** Tokens from a bucket. Those that do not conform came from nowhere, and are not settled. */
class TokenGrant implements Grant {
  readonly waitedMs: number;
  readonly grantedAtMs: number;
  readonly conforming: boolean;
  /** The unit that was lacking, if the bucket has several and the request has waited. */
  declare unit?: string | undefined;
  readonly #amount: Amount;
  /** What the source needs to know of it. */
  readonly #held: unknown;
  readonly #units: Units;
  #settle: ((actual: Amount, amount: Amount, held: unknown) => void) | undefined;

  constructor(
    amount: Amount,
    waitedMs: number,
    grantedAtMs: number,
    held: unknown,
    units: Units,
    settle: ((actual: Amount, amount: Amount, held: unknown) => void) | undefined,
  ) {
    this.waitedMs = waitedMs;
    this.grantedAtMs = grantedAtMs;
    this.conforming = settle !== undefined;
    this.#amount = amount;
    this.#held = held;
    this.#units = units;
    this.#settle = settle;
  }

  /** `undefined` for a grant of something else. */
  static heldBy(grant: Grant): unknown {
    return #held in grant ? grant.#held : undefined;
  }

  get cost(): number | Costs {
    return this.#units.costsOf(this.#amount);
  }

  settle(actualCost: number | Costs): void {
    const actual = this.#units.read('settle: actualCost', actualCost, this.#amount);
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(actual, this.#amount, this.#held);
  }
}

/** Makes a source. See the constructor of {@link WaitingBucket}. */
type MakeSource<Source> = (time: SteadyTime, queue: WaitingQueue, onChange: () => void) => Source;

/**
 * A token bucket without its tokens: the queue, the timer, pauses, feedback, statistics, and the treatment of requests for
 * which there are no tokens. A subclass brings a {@link TokenSource}.
 */
export abstract class WaitingBucket<
  Source extends TokenSource<unknown, Amount>,
  Gate extends ObservableBucket = ObservableBucket,
> implements ObservableBucket, ChecksCalls
{
  readonly units: Units;
  protected readonly time: SteadyTime;
  protected readonly source: Source;
  readonly #setup: WaitingBucketSetup;
  readonly #waiters: WaitQueue<Grant>;
  readonly #gates: OriginPauses<Gate>;
  #sourceClosed: Promise<void> | undefined;
  #granted = 0;
  #marked = 0;
  /** When the request was granted whose answer has last said what is left. */
  #heardAtMs = Number.NEGATIVE_INFINITY;
  /** Until then what the server says is left applies to this bucket. */
  #sharedUntilMs = Number.NEGATIVE_INFINITY;

  /**
   * @param makeSource makes the source. `time` is what its `nowMs` are counted in, and `queue` the requests that wait. It
   * calls `onChange` when tokens may have come by themselves, or will not come any more: at any time, because the queue is
   * served in a microtask
   * @param makeGate makes the bucket that stands in front of this one for an origin that asked for a pause
   * @param units of a source of several units
   */
  constructor(
    setup: WaitingBucketSetup,
    makeSource: MakeSource<Source>,
    makeGate: () => Gate,
    units: Units = ONE_UNIT,
  ) {
    this.#setup = setup;
    this.units = units;
    this.time = new SteadyTime(setup.clock);
    const waiters = new WaitQueue<Grant>(
      setup,
      this.time,
      (cost, waitedMs, nowMs, deadlineMs) => this.#grants(cost, waitedMs, nowMs, deadlineMs),
      units,
    );
    this.#waiters = waiters;
    let isSoon = false;
    this.source = makeSource(this.time, waiters as WaitingQueue, () => {
      // A source may report a change while it is called, and the queue must not be served twice at a time.
      if (isSoon) return;
      isSoon = true;
      queueMicrotask(() => {
        isSoon = false;
        waiters.serve();
      });
    });
    waiters.supply = this.source;
    waiters.mostCost = this.source.capacity;
    this.#gates = new OriginPauses(() => {
      const gate = makeGate();
      if (waiters.closed !== undefined) void gate.close({ waiting: waiters.closed });
      return gate;
    });
  }

  get part(): Part {
    return bucketPart(this, true);
  }

  get feedback(): ReadFeedback | false {
    return this.#setup.feedback;
  }

  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    mustHaveClock('a bucket', this.time.clock, calls);
    this.#waiters.checkCalls(calls);
    // A number may be for requests that have a cost of their own.
    if (typeof calls.cost === 'object')
      this.units.amountOf('createPolicy', calls.cost, this.#waiters.mostCost);
  }

  tryAcquire(costs: number | Costs = 1, earlier?: Grant): Grant | undefined {
    const source = this.source;
    const waiters = this.#waiters;
    const cost = this.units.amountOf('tryAcquire', costs, waiters.mostCost);
    if (!waiters.isOpenTo(earlier)) return undefined;
    const nowMs = this.time.now();
    if (waiters.size === 0 && source.take(cost, nowMs)) return this.#grant(cost, 0, nowMs);
    const mayMark = this.#setup.nonConforming === 'mark' && source.unavailable === undefined;
    if (mayMark && source.waitMs(cost, nowMs) > 0) return this.#grant(cost, 0, nowMs, true);
    if (waiters.size === 0) source.missed?.(cost, nowMs);
    return undefined;
  }

  acquire(options: AcquireOptions = {}): Promise<Grant> {
    const { cost = 1 } = options;
    return this.#waiters.acquire(options, () => this.units.amountOf('acquire', cost, this.#waiters.mostCost));
  }

  /** What the request gets whose turn it is: tokens or a refusal; `undefined` if it has to wait. */
  #grants(
    cost: Amount,
    waitedMs: number,
    nowMs: number,
    deadlineMs: number | undefined,
  ): Grant | Promise<never> | undefined {
    const source = this.source;
    if (source.take(cost, nowMs)) return this.#grant(cost, waitedMs, nowMs);
    const waiters = this.#waiters;
    if (source.unavailable !== undefined) {
      const { message, cause } = source.unavailable;
      return Promise.reject(waiters.refusal('unavailable', message, undefined, cause));
    }
    const { nonConforming } = this.#setup;
    if (nonConforming === 'delay') {
      if (deadlineMs === undefined || !source.isTooLate?.(cost, deadlineMs, nowMs)) return undefined;
    } else if (source.waitMs(cost, nowMs) === 0) return undefined;
    // Not a promise: in the queue, the requests behind it would be granted before it.
    if (nonConforming === 'mark') return this.#grant(cost, waitedMs, nowMs, true);
    const waitMs = source.waitMs(cost, nowMs);
    source.refusedFor?.(waitMs, nowMs);
    // Refused now if it is too late, so that no request waits behind it in vain.
    const refusal =
      nonConforming === 'delay'
        ? waiters.refusal('wait-too-long', TOO_LATE, waitMs)
        : waiters.refusal('not-conforming', devText('its tokens are not available'), waitMs);
    return Promise.reject(refusal);
  }

  #grant(cost: Amount, waitedMs: number, nowMs: number, isMarked = this.source.isBeyond): Grant {
    const { held, lacking } = this.source;
    this.#granted += 1;
    if (isMarked) this.#marked += 1;
    const settle = isMarked ? undefined : this.#settle;
    const grant = new TokenGrant(cost, waitedMs, this.time.startMs + nowMs, held, this.units, settle);
    if (waitedMs > 0 && lacking !== undefined) grant.unit = lacking;
    return grant;
  }

  readonly #settle = (actual: Amount, cost: Amount, held: unknown): void => {
    this.source.settle(this.units.plus(cost, actual, -1), held, this.time.now());
    this.#waiters.serve();
  };

  atMost(left: number | Costs, answered?: Grant): void {
    const said = this.units.read('atMost: left', left, Number.POSITIVE_INFINITY);
    this.#lower(answered === undefined ? said : this.#heard(said, answered));
  }

  #lower(left: Amount): void {
    const nowMs = this.time.now();
    this.source.atMost?.(left, nowMs);
    this.#waiters.arm(nowMs);
  }

  /** See {@link TokenSource.heard}. Infinity if it changes nothing. */
  #heard(left: Amount, answered: Grant): Amount {
    const { grantedAtMs } = answered;
    // Overtaken by an answer to a later request.
    if (grantedAtMs < this.#heardAtMs) return Number.POSITIVE_INFINITY;
    this.#heardAtMs = grantedAtMs;
    return this.source.heard?.(left, TokenGrant.heldBy(answered)) ?? left;
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
    // Reading a clock takes as long as all the rest.
    if (feedback === retryAfter && outcome.type === 'response' && outcome.status < 300 && !outcome.judgement)
      return undefined;
    const said = readFeedback(feedback, outcome, this.time.clock.now(), grant.cost as number);
    if (said === undefined) return undefined;
    // A redirect may have led to another origin.
    const url = (outcome.type === 'response' ? outcome.url : undefined) ?? request?.url;
    const origin = feedbackScope === 'bucket' || url === undefined ? undefined : originOf({ url });
    // Without a refusal the tokens that are counted here are right: the server may count in a window that ends soon. With one,
    // others may use the same quota.
    if (said.tooFast) this.#sharedUntilMs = grant.grantedAtMs + maxPauseMs;
    // What quotas the fields of a response are about is known for requests alone.
    const isOurs = this.units === ONE_UNIT && (grant.cost === 1 || !feedback.readsFields);
    const { remaining = Number.NaN } = said;
    if (isOurs && remaining >= 0 && grant.grantedAtMs < this.#sharedUntilMs) {
      const left = inUnit(this.#heard(remaining, grant), 0);
      if (origin === undefined) this.#lower(left);
      else if (left < Number.POSITIVE_INFINITY) this.#gates.of(origin).atMost?.(Math.max(0, left));
    }
    // With some jitter on top, so that a fleet does not return together. A custom `feedback` may return something that is not a number.
    const pauseMs = said.pauseMs > 0 ? withJitter(Math.min(said.pauseMs, maxPauseMs), random) : 0;
    if (pauseMs > 0) (origin === undefined ? this : this.#gates.of(origin)).pauseFor(pauseMs);
    return said;
  }

  gateFor(request: RequestTraits): TokenBucket | undefined {
    return this.#gates.for(request);
  }

  /** The buckets of origins that asked for a pause. */
  protected gates(): readonly Gate[] {
    return this.#gates.all();
  }

  pauseFor(durationMs: number): void {
    notNegative('pauseFor: durationMs', durationMs);
    const nowMs = this.time.now();
    if (durationMs > 0) this.source.pause(nowMs + durationMs, nowMs);
    this.#waiters.serve();
  }

  resume(): void {
    for (const gate of this.gates()) gate.resume();
    const nowMs = this.time.now();
    if (this.source.pausedMs(nowMs) > 0) this.source.resume(nowMs);
    this.#waiters.serve();
  }

  async idle(): Promise<void> {
    const waiters = this.#waiters;
    do {
      const { waiting } = this.#gates.stats();
      await Promise.all([waiters.idle(), ...this.gates().map((gate) => gate.idle())]);
      // A request that has passed a gate joins this queue next.
      if (waiting > 0) await nextTurn();
    } while (waiters.size > 0 || this.#gates.stats().waiting > 0);
  }

  async close(options?: CloseOptions): Promise<void> {
    const waiting = waitingAtClose(options);
    const waiters = this.#waiters;
    if (waiters.closed === undefined || waiting === 'reject') {
      for (const gate of this.gates()) void gate.close({ waiting });
      waiters.close(waiting);
    }
    await this.idle();
    this.#sourceClosed ??= this.source.close?.();
    await this.#sourceClosed;
  }

  stats(): BucketStats {
    const nowMs = this.time.now();
    const { source } = this;
    const waiters = this.#waiters;
    const gates = this.#gates.stats();
    const pausedMs = Math.max(source.pausedMs(nowMs), gates.pausedMs);
    const waiting = waiters.size + gates.waiting;
    const isOpen = waiters.closed === undefined && gates.count === 0 && pausedMs === 0;
    return {
      tokens: inUnit(source.tokens(nowMs), 0),
      capacity: inUnit(waiters.mostCost, 0),
      refillPerSecond: inUnit(source.refillPerSecond, 0),
      waiting,
      waitingCost: waiters.queue.cost as number,
      pausedMs,
      granted: this.#granted,
      marked: this.#marked,
      refused: waiters.refused,
      idle: waiting === 0 && isOpen && source.isIdle(nowMs),
    };
  }

  /** To be called when the capacity of the source has changed. Requests that cost more are refused, wherever they wait. */
  protected capacityChanged(): void {
    this.#waiters.limitCost(this.source.capacity);
  }
}
