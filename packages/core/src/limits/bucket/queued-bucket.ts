import { devText, devTextOf } from '#dev-text';
import { notNegative, wrongRange, wrongType } from '../../base/check.ts';
import { nextTurn } from '../../base/clock.ts';
import { readFeedback, withJitter } from '../../http/feedback.ts';
import {
  type Feedback,
  type Outcome,
  originOf,
  type ReadFeedback,
  type RequestTraits,
} from '../../http/outcome.ts';
import type { AcquireOptions, Costs, Grant } from '../../policy/contracts.ts';
import type { BroughtLimit } from '../../policy/limit.ts';
import type { ChecksCalls } from '../../policy/limit-options.ts';
import { type Amount, NUMBERS, type Sums } from '../../queue/queue.ts';
import type { SteadyTime } from '../../queue/time.ts';
import { checkWait, mustTakeCalls, WaitQueue } from '../../queue/wait-queue.ts';
import {
  type BucketStats,
  type CloseOptions,
  mustHaveClock,
  type ObservableBucket,
  waitingAtClose,
} from '../limit.ts';
import { bucketLimit } from './bucket-limit.ts';
import type { LevelSetup } from './level.ts';
import { retryAfter, type WaitingBucketSetup } from './options.ts';
import { OriginLevel, PausedOrigins } from './paused-origins.ts';
import { type SharedSetup, sharedSetup } from './shared-setup.ts';
import { OriginHold, TokenGrant } from './token-grant.ts';
import type { TokenSource } from './token-source.ts';

/** A function of its own: its text would take memory in each call of the one around it. */
function wrongCost(caller: string, cost: unknown, capacity: unknown): TypeError | RangeError {
  const takes = devTextOf(() => `a number > 0 and ≤ the capacity, ${capacity}`);
  return (typeof cost === 'number' ? wrongRange : wrongType)(`${caller}: cost`, takes, cost);
}

/** The reports of servers to a bucket. */
class ServerState {
  readonly origins: PausedOrigins = new PausedOrigins();
  /** The grant time of the request whose answer was the last to report the tokens left. */
  heardAtMs: number = Number.NEGATIVE_INFINITY;
  /** Until then a server's report of the tokens left applies to this bucket. */
  sharedUntilMs: number = Number.NEGATIVE_INFINITY;
}

/**
 * A token bucket whose costs are numbers: tokens, a queue, pauses, feedback, statistics, and the treatment of requests for which there
 * are no tokens.
 *
 * There may be a bucket for each of 10^5 keys. Objects that take memory are made when they are needed: the queue by the first
 * request to wait. Buckets share the objects that are the same in many of them.
 */
