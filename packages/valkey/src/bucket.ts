import type {
  AcquireOptions,
  BucketStats,
  Feedback,
  Grant,
  ObservableBucket,
  Outcome,
  RequestTraits,
  ThrottledError,
  TokenBucket,
} from '@ebb/core';
import {
  type CallsBeforeUse,
  CLOSED,
  type CloseOptions,
  check,
  deadlineOf,
  noOneWaits,
  OriginGates,
  requestedPause,
  SteadyTime,
  type Waiter,
  WaitingRoom,
  waitingAtClose,
} from '@ebb/core/bucket';
import { FleetTokens } from './fleet-tokens.ts';
import { originGate } from './gate.ts';
import { LeasedGrant, type Source } from './grant.ts';
import { type FleetSetup, fleetSetup, type ValkeyBucketOptions } from './options.ts';
import { type Need, NO_NEED } from './turn.ts';

/** How a shared bucket stands, as far as this process knows. */
export interface ValkeyBucketStats extends BucketStats {
  /** `'shared'`, or what holds while the store cannot be asked. */
  readonly mode: 'shared' | 'local' | 'open' | 'closed';
  /** Tokens that this process has leased and not spent. */
  readonly leased: number;
  /** How many processes took tokens lately, by the highest count of a minute; 0 when that was never heard. */
  readonly processes: number;
  /** How often this process has called the store. */
  readonly calls: number;
}

