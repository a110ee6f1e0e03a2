import type { SteadyTime } from '@ebb/core/bucket';
import { type Backlog, EMPTY_BACKLOG } from './backlog.ts';
import { LeaseSize } from './lease-size.ts';
import type { FleetSetup } from './options.ts';
import { LeasePool } from './pool.ts';
import { Refusal } from './refusal.ts';
import { SpendRate } from './spend-rate.ts';
import type { Reply, StoreCall, TokenLeaseCall } from './store-call.ts';

const ONE_TOKEN = 1e6;

/**
 * Leases tokens from the store: decides when to call, and for how many. At most one call is in flight. Amounts are
 * millionths of a token.
 */
export class Leaser {
  readonly pool: LeasePool;
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #spendRate: SpendRate;
  readonly #leaseSize: LeaseSize;
  readonly #refusal: Refusal;
  readonly #backlog: () => Backlog;
  readonly #call: (call: StoreCall) => Promise<Reply>;
  readonly #mayLease: (nowMs: number) => boolean;
  readonly #onCallEnd: (nowMs: number) => void;
  /** The call in flight. */
  leasing: Promise<void> | undefined;
  /** A call will be made at the end of this turn of the event loop. */
  #leasingSoon = false;
  /** The largest cost of a request that left without tokens since the last call. */
  #missed = 0;
  /** If no request waits and the pool holds less than this, it is refilled; below 0 while the store has none to spare. */
  #lowWater = 0;
  /** What was leased and not returned, and how much of it `#spendRate` has counted as spent. */
  #leased = 0;
  #recordedSpend = 0;

  constructor(
    setup: FleetSetup,
    time: SteadyTime,
    hooks: {
      backlog: () => Backlog;
      call: (call: StoreCall) => Promise<Reply>;
      /** Whether the store may be called now. */
      mayLease: (nowMs: number) => boolean;
      /** A call ended, with or without a lease. */
      onCallEnd: (nowMs: number) => void;
      /** How many processes share the bucket, at least 1. */
      processes: () => number;
    },
  ) {
    const { refillPerSecond, aheadMs } = setup;
    const refillPerMs = refillPerSecond * 1_000;
    this.#setup = setup;
    this.#time = time;
    this.pool = new LeasePool(refillPerMs);
    this.#refusal = new Refusal(refillPerMs);
    this.#spendRate = new SpendRate(aheadMs, time.now());
    this.#leaseSize = new LeaseSize(setup, hooks.processes);
    this.#backlog = hooks.backlog;
    this.#call = hooks.call;
    this.#mayLease = hooks.mayLease;
    this.#onCallEnd = hooks.onCallEnd;
  }

  /** Whether a call is in flight or about to be made. */
  get isLeasing(): boolean {
    return this.#leasingSoon || this.leasing !== undefined;
  }

