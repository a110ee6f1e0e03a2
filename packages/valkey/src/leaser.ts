import type { SteadyTime } from '@ebb/core/bucket';
import { type Backlog, EMPTY_BACKLOG } from './backlog.ts';
import { LeasePlan } from './lease-plan.ts';
import type { FleetSetup } from './options.ts';
import { LeasePool } from './pool.ts';
import type { Reply, StoreCall, TokenLeaseCall } from './store-call.ts';

interface Hooks {
  readonly backlog: () => Backlog;
  readonly call: (call: StoreCall) => Promise<Reply>;
  /** Whether the store may be called now. */
  readonly mayLease: (nowMs: number) => boolean;
  /** A call ended, with or without a lease. */
  readonly onCallEnd: (nowMs: number) => void;
  /** How many processes share the bucket, at least 1. */
  readonly processes: () => number;
}

/** Leases tokens from the store, with at most one call in flight. Amounts are millionths of a token. */
export class Leaser {
  readonly pool: LeasePool;
  readonly plan: LeasePlan;
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #hooks: Hooks;
  /** The call in flight. */
  leasing: Promise<void> | undefined;
  /** A call will be made at the end of this turn of the event loop. */
  #leasingSoon = false;
  /** The largest cost of a request that left without tokens since the last call. */
  #missed = 0;

  constructor(setup: FleetSetup, time: SteadyTime, hooks: Hooks) {
    this.#setup = setup;
    this.#time = time;
    this.#hooks = hooks;
    this.pool = new LeasePool(setup.refillPerSecond * 1_000);
    this.plan = new LeasePlan(setup, hooks.processes, time.now());
  }

  /** Whether a call is in flight or about to be made. */
  get isLeasing(): boolean {
    return this.#leasingSoon || this.leasing !== undefined;
  }

  /** Takes tokens out of the pool if they are available, and refills the pool before it is empty. */
  take(amount: number, nowMs: number): boolean {
    if (!this.pool.take(amount, nowMs)) return false;
    if (this.plan.isLow(this.pool.left)) this.leaseSoon();
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
    const waiting = this.#hooks.backlog();
    const missed = { ...EMPTY_BACKLOG, firstCost: this.#missed, totalCost: this.#missed };
    this.#missed = 0;
    if (!this.#hooks.mayLease(nowMs)) return;
    const call = this.plan.callFor(waiting.firstCost > 0 ? waiting : missed, this.pool.left, nowMs);
    if (call === undefined) return;
    this.leasing = this.#hooks.call(call).then(
      (reply) => {
        this.leasing = undefined;
        this.#receive(reply, call, nowMs);
      },
      () => {
        this.leasing = undefined;
        this.#hooks.onCallEnd(this.#time.now());
      },
    );
  }

  #receive(reply: Reply, call: TokenLeaseCall, sentAtMs: number): void {
    const nowMs = this.#time.now();
    this.plan.answered(nowMs - sentAtMs, reply, this.pool.left < this.#hooks.backlog().firstCost);
    if (reply.granted > 0) this.#addLease(reply, nowMs);
    else if (!reply.tooLate) this.plan.refused(call, sentAtMs, reply, nowMs);
    this.#hooks.onCallEnd(nowMs);
  }

  #addLease(reply: Reply, nowMs: number): void {
    const { idleMs, graceMs } = this.#setup;
    const availableAtMs = nowMs + reply.emptyInMs;
    const waiting = this.#hooks.backlog().firstCost > 0;
    const expiresAtMs = Math.max(nowMs, availableAtMs) + (waiting ? graceMs : idleMs);
    this.plan.granted(reply);
    this.pool.add({ left: reply.granted, availableAtMs, expiresAtMs, state: reply.state }, waiting);
  }
}
