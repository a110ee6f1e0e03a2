import { devText } from '#dev-text';
import { worker } from '#worker';
import { notNegative } from '../../base/check.ts';
import { nextTurn } from '../../base/clock.ts';
import { type Feedback, type ReadFeedback, readFeedback, withJitter } from '../../http/feedback.ts';
import { type Outcome, originOf, type RequestTraits } from '../../http/outcome.ts';
import type { AcquireOptions, Costs, Grant } from '../../policy/contracts.ts';
import type { BroughtLimit } from '../../policy/limit.ts';
import type { ChecksCalls, TokenBucket } from '../../policy/part.ts';
import { type Amount, inUnit } from '../../queue/queue.ts';
import { SteadyTime } from '../../queue/time.ts';
import { laneFor, mustTakeCalls, TOO_LATE, WaitQueue } from '../../queue/wait-queue.ts';
import {
  type BucketStats,
  type CloseOptions,
  mustHaveClock,
  type ObservableBucket,
  waitingAtClose,
} from '../limit.ts';
import { type Alike, alike } from './alike.ts';
import { retryAfter, type WaitingBucketSetup } from './options.ts';
import { OriginPauses } from './origin-pauses.ts';
import { bucketLimit } from './part.ts';
import { TokenGrant } from './token-grant.ts';
import type { TokenSource, WaitingQueue } from './token-source.ts';
import { ONE_UNIT, type Units } from './units.ts';

/** Makes a source. See the constructor of {@link WaitingBucket}. */
type MakeSource<Source> = (time: SteadyTime, queue: WaitingQueue, onChange: () => void) => Source;

/** Serves a queue in a microtask: a source may report a change while it is called, and a queue must not be served twice at a time. */
function servedSoon(waiters: WaitQueue<Grant>): () => void {
  let isSoon = false;
  return () => {
    if (isSoon) return;
    isSoon = true;
    queueMicrotask(() => {
      isSoon = false;
      waiters.serve();
    });
  };
}

/** What servers have said of a bucket. */
interface Said {
  /** When the request was granted whose answer has last said what is left. */
  heardAtMs: number;
  /** Until then what the server says is left applies to this bucket. */
  sharedUntilMs: number;
}

/**
 * A token bucket without its tokens: the queue, the timer, pauses, feedback, statistics, and the treatment of requests for
 * which there are no tokens. A subclass brings a {@link TokenSource}.
 *
 * There may be one for each of 10^5 keys. What takes memory is made when it is needed: the queue by the first request that has to
 * wait. What is the same in many buckets they share.
 */
export abstract class WaitingBucket<
  Source extends TokenSource<unknown, Amount>,
  Gate extends ObservableBucket = ObservableBucket,
