import { worker } from '#worker';
import type { RequestTraits } from '../../http/outcome.ts';
import type { Costs, Grant } from '../../policy/contracts.ts';
import { type Amount, inUnit, type Sums } from '../../queue/queue.ts';
import { SteadyTime } from '../../queue/time.ts';
import { TOO_LATE, type WaitQueue } from '../../queue/wait-queue.ts';
import type { CloseOptions } from '../limit.ts';
import type { LevelSetup } from './level.ts';
import type { WaitingBucketSetup } from './options.ts';
import type { OriginLevel } from './paused-origins.ts';
import { QueuedBucket } from './queued-bucket.ts';
import { SourceQueue } from './source-queue.ts';
import type { TokenGrant } from './token-grant.ts';
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

/**
 * A token bucket without its tokens: the queue, the timer, pauses, feedback, statistics, and the treatment of requests for
 * which there are no tokens. A subclass brings a {@link TokenSource}, which may be a store, or have several units.
 */
export abstract class WaitingBucket<
  Source extends TokenSource<unknown, Amount>,
> extends QueuedBucket<Source> {
  readonly units: Units;
  #sourceClosed: Promise<void> | undefined;

  /**
   * @param source a source that needs to know nothing of its bucket: its `nowMs` may start at any time. Or a function that makes the
   * source. `time` is what its `nowMs` are counted in, from 0, and `queue` the requests that wait. It calls `onChange` when tokens may
   * have come by themselves, or will not come any more: at any time, because the queue is served in a microtask
   * @param units of a source of several units
   */
  constructor(setup: WaitingBucketSetup, source: Source | MakeSource<Source>, units: Units = ONE_UNIT) {
    super(setup, () => source as Source);
    this.units = units;
    if (typeof source !== 'function') return;
    this.time = new SteadyTime(setup.clock);
    const { queue } = this;
    queue.supply = undefined;
    const seen = new SourceQueue(queue, this.time, units);
    this.source = source(this.time, seen as WaitingQueue, servedSoon(queue));
    queue.supply = this.source;
    // Its tokens come with the answers of the store, to one request.
    if (worker) worker.bind(this, 'a bucket whose tokens a store holds');
  }

  protected override amountOf(caller: string, cost: number | Costs): Amount {
    if (worker && caller !== 'createPolicy') worker.mustBeOurs(this);
    return this.units.amountOf(caller, cost, this.source.capacity);
  }

  protected override amountSaid(name: string, said: number | Costs): Amount {
    return this.units.read(name, said, Infinity);
  }

  override surplusOf(cost: number | Costs, actualCost: number | Costs): Amount {
    const { units } = this;
    const taken = units.read('settle: cost', cost, 0);
    return units.plus(taken, units.read('settle: actualCost', actualCost, taken), -1);
  }

  protected override get sums(): Sums {
    return this.units;
  }

  protected override originSetup(): LevelSetup {
    const { source, pausedUnit } = this;
    const capacity = inUnit(source.capacity, pausedUnit);
    return {
      refillPerSecond: inUnit(source.refillPerSecond, pausedUnit),
      capacity,
      initialTokens: capacity,
    };
  }

  override tryAcquire(cost: number | Costs = 1, earlier?: Grant, request?: RequestTraits): Grant | undefined {
    const grant = super.tryAcquire(cost, earlier, request);
    const { source, queue } = this;
    if (grant === undefined && source.missed && queue.queue.first === undefined && queue.isOpenTo(earlier))
      source.missed(this.amountOf('tryAcquire', cost), this.time.now());
    return grant;
  }

  protected override get mayMark(): boolean {
    return super.mayMark && this.source.unavailable === undefined;
  }

  protected override grants(
    amount: Amount,
    waitedMs: number,
    nowMs: number,
    origin?: OriginLevel,
    deadlineMs?: number,
  ): Grant | Promise<never> | undefined {
    const { source, queue } = this;
    const result = super.grants(amount, waitedMs, nowMs, origin, deadlineMs);
    if (result !== undefined) return result;
    const unavailable = this.#unavailable();
    if (unavailable) return unavailable;
    const isTooLate = deadlineMs !== undefined && source.isTooLate?.(amount, deadlineMs, nowMs);
    if (!isTooLate || this.setup.nonConforming !== 'delay') return undefined;
    const waitMs = source.waitMs(amount, nowMs);
    source.refusedFor?.(waitMs, nowMs);
    // Refused now if it is too late, so that no request waits behind it in vain.
    return Promise.reject(queue.refusal('wait-too-long', TOO_LATE, waitMs));
  }

  protected override withoutTokens(
    amount: Amount,
    waitedMs: number,
    nowMs: number,
    waitMs: number,
  ): Grant | Promise<never> {
    const unavailable = this.#unavailable();
    if (unavailable) return unavailable;
    if (!this.mayMark) this.source.refusedFor?.(waitMs, nowMs);
    return super.withoutTokens(amount, waitedMs, nowMs, waitMs);
  }

  /** The refusal of a source that has no tokens at all. */
  #unavailable(): Promise<never> | undefined {
    const { unavailable } = this.source;
    if (unavailable === undefined) return undefined;
    const { message, cause } = unavailable;
    return Promise.reject(this.queue.refusal('unavailable', message, undefined, cause));
  }

  protected override grant(
    amount: Amount,
    waitedMs: number,
    nowMs: number,
    origin?: OriginLevel,
    isMarked: boolean | undefined = this.source.isBeyond,
  ): TokenGrant {
    const { lacking } = this.source;
    const grant = super.grant(amount, waitedMs, nowMs, origin, isMarked);
    grant.cost = this.units.costsOf(amount);
    if (waitedMs > 0 && lacking !== undefined) grant.unit = lacking;
    return grant;
  }

  override async close(options?: CloseOptions): Promise<void> {
    await super.close(options);
    this.#sourceClosed ??= this.source.close?.();
    await this.#sourceClosed;
  }
}
