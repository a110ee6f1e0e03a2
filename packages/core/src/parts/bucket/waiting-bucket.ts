import { prose, proseOf } from '#prose';
import { notNegative } from '../../base/check.ts';
import { nextTurn } from '../../base/clock.ts';
import { warn } from '../../base/warn.ts';
import { type Feedback, type ReadFeedback, readFeedback } from '../../http/feedback.ts';
import { originOf } from '../../http/origin.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import { withJitter } from '../../http/retry-after.ts';
import {
  type AcquireOptions,
  type BucketStats,
  type ChecksCalls,
  type CloseOptions,
  type Grant,
  mustHaveClock,
  type ObservableBucket,
  type TokenBucket,
  waitingAtClose,
} from '../../loop/contracts.ts';
import type { Costs } from '../../loop/costs.ts';
import type { Part } from '../../loop/part.ts';
import type { Amount } from '../../queue/queue.ts';
import { SteadyTime } from '../../queue/time.ts';
import { CLOSED, WaitingRoom } from '../../queue/waiting-room.ts';
import type { WaitingBucketSetup } from './options.ts';
import { OriginGates } from './origin-gates.ts';
import { BucketPart } from './part.ts';
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
  readonly #room: WaitingRoom<Grant>;
  readonly #gates: OriginGates<Gate>;
  /** How the bucket was closed; `undefined` while it is open. */
  #closed: 'drain' | 'reject' | undefined;
  #sourceClosed: Promise<void> | undefined;
  #granted = 0;
  #marked = 0;
  /** The most tokens that a request may cost. */
  #maxCost: Amount;
  #hasWarned = false;
  #isServedSoon = false;
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
    this.#room = new WaitingRoom(setup, this.time, () => this.#serve(), units);
    this.source = makeSource(this.time, this.#room as WaitingQueue, () => this.#serveSoon());
    this.#maxCost = this.source.capacity;
    this.#room.limitCost(this.#maxCost);
    this.#gates = new OriginGates(() => {
      const gate = makeGate();
      if (this.#closed !== undefined) void gate.close({ waiting: this.#closed });
      return gate;
    });
  }

  get part(): Part {
    return new BucketPart(this, true);
  }

  get feedback(): ReadFeedback | false {
    return this.#setup.feedback;
  }

  get settled(): boolean {
    return this.source.holds === true;
  }

  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    const { cost } = calls;
    mustHaveClock('a bucket', this.time.clock, calls);
    this.#room.checkCalls(calls);
    // A number may be for requests that have a cost of their own.
    if (typeof cost === 'object') this.units.amountOf('createPolicy', cost, this.#maxCost);
  }

  tryAcquire(costs: number | Costs = 1, earlier?: Grant): Grant | undefined {
    const { source } = this;
    const cost = this.units.amountOf('tryAcquire', costs, this.#maxCost);
    if (!this.#isOpenTo(earlier)) return undefined;
    const nowMs = this.time.now();
    const isEmpty = this.#room.size === 0;
    if (isEmpty && source.take(cost, nowMs)) return this.#grant(cost, 0, nowMs);
    const mayMark = this.#setup.nonConforming === 'mark' && source.unavailable === undefined;
    if (mayMark && source.waitMs(cost, nowMs) > 0) return this.#grant(cost, 0, nowMs, true);
    if (isEmpty) source.missed?.(cost, nowMs);
    return undefined;
  }

  acquire(options: AcquireOptions = {}): Promise<Grant> {
    try {
      const { cost: costs = 1, signal } = options;
      const cost = this.units.amountOf('acquire', costs, this.#maxCost);
      const lane = this.#room.laneFor(options);
      if (signal?.aborted) throw signal.reason;
      if (!this.#isOpenTo(options.earlier)) throw this.#room.refusal('closed', CLOSED);
      const nowMs = this.time.now();
      const result = this.#room.goesFirst(lane, nowMs) ? this.#result(cost, 0, nowMs) : undefined;
      if (result !== undefined) return Promise.resolve(result);
      const granted = this.#room.join(
        options,
        lane,
        cost,
        nowMs,
        (all) => this.source.waitMs(all, nowMs),
        (waitMs) => this.source.refusedFor?.(waitMs, nowMs),
      );
      this.#arm(nowMs);
      return granted;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** A bucket that drains is open to a request that was granted tokens, gave them back, and waits again. */
  #isOpenTo(earlier: Grant | undefined): boolean {
    return this.#closed === undefined || (this.#closed === 'drain' && earlier !== undefined);
  }

  /** What a request gets that has its turn: tokens or a refusal; `undefined` if it has to wait. */
  #result(cost: Amount, waitedMs: number, nowMs: number): Grant | Promise<never> | undefined {
    const { source } = this;
    if (source.take(cost, nowMs)) return this.#grant(cost, waitedMs, nowMs);
    if (source.unavailable !== undefined) {
      const { message, cause } = source.unavailable;
      return Promise.reject(this.#room.refusal('unavailable', message, undefined, cause));
    }
    const { nonConforming } = this.#setup;
    if (nonConforming === 'delay' || source.waitMs(cost, nowMs) === 0) return undefined;
    // Not a promise: in the queue, the requests behind it would be granted before it.
    if (nonConforming === 'mark') return this.#grant(cost, waitedMs, nowMs, true);
    return this.#refuse('not-conforming', prose('its tokens are not available'), cost, nowMs);
  }

  #refuse(
    reason: 'not-conforming' | 'wait-too-long',
    message: string | undefined,
    cost: Amount,
    nowMs: number,
  ): Promise<never> {
    const waitMs = this.source.waitMs(cost, nowMs);
    this.source.refusedFor?.(waitMs, nowMs);
    return Promise.reject(this.#room.refusal(reason, message, waitMs));
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
    const { units, source } = this;
    const { capacity, refillPerSecond, holds } = source;
    // More than a whole bucket and the longest pause bring in can only be a mistake.
    const most = units.plus(capacity, refillPerSecond, this.#setup.maxPauseMs / 1_000);
    if (units.exceeds(actual, most) && !this.#hasWarned) {
      this.#hasWarned = true;
      const [said, counts] = [actual, most].map((amount) => JSON.stringify(units.costsOf(amount)));
      warn(
        proseOf(() => `actualCost: ${said} cannot be a cost: at most ${counts} of it counts`) ?? 'actualCost',
      );
    }
    const surplus = units.plus(cost, units.least(actual, most), -1);
    if (surplus === 0 && !holds) return;
    source.settle(surplus, held, this.time.now());
    this.#serve();
  };

  atMost(left: number | Costs, answered?: Grant): void {
    const said = this.units.read('atMost: left', left, Number.POSITIVE_INFINITY);
    const nowMs = this.time.now();
    this.source.atMost?.(answered === undefined ? said : this.#heard(said, answered), nowMs);
    this.#arm(nowMs);
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
    if (isOurs && said.remaining !== undefined && grant.grantedAtMs < this.#sharedUntilMs) {
      if (origin === undefined) this.atMost(said.remaining, grant);
      else this.#gates.of(origin).atMost?.(Math.max(0, this.#heard(said.remaining, grant) as number));
    }
    // With some jitter on top, so that a fleet does not return together. A custom `feedback` may return something that is not a number.
    const pauseMs = said.pauseMs > 0 ? withJitter(Math.min(said.pauseMs, maxPauseMs), random) : 0;
    if (pauseMs > 0) {
      if (origin === undefined) this.pauseFor(pauseMs);
      else this.#gates.of(origin).pauseFor(pauseMs);
    }
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
    const { source } = this;
    const nowMs = this.time.now();
    if (durationMs > 0) source.pause(nowMs + durationMs, nowMs);
    this.#room.giveUp(nowMs + source.pausedMs(nowMs));
    this.#arm(nowMs);
  }

  resume(): void {
    for (const gate of this.gates()) gate.resume();
    const nowMs = this.time.now();
    if (this.source.pausedMs(nowMs) === 0) return;
    this.source.resume(nowMs);
    this.#room.pauseEnded();
    this.#serve();
  }

  async idle(): Promise<void> {
    const room = this.#room;
    do {
      await room.idle();
      const busy = this.gates().filter((gate) => gate.stats().waiting > 0);
      await Promise.all(busy.map((gate) => gate.idle()));
      // A request that has passed a gate joins this queue next.
      if (busy.length > 0) await nextTurn();
    } while (room.size > 0 || this.#gates.stats().waiting > 0);
  }

  async close(options?: CloseOptions): Promise<void> {
    const waiting = waitingAtClose(options);
    if (this.#closed === undefined || waiting === 'reject') {
      this.#closed = waiting;
      for (const gate of this.gates()) void gate.close({ waiting });
      if (waiting === 'reject') this.#room.dismiss();
    }
    if (this.#closed === 'drain') await this.idle();
    this.#sourceClosed ??= this.source.close?.();
    this.#arm(this.time.now());
    await this.idle();
    await this.#sourceClosed;
  }

  stats(): BucketStats {
    const nowMs = this.time.now();
    const { source } = this;
    const room = this.#room;
    const gates = this.#gates.stats();
    const pausedMs = Math.max(source.pausedMs(nowMs), gates.pausedMs);
    const waiting = room.size + gates.waiting;
    const isOpen = this.#closed === undefined && gates.count === 0 && pausedMs === 0;
    return {
      tokens: source.tokens(nowMs) as number,
      capacity: this.#maxCost as number,
      refillPerSecond: source.refillPerSecond as number,
      waiting,
      waitingCost: room.queue.cost as number,
      pausedMs,
      granted: this.#granted,
      marked: this.#marked,
      refused: room.refused,
      idle: waiting === 0 && isOpen && source.isIdle(nowMs),
    };
  }

  /** To be called when the capacity of the source has changed. Requests that cost more are refused, wherever they wait. */
  protected capacityChanged(): void {
    this.#maxCost = this.source.capacity;
    this.#room.limitCost(this.#maxCost);
    this.#serve();
  }

  /** A source may report a change while it is called, and the queue must not be served twice at a time. */
  #serveSoon(): void {
    if (this.#isServedSoon) return;
    this.#isServedSoon = true;
    queueMicrotask(() => {
      this.#isServedSoon = false;
      this.#serve();
    });
  }

  /** Serves the queue until its first request has to go on waiting. */
  #serve(): void {
    const nowMs = this.time.now();
    this.#room.serve(nowMs, (cost, waitedMs) => {
      try {
        return this.#serveFirst(cost, waitedMs, nowMs);
      } catch (error) {
        // The source is broken. The request must not hold up those behind it.
        return Promise.reject(error);
      }
    });
    this.#arm(nowMs);
  }

  /** The result of the first request in the queue; `undefined` if it goes on waiting. */
  #serveFirst(cost: Amount, waitedMs: number, nowMs: number): Grant | Promise<Grant> | undefined {
    const result = this.#result(cost, waitedMs, nowMs);
    const deadlineMs = this.#room.queue.first?.deadlineMs as number;
    const mayWait = this.#setup.nonConforming === 'delay';
    if (result !== undefined || !mayWait || !this.source.isTooLate?.(cost, deadlineMs, nowMs)) return result;
    // Refused now, so that no request waits behind it in vain.
    return this.#refuse('wait-too-long', prose('its turn does not come in time'), cost, nowMs);
  }

  #arm(nowMs: number): void {
    this.#room.arm(nowMs, this.source.dueMs(this.#room.queue.first?.cost ?? 0, nowMs));
  }
}