  /** Takes tokens out of the pool if they are available, and refills the pool before it is empty. */
  take(amount: number, nowMs: number): boolean {
    if (!this.pool.take(amount, nowMs)) return false;
    if (this.pool.left < this.#lowWater) this.leaseSoon();
    return true;
  }

  /** A request left without tokens: leases some for the next. */
  missed(amount: number): void {
    this.#missed = Math.max(this.#missed, amount);
    this.leaseSoon();
  }

  /** Calls the store at the end of this turn, so that one call serves all requests of the turn. */
  leaseSoon(): void {
    if (this.isLeasing) return;
    this.#leasingSoon = true;
    queueMicrotask(() => {
      this.#leasingSoon = false;
      this.#lease(this.#time.now());
    });
  }

  #lease(nowMs: number): void {
    const backlog = this.#backlog();
    const missed = this.#missed;
    this.#missed = 0;
    if (!this.#mayLease(nowMs)) return;
    const call = this.#callFor(
      backlog.firstCost > 0 ? backlog : { ...EMPTY_BACKLOG, firstCost: missed, totalCost: missed },
      nowMs,
    );
    if (call === undefined) return;
    this.leasing = this.#call(call).then(
      (reply) => {
        this.leasing = undefined;
        this.#receive(reply, call, nowMs);
      },
      () => {
        this.leasing = undefined;
        this.#onCallEnd(this.#time.now());
      },
    );
  }

  /** The call to make; `undefined` if the pool holds enough or the store would refuse. */
  #callFor(backlog: Backlog, nowMs: number): TokenLeaseCall | undefined {
    const { firstCost, firstDeadlineMs, totalCost } = backlog;
    const { left } = this.pool;
    const lacking = firstCost - left;
    if (lacking <= 0 && left >= this.#enoughFor(totalCost)) return undefined;
    const { capacity, nonConforming } = this.#setup;
    const minAmount = Math.ceil(lacking > 0 ? lacking : Math.min(ONE_TOKEN, capacity * 1e6));
    // Only requests that wait can use future tokens.
    const byMs = nonConforming === 'delay' ? firstDeadlineMs : nowMs;
    if (this.#refusal.covers(minAmount, byMs, nowMs)) return undefined;
    const spent = this.#leased - left;
    this.#spendRate.record(spent - this.#recordedSpend, nowMs);
    this.#recordedSpend = spent;
    const maxAvailable = Math.max(minAmount, Math.ceil(totalCost + this.#expectedSpend - left));
    const future = nonConforming === 'delay' ? this.#futureFor(backlog, left) : 0;
    const maxFuture = Math.max(minAmount, Math.ceil(future));
    return { mode: 'lease', minAmount, maxAvailable, maxFuture, withinMs: byMs - nowMs };
  }

  /** How many future tokens to lease. */
  #futureFor(backlog: Backlog, left: number): number {
    if (backlog.count > 0) return this.#leaseSize.forQueue(backlog, left);
    return Math.min(this.#expectedSpend, this.#leaseSize.fairShare(this.#setup.aheadMs));
  }

  /** With as many tokens in the pool no call is needed. */
  #enoughFor(totalCost: number): number {
    return totalCost === 0 ? this.#lowWater : this.#leaseSize.enoughFor(totalCost);
  }

  /** What this process is expected to spend within `aheadMs`. */
  get #expectedSpend(): number {
    return this.#spendRate.perMs * this.#setup.aheadMs;
  }

  #receive(reply: Reply, call: TokenLeaseCall, sentAtMs: number): void {
    const nowMs = this.#time.now();
    if (reply.granted > 0) this.#addLease(reply, nowMs);
    else if (!reply.tooLate) {
      this.#refusal.set(call.minAmount, sentAtMs + call.withinMs, nowMs + reply.waitMs);
      this.#lowWater = -1;
    }
    this.#onCallEnd(nowMs);
  }

  #addLease({ granted, emptyInMs, state, averageLease }: Reply, nowMs: number): void {
    const { aheadMs, graceMs } = this.#setup;
    const availableAtMs = nowMs + emptyInMs;
    const waiting = this.#backlog().firstCost > 0;
    const expiresAtMs = Math.max(nowMs, availableAtMs) + (waiting ? graceMs : aheadMs);
    this.#leased += granted;
    this.#leaseSize.record(granted, averageLease);
    this.pool.add({ left: granted, availableAtMs, expiresAtMs, state }, waiting);
    // If requests anywhere wait for future tokens, none can be leased in advance.
    this.#lowWater = emptyInMs > aheadMs ? -1 : this.#expectedSpend / 4;
    this.#refusal.clear();
  }

  /** When to ask again for the waiting requests after a refusal; `Infinity` if none stands. */
  retryAtMs(nowMs: number): number {
    return this.#refusal.retryAtMs(nowMs);
  }

  /** Whether the store has said that as many tokens come after `byMs`. */
  isTooLate(amount: number, byMs: number, nowMs: number): boolean {
    return this.#refusal.covers(amount - this.pool.left, byMs, nowMs);
  }

  /** Leased tokens were returned to the store. */
  returned(amount: number): void {
    this.#leased -= amount;
  }

  /** The store replied: all tokens leased so far are available at `emptyAtMs`. */
  observe(emptyAtMs: number): void {
    this.#refusal.observe(emptyAtMs);
  }

  /** Called after an outage: earlier refusals say nothing about the store as it is now. */
  forgetRefusal(): void {
    this.#lowWater = 0;
    this.#refusal.clear();
  }
}