/** A token bucket that all processes with the same key share. */
export interface ValkeyBucket extends ObservableBucket {
  stats(): ValkeyBucketStats;
  /**
   * As {@link ObservableBucket.close}, and gives back what is leased and not spent: at once, or with `'drain'` when
   * no one waits any more. The client stays open.
   */
  close(options?: CloseOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const micro = (cost: number): number => Math.ceil(cost * 1e6);

/** {@link Need.through}, for those of one lane. */
function costThrough(first: Waiter<Grant>, covered: number, more: number, most: number): number {
  let sum = 0;
  let left = more;
  for (
    let waiter: Waiter<Grant> | undefined = first;
    waiter !== undefined && left > 0;
    waiter = waiter.next
  ) {
    const next = sum + micro(waiter.cost);
    if (left < more && next > covered + most) break;
    sum = next;
    if (sum > covered) left -= 1;
  }
  return Math.max(sum, covered);
}

class FleetBucket implements ValkeyBucket, Source, CallsBeforeUse {
  beforeUse: (() => void) | undefined;
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #tokens: FleetTokens;
  readonly #room: WaitingRoom<Grant>;
  readonly #gates = new OriginGates(() => originGate(this.#setup));
  /** How it was closed; `undefined` while it is open. */
  #closed: 'drain' | 'reject' | undefined;
  #granted = 0;
  #marked = 0;

  constructor(setup: FleetSetup) {
    this.#setup = setup;
    this.#time = new SteadyTime(setup.clock);
    this.#room = new WaitingRoom(setup, this.#time, () => this.#drain());
    const { line } = this.#room;
    const need = () => {
      const first = line.peek();
      if (first === undefined) return NO_NEED;
      const [cost, count, untilMs] = [micro(first.cost), line.size, deadlineOf(first)];
      // A sum of fractions may be a little less than its only part.
      const all = Math.max(cost, micro(line.cost));
      const through = (covered: number, more: number, most: number): number =>
        costThrough(first, covered, more, most);
      return { first: cost, all, count, untilMs, through };
    };
    this.#tokens = new FleetTokens(setup, this.#time, need, () => this.#drain());
  }

  tryAcquire(cost = 1, earlier?: Grant): Grant | undefined {
    this.#checkCost('tryAcquire', cost);
    if (this.#closed !== undefined && !this.#isLetIn(earlier)) return undefined;
    const nowMs = this.#time.now();
    if (this.#room.line.size === 0 && this.#tokens.take(micro(cost), nowMs))
      return this.#grant(cost, 0, nowMs);
    return this.#passMarked(cost, nowMs) ? this.#markedGrant(cost, nowMs) : undefined;
  }

  /** For one who will not wait. Before the store was asked, nobody can tell whether it conforms. */
  #passMarked(cost: number, nowMs: number): boolean {
    if (this.#setup.nonConforming === 'mark' && this.#lacks(cost, nowMs)) {
      this.#granted += 1;
      this.#marked += 1;
      return true;
    }
    if (this.#room.line.size === 0) this.#tokens.missed(micro(cost), nowMs);
    return false;
  }

  acquire(ask: AcquireOptions = {}): Promise<Grant> {
    try {
      const granted = this.#ask(ask);
      return granted instanceof Promise ? granted : Promise.resolve(granted);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #ask(ask: AcquireOptions): Grant | Promise<Grant> {
    const { cost = 1, signal } = ask;
    this.#checkCost('acquire', cost);
    const lane = this.#room.laneFor(ask);
    if (signal?.aborted) throw signal.reason;
    if (this.#closed !== undefined && !this.#isLetIn(ask.earlier)) {
      throw this.#room.refusal('closed', CLOSED);
    }
    const nowMs = this.#time.now();
    const { line } = this.#room;
    if (line.goesFirst(lane, nowMs) && this.#tokens.take(micro(cost), nowMs))
      return this.#grant(cost, 0, nowMs);
    const { unavailable } = this.#tokens;
    if (unavailable !== undefined)
      throw this.#room.refusal('unavailable', unavailable, undefined, this.#tokens.lostBy);
    if (line.size === 0 && this.#setup.nonConforming !== 'delay' && this.#lacks(cost, nowMs)) {
      if (this.#setup.nonConforming === 'mark') return this.#mark(cost, nowMs);
      throw this.#notConforming(cost, nowMs);
    }
    const waitMs = this.#tokens.waitMs(micro(this.#room.costAhead(ask, lane, nowMs) + cost), nowMs);
    const granted = this.#join(ask, lane, cost, waitMs, nowMs);
    this.#arm(nowMs);
    return granted;
  }

  #join(ask: AcquireOptions, lane: number, cost: number, waitMs: number, nowMs: number): Promise<Grant> {
    try {
      return this.#room.join(ask, lane, cost, waitMs, nowMs);
    } catch (error) {
      this.#tokens.doubt(waitMs, nowMs);
      throw error;
    }
  }

  /** Whether it is known that the tokens are not there. */
  #lacks(cost: number, nowMs: number): boolean {
    return this.#tokens.unavailable === undefined && this.#tokens.waitMs(micro(cost), nowMs) > 0;
  }

  #notConforming(cost: number, nowMs: number): ThrottledError {
    const waitMs = this.#tokens.waitMs(micro(cost), nowMs);
    this.#tokens.doubt(waitMs, nowMs);
    return this.#room.refusal('not-conforming', 'its tokens are not there', waitMs);
  }

  pauseFor(durationMs: number): void {
    check.notNegative('pauseFor: durationMs', durationMs);
    const nowMs = this.#time.now();
    this.#tokens.pause(Math.min(durationMs, LONGEST_PAUSE_MS), nowMs);
    this.#room.giveUp(nowMs + this.#tokens.pausedMs(nowMs));
    this.#arm(nowMs);
  }

  observe(outcome: Outcome, _grant: Grant, request?: RequestTraits): Feedback | undefined {
    const { said, pauseMs, origin } = requestedPause(this.#setup, outcome, request);
    if (pauseMs === 0) return said;
    // The rest of what it knows is in the store.
    this.beforeUse?.();
    if (origin === undefined) this.pauseFor(pauseMs);
    else this.#gates.pause(origin, pauseMs);
    return said;
  }

  gateFor(request: RequestTraits): TokenBucket | undefined {
    return this.#gates.for(request);
  }

  stats(): ValkeyBucketStats {
    const nowMs = this.#time.now();
    const { capacity, refillPerSecond } = this.#setup;
    const { size, cost } = this.#room.line;
    const gates = this.#gates.stats();
    const pausedMs = Math.max(this.#tokens.pausedMs(nowMs), gates.pausedMs);
    const waiting = size + gates.waiting;
    const isOpen = this.#closed === undefined && gates.count === 0 && pausedMs === 0;
    return {
      tokens: this.#tokens.tokens(nowMs) / 1e6,
      capacity,
      refillPerSecond,
      waiting,
      waitingCost: cost,
      pausedMs,
      granted: this.#granted,
      marked: this.#marked,
      refused: this.#room.refused,
      idle: waiting === 0 && isOpen && this.#tokens.isIdle(nowMs),
      mode: this.#tokens.mode,
      leased: this.#tokens.leased / 1e6,
      processes: this.#tokens.processes,
      calls: this.#tokens.calls,
    };
  }

  resume(): void {
    this.#gates.resume();
    this.#tokens.resume(this.#time.now());
  }

  idle(): Promise<void> {
    return noOneWaits(this.#room, this.#gates);
  }

  /** Whether the bucket drains, and this asker is one of those who waited when it was closed. */
  #isLetIn(earlier: Grant | undefined): boolean {
    return this.#closed === 'drain' && earlier !== undefined;
  }

  async close(options?: CloseOptions): Promise<void> {
    const waiting = waitingAtClose(options);
    if (this.#closed === undefined || waiting === 'reject') {
      this.#closed = waiting;
      this.#gates.close({ waiting });
      if (waiting === 'reject') this.#room.dismiss('closed', CLOSED);
    }
    if (this.#closed === 'drain') await this.idle();
    const givenBack = this.#tokens.close();
    await this.idle();
    await givenBack;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #checkCost(caller: string, cost: number): void {
    const { capacity } = this.#setup;
    if (cost > 0 && cost <= capacity && typeof cost === 'number') return;
    const takes = `a number above 0 and at most the capacity, ${capacity},`;
    throw (typeof cost === 'number' ? check.wrongRange : check.wrongType)(`${caller}: cost`, takes, cost);
  }

  #grant(cost: number, waitedMs: number, nowMs: number): Grant {
    const { held, isBeyond } = this.#tokens;
    this.#granted += 1;
    if (isBeyond) {
      this.#marked += 1;
      return this.#markedGrant(cost, nowMs, waitedMs);
    }
    return new LeasedGrant(cost, waitedMs, this.#time.startMs + nowMs, held, this);
  }

  #markedGrant(cost: number, nowMs: number, waitedMs = 0): Grant {
    return new LeasedGrant(cost, waitedMs, this.#time.startMs + nowMs, undefined, undefined);
  }

  #mark(cost: number, nowMs: number, waitedMs = 0): Grant {
    this.#granted += 1;
    this.#marked += 1;
    return this.#markedGrant(cost, nowMs, waitedMs);
  }

  evenOut(surplus: number, held: string | undefined): void {
    this.#tokens.settle(Math.trunc(surplus * 1e6), held, this.#time.now());
    this.#drain();
  }

  /** Lets everybody go whose tokens are there, and sends those away who shall not wait for them. */
  #drain(): void {
    const nowMs = this.#time.now();
    const { nonConforming } = this.#setup;
    this.#room.serve(nowMs, (first) => {
      const waitedMs = Math.max(0, nowMs - first.sinceMs);
      const { line } = this.#room;
      if (this.#tokens.take(micro(first.cost), nowMs)) {
        line.shift();
        first.resolve(this.#grant(first.cost, waitedMs, nowMs));
        return true;
      }
      const { unavailable } = this.#tokens;
      if (unavailable !== undefined) {
        line.shift();
        this.#room.turnAway(first, 'unavailable', unavailable, this.#tokens.lostBy);
        return true;
      }
      if (nonConforming === 'delay') return this.#isHopeless(first, nowMs);
      if (!this.#lacks(first.cost, nowMs)) return false;
      line.shift();
      if (nonConforming === 'mark') first.resolve(this.#mark(first.cost, nowMs, waitedMs));
      else first.resolve(Promise.reject(this.#notConforming(first.cost, nowMs)));
      return true;
    });
    this.#arm(nowMs);
  }

  /** Turns the first away if its tokens come too late, by the store's last reply, so that no one waits behind it. */
  #isHopeless(first: Waiter<Grant>, nowMs: number): boolean {
    const amount = micro(first.cost);
    if (!this.#tokens.isTooLate(amount, deadlineOf(first), nowMs)) return false;
    this.#room.line.shift();
    const waitMs = this.#tokens.waitMs(amount, nowMs);
    this.#tokens.doubt(waitMs, nowMs);
    first.resolve(
      Promise.reject(this.#room.refusal('wait-too-long', 'its turn does not come in time', waitMs)),
    );
    return true;
  }

  #arm(nowMs: number): void {
    this.#room.arm(nowMs, this.#tokens.seek(nowMs));
  }
}

/** A pause must fit into the times that the store can tell exactly. Three years. */
const LONGEST_PAUSE_MS = 1e11;

/**
 * A token bucket that lies in Valkey or Redis, shared by all processes that name the same key: in any window of
 * time at most `capacity + rate · window` tokens are leased to them all together.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { valkeyBucket } from '@ebb/valkey';
 * import { Redis } from 'iovalkey';
 *
 * // 500 requests per second for all processes together.
 * const client = new Redis('redis://localhost:6379');
 * const bucket = valkeyBucket({ client, key: 'api.example.com', refillPerSecond: 500 });
 * const fetch = createFetch({ bucket });
 * ```
 */
export function valkeyBucket(options: ValkeyBucketOptions): ValkeyBucket {
  return new FleetBucket(fleetSetup(options));
}
