import { prose, proseOf } from '#prose';
import { warn } from '../../base/warn.ts';
import type { AcquireOptions, Grant } from '../../loop/contracts.ts';
import type { Costs } from '../../loop/costs.ts';
import { type Amount, exceeds, least, minus, plus } from '../../queue/amount.ts';
import type { Lane } from '../../queue/queue.ts';
import { SteadyTime } from '../../queue/time.ts';
import { WaitingRoom } from '../../queue/waiting-room.ts';
import type { WaitingBucketSetup } from './options.ts';
import type { TokenSource, WaitingQueue } from './token-source.ts';
import { ONE_UNIT, type Units } from './units.ts';

export const CLOSED: string | undefined = /* @__PURE__ */ prose('the bucket was closed');

/** What a grant needs of its bucket. */
interface Settles {
  readonly units: Units;
  /** What counts of an actual cost: more than a whole bucket and the longest pause bring in can only be a mistake. */
  bounded(actual: Amount): Amount;
  settleGrant(surplus: Amount, held: unknown): void;
}

/** Tokens from a bucket. Those that do not conform came from nowhere, and are not settled. */
class TokenGrant implements Grant {
  readonly waitedMs: number;
  readonly grantedAtMs: number;
  readonly conforming: boolean;
  /** Of a bucket of several units. */
  declare unit?: string | undefined;
  readonly #amount: Amount;
  readonly #held: unknown;
  readonly #bucket: Settles;
  #isOpen: boolean;

  constructor(
    amount: Amount,
    waitedMs: number,
    grantedAtMs: number,
    held: unknown,
    bucket: Settles,
    conforming: boolean,
  ) {
    this.waitedMs = waitedMs;
    this.grantedAtMs = grantedAtMs;
    this.conforming = conforming;
    this.#amount = amount;
    this.#held = held;
    this.#bucket = bucket;
    this.#isOpen = conforming;
  }

  /** What its source needs to know of it; `undefined` for a grant of something else. */
  static heldBy(grant: Grant): unknown {
    return #held in grant ? grant.#held : undefined;
  }

  get cost(): number | Costs {
    return this.#bucket.units.costsOf(this.#amount);
  }

  settle(actualCost: number | Costs): void {
    const actual = this.#bucket.units.read('settle: actualCost', actualCost, this.#amount);
    const isFirst = this.#isOpen;
    this.#isOpen = false;
    if (isFirst) this.#bucket.settleGrant(minus(this.#amount, this.#bucket.bounded(actual)), this.#held);
  }
}

/** Makes a source. See the constructor of `WaitingBucket`. */
export type MakeSource<Source> = (time: SteadyTime, queue: WaitingQueue, onChange: () => void) => Source;

/** Grants the tokens of a source to requests in turn, and decides what happens to those for which there are none. */
export abstract class TokenCounter<Source extends TokenSource<unknown, Amount>> implements Settles {
  readonly units: Units;
  protected readonly time: SteadyTime;
  protected readonly source: Source;
  protected readonly room: WaitingRoom<Grant>;
  /** How the bucket was closed; `undefined` while it is open. */
  protected closed: 'drain' | 'reject' | undefined;
  protected granted = 0;
  protected marked = 0;
  /** The most tokens that a request may cost. */
  protected maxCost: Amount;
  readonly #nonConforming: WaitingBucketSetup['nonConforming'];
  readonly #maxPauseMs: number;
  #hasWarned = false;
  #isServedSoon = false;
  /** When the request was granted whose answer has last said what is left. */
  #heardAtMs = Number.NEGATIVE_INFINITY;