> implements ObservableBucket, ChecksCalls
{
  readonly units: Units;
  protected readonly time: SteadyTime;
  protected readonly source: Source;
  readonly #alike: Alike;
  readonly #makeGate: (bucket: never, setup: WaitingBucketSetup) => Gate;
  #waiters: WaitQueue<Grant> | undefined;
  #gates: OriginPauses<Gate> | undefined;
  #said: Said | undefined;
  #sourceClosed: Promise<void> | undefined;
  #granted = 0;
  #marked = 0;

  /**
   * @param source a source that needs to know nothing of its bucket: its `nowMs` may start at any time. Or a function that makes the
   * source. `time` is what its `nowMs` are counted in, from 0, and `queue` the requests that wait. It calls `onChange` when tokens may
   * have come by themselves, or will not come any more: at any time, because the queue is served in a microtask
   * @param makeGate makes the bucket that stands in front of this one for an origin that asked for a pause. It is called with this
   * bucket, and with its options
   * @param units of a source of several units
   */
  constructor(
    setup: WaitingBucketSetup,
    source: Source | MakeSource<Source>,
    makeGate: (bucket: never, setup: WaitingBucketSetup) => Gate,
    units: Units = ONE_UNIT,
  ) {
    this.#alike = alike(setup);
    this.#makeGate = makeGate;
    this.units = units;
    if (typeof source !== 'function') {
      this.time = this.#alike.time;
      this.source = source;
      return;
    }
    this.time = new SteadyTime(setup.clock);
    const waiters = this.#makeQueue();
    this.source = source(this.time, waiters as WaitingQueue, servedSoon(waiters));
    // Its tokens come with the answers of the store, to one request.
    if (worker) worker.bind(this, 'a bucket whose tokens a store holds');
    this.#supply(waiters);
  }

  #makeQueue(): WaitQueue<Grant> {
    const grants = this.#grants.bind(this);
    const waiters = new WaitQueue<Grant>(this.#alike.setup, this.time, grants, this.units);
    this.#waiters = waiters;
    return waiters;
  }

  #supply(waiters: WaitQueue<Grant>): WaitQueue<Grant> {
    waiters.supply = this.source;
    waiters.mostCost = this.source.capacity;
    return waiters;
  }

  /** The queue, from the first time on that it is needed. */
  get #queue(): WaitQueue<Grant> {
    return this.#waiters ?? this.#supply(this.#makeQueue());
  }

  #gateOf(origin: string): Gate {
    this.#gates ??= new OriginPauses(() => {
      const gate = this.#makeGate(this as never, this.#alike.setup);
      const waiting = this.#waiters?.closed;
      if (waiting !== undefined) void gate.close({ waiting });
      return gate;
    });
    return this.#gates.of(origin);
  }

  get limit(): BroughtLimit {
    return bucketLimit(this, true);
  }

  get feedback(): ReadFeedback | false {
    return this.#alike.setup.feedback;
  }

  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    mustHaveClock('a bucket', this.time.clock, calls);
    mustTakeCalls(this.#alike.sample, calls);
    // A number may be for requests that have a cost of their own.
    if (typeof calls.cost === 'object') this.units.amountOf('createPolicy', calls.cost, this.source.capacity);
  }

  tryAcquire(costs: number | Costs = 1, earlier?: Grant): Grant | undefined {
    const source = this.source;
    const waiters = this.#waiters;
    if (worker) worker.mustBeOurs(this);
    const cost = this.units.amountOf('tryAcquire', costs, source.capacity);
    if (waiters?.isOpenTo(earlier) === false) return undefined;
    const nowMs = this.time.now();
    const isNext = waiters === undefined || waiters.size === 0;
    if (isNext && source.take(cost, nowMs)) return this.#grant(cost, 0, nowMs);
    const mayMark = this.#alike.setup.nonConforming === 'mark' && source.unavailable === undefined;
    if (mayMark && source.waitMs(cost, nowMs) > 0) return this.#grant(cost, 0, nowMs, true);
    if (isNext) source.missed?.(cost, nowMs);
    return undefined;
  }

  acquire(options: AcquireOptions = {}): Promise<Grant> {
    // A fair queue asks for the weight of a key: once.
    if (this.#waiters !== undefined || this.#alike.sample.isFair)
      return this.#queue.acquire(options, () => this.#costOf(options));
    try {
      const grant = this.#takeFirst(options);
      if (grant !== undefined) return Promise.resolve(grant);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#queue.acquire(options, () => this.#costOf(options));
  }

  #costOf({ cost = 1 }: AcquireOptions): Amount {
    if (worker) worker.mustBeOurs(this);
    return this.units.amountOf('acquire', cost, this.source.capacity);
  }

  /** What a request gets at a bucket that has no queue yet, if there are tokens. */
  #takeFirst(options: AcquireOptions): Grant | undefined {
    const cost = this.#costOf(options);
    laneFor(this.#alike.sample, options);
    if (options.signal?.aborted) throw options.signal.reason;
    const nowMs = this.time.now();
    return this.source.take(cost, nowMs) ? this.#grant(cost, 0, nowMs) : undefined;
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
    const waiters = this.#queue;
    if (source.unavailable !== undefined) {
      const { message, cause } = source.unavailable;
      return Promise.reject(waiters.refusal('unavailable', message, undefined, cause));
    }
    const { nonConforming } = this.#alike.setup;
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
    const grant = new TokenGrant(cost, waitedMs, this.time.startMs + nowMs, held, this, !isMarked);
    if (waitedMs > 0 && lacking !== undefined) grant.unit = lacking;
    return grant;
  }

  /** For its grants. */
  settleGrant(actual: Amount, cost: Amount, held: unknown): void {
    this.source.settle(this.units.plus(cost, actual, -1), held, this.time.now());
    this.#waiters?.serve();
  }

  atMost(left: number | Costs, answered?: Grant): void {
    const said = this.units.read('atMost: left', left, Infinity);
    this.#lower(answered === undefined ? said : this.#heard(said, answered));
  }

  #lower(left: Amount): void {
    const nowMs = this.time.now();
    this.source.atMost?.(left, nowMs);
    this.#waiters?.arm(nowMs);
  }

  get #server(): Said {
    this.#said ??= { heardAtMs: Number.NEGATIVE_INFINITY, sharedUntilMs: Number.NEGATIVE_INFINITY };
    return this.#said;
  }

  /** See {@link TokenSource.heard}. Infinity if it changes nothing. */
  #heard(left: Amount, answered: Grant): Amount {
    const { grantedAtMs } = answered;
    // Overtaken by an answer to a later request.
    const server = this.#server;
    if (grantedAtMs < server.heardAtMs) return Infinity;
    server.heardAtMs = grantedAtMs;
    return this.source.heard?.(left, TokenGrant.heldBy(answered)) ?? left;
  }

  observe(
    outcome: Outcome,
    grant: Grant,
    request?: RequestTraits,
    read?: ReadFeedback | false,
  ): Feedback | undefined {
    const { feedback: own, feedbackScope, maxPauseMs, random } = this.#alike.setup;
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
    if (said.tooFast) this.#server.sharedUntilMs = grant.grantedAtMs + maxPauseMs;
    // What quotas the fields of a response are about is known for requests alone.
    const isOurs = this.units === ONE_UNIT && (grant.cost === 1 || !feedback.readsFields);
    const { remaining = Number.NaN } = said;
    const sharedUntilMs = this.#said?.sharedUntilMs ?? Number.NEGATIVE_INFINITY;
    if (isOurs && remaining >= 0 && grant.grantedAtMs < sharedUntilMs) {
      const left = inUnit(this.#heard(remaining, grant), 0);
      if (origin === undefined) this.#lower(left);
      else if (left < Infinity) this.#gateOf(origin).atMost?.(Math.max(0, left));
    }
    // With some jitter on top, so that a fleet does not return together. A custom `feedback` may return something that is not a number.
    const pauseMs = said.pauseMs > 0 ? withJitter(Math.min(said.pauseMs, maxPauseMs), random) : 0;
    if (pauseMs > 0) (origin === undefined ? this : this.#gateOf(origin)).pauseFor(pauseMs);
    return said;
  }

  pausedBucketFor(request: RequestTraits): TokenBucket | undefined {
    return this.#gates?.for(request);
  }

  /** The buckets of origins that asked for a pause. */
  protected gates(): readonly Gate[] {
    return this.#gates?.all() ?? [];
  }

  pauseFor(durationMs: number): void {
    notNegative('pauseFor: durationMs', durationMs);
    const nowMs = this.time.now();
    if (durationMs > 0) this.source.pause(nowMs + durationMs, nowMs);
    this.#waiters?.serve();
  }

  resume(): void {
    for (const gate of this.gates()) gate.resume();
    const nowMs = this.time.now();
    if (this.source.pausedMs(nowMs) > 0) this.source.resume(nowMs);
    this.#waiters?.serve();
  }

  /** How many requests wait, here or at the gate of an origin. */
  get #waiting(): number {
    return (this.#waiters?.size ?? 0) + (this.#gates?.stats().waiting ?? 0);
  }

  async idle(): Promise<void> {
    do {
      const waiting = this.#waiting;
      await Promise.all([this.#waiters?.idle(), ...this.gates().map((gate) => gate.idle())]);
      // A request that has passed a gate joins this queue next, and one of this queue may join that of a gate.
      if (waiting > 0) await nextTurn();
    } while (this.#waiting > 0);
  }

  async close(options?: CloseOptions): Promise<void> {
    const waiting = waitingAtClose(options);
    const waiters = this.#queue;
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
    const gates = this.#gates?.stats();
    const pausedMs = Math.max(source.pausedMs(nowMs), gates?.pausedMs ?? 0);
    const waiting = this.#waiting;
    const isOpen = waiters?.closed === undefined && !gates?.count && pausedMs === 0;
    return {
      tokens: inUnit(source.tokens(nowMs), 0),
      capacity: inUnit(source.capacity, 0),
      refillPerSecond: inUnit(source.refillPerSecond, 0),
      waiting,
      waitingCost: (waiters?.queue.cost ?? 0) as number,
      pausedMs,
      granted: this.#granted,
      marked: this.#marked,
      refused: waiters?.refused ?? 0,
      idle: waiting === 0 && isOpen && source.isIdle(nowMs),
    };
  }

  /** To be called when the capacity of the source has changed. Requests that cost more are refused, wherever they wait. */
  protected capacityChanged(): void {
    this.#waiters?.limitCost(this.source.capacity);
  }
}