export abstract class QueuedBucket<Source extends TokenSource<unknown, Amount>>
  implements ObservableBucket, ChecksCalls
{
  protected readonly setup: WaitingBucketSetup;
  /** The time in which the source counts. */
  protected time: SteadyTime;
  protected source: Source;
  readonly #shared: SharedSetup;
  #waiters: WaitQueue<Grant> | undefined;
  #server: ServerState | undefined;
  #granted = 0;
  #marked = 0;

  constructor(setup: WaitingBucketSetup, makeSource: (nowMs: number) => Source) {
    this.#shared = sharedSetup(setup);
    this.setup = this.#shared.options;
    this.time = this.#shared.time;
    this.source = makeSource(this.time.now());
  }

  get limit(): BroughtLimit {
    return bucketLimit(this);
  }

  get feedback(): ReadFeedback | false {
    return this.setup.feedback;
  }

  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    mustHaveClock('a bucket', this.time.clock, calls);
    mustTakeCalls(this.#shared.prototypeQueue, calls);
    // A number may be for requests that have a cost of their own.
    if (typeof calls.cost === 'object') this.amountOf('createPolicy', calls.cost);
  }

  // Overridden in a bucket of several units.

  /**
   * The cost of a request, as an amount.
   *
   * @param caller the name of the function in error messages
   * @throws TypeError, RangeError for a cost that the bucket can never hold
   */
  protected amountOf(caller: string, cost: number | Costs): Amount {
    const { capacity } = this.source;
    if (typeof cost === 'number' && cost > 0 && cost <= (capacity as number)) return cost;
    throw wrongCost(caller, cost, capacity);
  }

  /**
   * The tokens that a server or a user reports, as an amount. A unit that is not named is infinite.
   *
   * @throws TypeError, RangeError for a number that is negative or not finite
   */
  protected amountSaid(name: string, said: number | Costs): Amount {
    notNegative(name, said);
    return said as number;
  }

  /** For its grants. @throws TypeError, RangeError for a number that is negative or not finite */
  surplusOf(cost: number | Costs, actualCost: number | Costs): Amount {
    return (cost as number) - (this.amountSaid('settle: actualCost', actualCost) as number);
  }

  /** How its costs add up. */
  protected get sums(): Sums {
    return NUMBERS;
  }

  /** The level of an origin, which is full. */
  protected abstract originSetup(): LevelSetup;

  /** The unit that a pause of an origin is about. */
  protected get pausedUnit(): number {
    return 0;
  }

  // Tokens.

  /** The waiting requests. Made when it is first needed. */
  protected get queue(): WaitQueue<Grant> {
    if (this.#waiters) return this.#waiters;
    const waiters = new WaitQueue<Grant>(
      this.setup,
      this.time,
      (amount, waitedMs, nowMs, gate, deadlineMs) =>
        this.grants(amount, waitedMs, nowMs, gate as OriginLevel | undefined, deadlineMs),
      this.source,
      this.sums,
    );
    waiters.gates = this.#server?.origins;
    this.#waiters = waiters;
    return waiters;
  }

  tryAcquire(cost: number | Costs = 1, earlier?: Grant, request?: RequestTraits): Grant | undefined {
    const amount = this.amountOf('tryAcquire', cost);
    const waiters = this.#waiters;
    if (waiters?.isOpenTo(earlier) === false) return undefined;
    const nowMs = this.time.now();
    const origin = this.#server?.origins.of(request, nowMs);
    const isNext = !waiters?.next(nowMs) && !origin?.line?.first;
    if (isNext && this.#isThere(amount, nowMs, origin)) return this.grant(amount, 0, nowMs, origin);
    return this.mayMark && this.#waitMs(amount, nowMs, origin) > 0
      ? this.grant(amount, 0, nowMs, undefined, true)
      : undefined;
  }

  acquire(options: AcquireOptions = {}): Promise<Grant> {
    const { cost = 1, priority, fairKey, request } = options;
    try {
      const amount = this.amountOf('acquire', cost);
      // A bucket whose requests never wait has no queue.
      if (!this.#waiters && priority === undefined && fairKey === undefined) {
        checkWait(options);
        const nowMs = this.time.now();
        const origin = this.#server?.origins.of(request, nowMs);
        if (this.#isThere(amount, nowMs, origin))
          return Promise.resolve(this.grant(amount, 0, nowMs, origin));
      }
      return this.queue.acquire(options, amount);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Takes the tokens of the bucket if those of the origin are there as well. */
  #isThere(amount: Amount, nowMs: number, origin: OriginLevel | undefined): boolean {
    return !(origin && origin.passMs(amount, nowMs) > 0) && this.source.take(amount, nowMs);
  }

  #waitMs(amount: Amount, nowMs: number, origin: OriginLevel | undefined): number {
    return Math.max(this.source.waitMs(amount, nowMs), origin?.passMs(amount, nowMs) ?? 0);
  }

  /** Whether a request is sent without tokens, and marked. */
  protected get mayMark(): boolean {
    return this.setup.nonConforming === 'mark';
  }

  /** Serves the request whose turn it is, with tokens or a refusal; `undefined` if the request has to wait. */
  protected grants(
    amount: Amount,
    waitedMs: number,
    nowMs: number,
    origin?: OriginLevel,
    _deadlineMs?: number,
  ): Grant | Promise<never> | undefined {
    if (this.#isThere(amount, nowMs, origin)) return this.grant(amount, waitedMs, nowMs, origin);
    if (this.setup.nonConforming === 'delay') return undefined;
    const waitMs = this.#waitMs(amount, nowMs, origin);
    return waitMs > 0 ? this.withoutTokens(amount, waitedMs, nowMs, waitMs) : undefined;
  }

  /** The result of a request that does not wait for its tokens: a marked grant, or a refusal. */
  protected withoutTokens(
    amount: Amount,
    waitedMs: number,
    nowMs: number,
    waitMs: number,
  ): Grant | Promise<never> {
    // Not a promise: in the queue, the requests behind it would be granted before it.
    if (this.mayMark) return this.grant(amount, waitedMs, nowMs, undefined, true);
    const text = devText('its tokens are not available');
    return Promise.reject(this.queue.refusal('not-conforming', text, waitMs));
  }

  /** @param origin whose tokens it takes as well */
  protected grant(
    amount: Amount,
    waitedMs: number,
    nowMs: number,
    origin?: OriginLevel,
    isMarked = false,
  ): TokenGrant {
    this.#granted += 1;
    if (isMarked) this.#marked += 1;
    const { held } = this.source;
    return new TokenGrant(
      amount as number,
      waitedMs,
      this.time.startMs + nowMs,
      origin ? new OriginHold(held, origin, origin.pass(amount, nowMs)) : held,
      this,
      !isMarked,
    );
  }

  /** For its grants. */
  giveBack(surplus: Amount, held: unknown): void {
    const nowMs = this.time.now();
    if (!(held instanceof OriginHold)) this.source.settle(surplus, held, nowMs);
    else {
      this.source.settle(surplus, held.held, nowMs);
      held.level.giveBack(surplus, held.heldThere, nowMs);
    }
    this.serve();
  }

  // Reports of servers and users.

  get #said(): ServerState {
    if (this.#server) return this.#server;
    const server = new ServerState();
    this.#server = server;
    if (this.#waiters) this.#waiters.gates = server.origins;
    return server;
  }

  #levelOf(origin: string): OriginLevel {
    const { origins } = this.#said;
    const nowMs = this.time.now();
    const made = () => new OriginLevel(this.originSetup(), this.pausedUnit, nowMs);
    return origins.find(origin, nowMs) ?? origins.add(origin, made(), nowMs);
  }

  /** The levels of origins that are not full again. */
  protected originLevels(): readonly OriginLevel[] {
    return this.#server?.origins.open(this.time.now()) ?? [];
  }

  atMost(left: number | Costs, answered?: Grant): void {
    const said = this.amountSaid('atMost: left', left);
    this.#lower(answered === undefined ? said : this.#heard(said, answered));
  }

  #lower(left: Amount): void {
    const nowMs = this.time.now();
    this.source.atMost?.(left, nowMs);
    this.#waiters?.arm(nowMs);
  }

  /** See {@link TokenSource.heard}. Infinity if it changes nothing. */
  #heard(left: Amount, answered: Grant): Amount {
    const { grantedAtMs } = answered;
    // Overtaken by an answer to a later request.
    const server = this.#said;
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
    const { feedback: own, feedbackScope, maxPauseMs, random } = this.setup;
    const feedback = own && (read ?? own);
    if (feedback === false) return undefined;
    // Reading a clock takes as long as all the rest.
    if (feedback === retryAfter && outcome.type === 'response' && outcome.status < 300 && !outcome.advice)
      return undefined;
    const { cost, grantedAtMs } = grant;
    const said = readFeedback(feedback, outcome, this.time.clock.now(), cost);
    if (said === undefined) return undefined;
    // A redirect may have led to another origin.
    const url = (outcome.type === 'response' ? outcome.url : undefined) ?? request?.url;
    const origin = feedbackScope === 'bucket' || url === undefined ? undefined : originOf({ url });
    // Without a refusal the count of this bucket is right: the server may count in a window that ends soon. After a refusal,
    // others may use the same quota.
    if (said.tooFast) this.#said.sharedUntilMs = grantedAtMs + maxPauseMs;
    // For header fields the right quota is known for requests alone, which cost 1.
    const isOurs = typeof cost === 'number' && (cost === 1 || !feedback.readsFields);
    const { remaining = Number.NaN } = said;
    if (isOurs && remaining >= 0 && this.#server && grantedAtMs < this.#server.sharedUntilMs) {
      const left = this.#heard(remaining, grant) as number;
      if (origin === undefined) this.#lower(left);
      else if (left < Infinity) this.#levelOf(origin).atMost(Math.max(0, left), this.time.now());
    }
    // With some jitter on top, so that a fleet does not return together.
    this.#pause(withJitter(Math.min(said.pauseMs, maxPauseMs), random), origin);
    return said;
  }

  #pause(durationMs: number, origin: string | undefined): void {
    // A custom `feedback` may return something that is not a number.
    if (!(durationMs > 0)) return;
    const nowMs = this.time.now();
    const level = origin === undefined ? undefined : this.#levelOf(origin);
    (level ?? this.source).pause(nowMs + durationMs, nowMs);
    if (level) this.#waiters?.gateClosed(level);
    else this.serve();
  }

  pauseFor(durationMs: number): void {
    notNegative('pauseFor: durationMs', durationMs);
    this.#pause(durationMs, undefined);
  }

  resume(): void {
    const nowMs = this.time.now();
    for (const level of this.originLevels()) level.resume(nowMs);
    if (this.source.pausedMs(nowMs) > 0) this.source.resume(nowMs);
    this.serve();
  }

  /** To be called when tokens may have come in otherwise than with time. */
  protected serve(): void {
    this.#waiters?.serve();
  }

  /** To be called when the capacity of the source has changed. Requests that cost more are refused, wherever they wait. */
  protected capacityChanged(): void {
    const nowMs = this.time.now();
    for (const level of this.originLevels()) level.setRate(this.originSetup(), nowMs, false);
    this.#waiters?.sweep();
  }

  // Its end, and its state.

  async idle(): Promise<void> {
    do {
      const isBusy = this.#waiting > 0;
      await this.#waiters?.idle();
      // An evicted request is replaced at once, and a granted request may wait again.
      if (isBusy) await nextTurn();
    } while (this.#waiting > 0);
  }

  get #waiting(): number {
    return this.#waiters?.size ?? 0;
  }

  async close(options?: CloseOptions): Promise<void> {
    const waiting = waitingAtClose(options);
    const { queue } = this;
    if (queue.closed !== 'reject') queue.close(waiting);
    await this.idle();
  }

  stats(): BucketStats {
    const nowMs = this.time.now();
    const { source } = this;
    const waiters = this.#waiters;
    const levels = this.originLevels();
    const waiting = this.#waiting;
    const pausedMs = Math.max(source.pausedMs(nowMs), ...levels.map((level) => level.pausedMs(nowMs)));
    const isOpen = waiters?.closed === undefined && levels.length === 0 && pausedMs === 0;
    return {
      tokens: source.tokens(nowMs) as number,
      capacity: source.capacity as number,
      refillPerSecond: source.refillPerSecond as number,
      waiting,
      waitingCost: (waiters?.cost ?? 0) as number,
      pausedMs,
      granted: this.#granted,
      marked: this.#marked,
      refused: waiters?.refused ?? 0,
      idle: waiting === 0 && isOpen && source.isIdle(nowMs),
    };
  }
}