  constructor(setup: WaitingBucketSetup, makeSource: MakeSource<Source>, units: Units = ONE_UNIT) {
    const time = new SteadyTime(setup.clock);
    this.time = time;
    this.#nonConforming = setup.nonConforming;
    this.#maxPauseMs = setup.maxPauseMs;
    this.units = units;
    this.room = new WaitingRoom(setup, time, () => this.serve(), units.weigh);
    this.source = makeSource(time, this.room as WaitingQueue, () => this.#serveSoon());
    this.maxCost = this.source.capacity;
    this.room.limitCost(this.maxCost);
  }

  tryAcquire(costs: number | Costs = 1, earlier?: Grant): Grant | undefined {
    const cost = this.units.amountOf('tryAcquire', costs, this.maxCost);
    if (!this.#isOpenTo(earlier)) return undefined;
    const nowMs = this.time.now();
    const isEmpty = this.room.size === 0;
    if (isEmpty && this.source.take(cost, nowMs)) return this.#grant(cost, 0, nowMs);
    const mayMark = this.#nonConforming === 'mark' && this.source.unavailable === undefined;
    if (mayMark && this.source.waitMs(cost, nowMs) > 0) return this.#grant(cost, 0, nowMs, false);
    if (isEmpty) this.source.missed?.(cost, nowMs);
    return undefined;
  }

  acquire(options: AcquireOptions = {}): Promise<Grant> {
    try {
      const { cost: costs = 1, signal } = options;
      const cost = this.units.amountOf('acquire', costs, this.maxCost);
      const lane = this.room.laneFor(options);
      if (signal?.aborted) throw signal.reason;
      if (!this.#isOpenTo(options.earlier)) throw this.room.refusal('closed', CLOSED);
      const nowMs = this.time.now();
      const result = this.room.goesFirst(lane, nowMs) ? this.#result(cost, 0, nowMs) : undefined;
      return result === undefined ? this.#join(options, lane, cost, nowMs) : Promise.resolve(result);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** A bucket that drains is open to a request that was granted tokens, gave them back, and waits again. */
  #isOpenTo(earlier: Grant | undefined): boolean {
    return this.closed === undefined || (this.closed === 'drain' && earlier !== undefined);
  }

  #join(options: AcquireOptions, lane: Lane, cost: Amount, nowMs: number): Promise<Grant> {
    const waitMs = this.source.waitMs(plus(this.room.costAhead(options, lane, nowMs), cost), nowMs);
    let granted: Promise<Grant>;
    try {
      granted = this.room.join(options, lane, cost, waitMs, nowMs);
    } catch (error) {
      this.source.refusedFor?.(waitMs, nowMs);
      throw error;
    }
    this.arm(nowMs);
    return granted;
  }

  /** What a request gets that has its turn: tokens or a refusal; `undefined` if it has to wait. */
  #result(cost: Amount, waitedMs: number, nowMs: number): Grant | Promise<never> | undefined {
    const { source } = this;
    if (source.take(cost, nowMs)) return this.#grant(cost, waitedMs, nowMs);
    if (source.unavailable !== undefined) {
      const { message, cause } = source.unavailable;
      return Promise.reject(this.room.refusal('unavailable', message, undefined, cause));
    }
    if (this.#nonConforming === 'delay' || source.waitMs(cost, nowMs) === 0) return undefined;
    // Not a promise: in the queue, the requests behind it would be granted before it.
    if (this.#nonConforming === 'mark') return this.#grant(cost, waitedMs, nowMs, false);
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
    return Promise.reject(this.room.refusal(reason, message, waitMs));
  }

  atMost(left: number | Costs, answered?: Grant): void {
    const said = this.units.read('atMost: left', left, Number.POSITIVE_INFINITY);
    const most = answered === undefined ? said : this.heard(said, answered);
    const nowMs = this.time.now();
    this.source.atMost?.(most, nowMs);
    this.arm(nowMs);
  }

  /** See {@link TokenSource.heard}. Infinity if it changes nothing. */
  protected heard(left: Amount, answered: Grant): Amount {
    const { grantedAtMs } = answered;
    // Overtaken by an answer to a later request.
    if (grantedAtMs < this.#heardAtMs) return Number.POSITIVE_INFINITY;
    this.#heardAtMs = grantedAtMs;
    return this.source.heard?.(left, TokenGrant.heldBy(answered)) ?? left;
  }

  #grant(cost: Amount, waitedMs: number, nowMs: number, conforming = this.source.isBeyond !== true): Grant {
    const { source } = this;
    this.granted += 1;
    if (!conforming) this.marked += 1;
    const grant = new TokenGrant(cost, waitedMs, this.time.startMs + nowMs, source.held, this, conforming);
    if (waitedMs > 0 && source.lacking !== undefined) grant.unit = source.lacking;
    return grant;
  }

  bounded(actual: Amount): Amount {
    const { capacity, refillPerSecond } = this.source;
    const most = plus(capacity, refillPerSecond, this.#maxPauseMs / 1_000);
    if (!exceeds(actual, most)) return actual;
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      const said = JSON.stringify(this.units.costsOf(actual));
      const counts = JSON.stringify(this.units.costsOf(most));
      warn(
        proseOf(() => `actualCost: ${said} cannot be a cost: at most ${counts} of it counts`) ?? 'actualCost',
      );
    }
    return least(actual, most);
  }

  /** Called by a grant of this bucket. */
  settleGrant(surplus: Amount, held: unknown): void {
    const { holds } = this.source;
    if (surplus === 0 && !holds) return;
    this.source.settle(surplus, held, this.time.now());
    this.serve();
  }

  /** To be called when the capacity of the source has changed. Requests that cost more are refused, wherever they wait. */
  protected capacityChanged(): void {
    this.maxCost = this.source.capacity;
    this.room.limitCost(this.maxCost);
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
    this.room.serve(nowMs, (cost, waitedMs) => {
      try {
        return this.#serveFirst(cost, waitedMs, nowMs);
      } catch (error) {
        // The source is broken. The request must not hold up those behind it.
        return Promise.reject(error);
      }
    });
    this.arm(nowMs);
  }

  /** The result of the first request in the queue; `undefined` if it goes on waiting. */
  #serveFirst(cost: Amount, waitedMs: number, nowMs: number): Grant | Promise<Grant> | undefined {
    const result = this.#result(cost, waitedMs, nowMs);
    const isTooLate = (): boolean | undefined =>
      this.source.isTooLate?.(cost, this.room.firstDeadlineMs, nowMs);
    if (result !== undefined || this.#nonConforming !== 'delay' || !isTooLate()) return result;
    // Refused now, so that no request waits behind it in vain.
    return this.#refuse('wait-too-long', prose('its turn does not come in time'), cost, nowMs);
  }

  protected arm(nowMs: number): void {
    this.room.arm(nowMs, this.source.dueMs(this.room.firstCost, nowMs));
  }
}
