import { type SteadyTime, Timer, type WaitingQueue } from '@ebb/core/bucket';
import { type Backlog, backlogOf, micro } from './backlog.ts';
import { Leaser } from './leaser.ts';
import type { FleetSetup } from './options.ts';
import type { LeasePool } from './pool.ts';
import { Presence } from './presence.ts';
import { Refunds } from './refunds.ts';
import type { StoreCall } from './store-call.ts';
import { StoreLink } from './store-link.ts';

/** While requests wait for tokens that no one has leased yet, the store is asked for a pause at least this often. */
const FRESH_MS = 1_000;
const LEAST_FRESH_MS = 100;

/**
 * When what is known of the bucket is out of date. A request that waits learns of a pause within a second, or at the
 * latest in the last second before its tokens come. While requests elsewhere leave the queue, it learns after half of its
 * wait that it can move up; else after three quarters.
 */
export function staleAfterMs(calledAtMs: number, dueMs: number, isMoving: boolean): number {
  const waitMs = dueMs - calledAtMs;
  if (isMoving || waitMs === Number.POSITIVE_INFINITY) {
    return calledAtMs + Math.min(FRESH_MS, Math.max(waitMs / 2, LEAST_FRESH_MS));
  }
  return calledAtMs + Math.max(FRESH_MS, (waitMs * 3) / 4);
}

/**
 * What one process holds of a fleet's bucket, and what keeps it in order: leases that expire, tokens that go back, a timer for what is due
 * next. Millionths of a token.
 */
export abstract class FleetUpkeep {
  protected readonly setup: FleetSetup;
  protected readonly time: SteadyTime;
  protected readonly link: StoreLink;
  protected readonly leaser: Leaser;
  protected readonly pool: LeasePool;
  protected readonly refunds: Refunds;
  protected readonly timer: Timer;
  protected readonly presence: Presence;
  protected readonly perMs: number;
  protected readonly full: number;
  protected readonly backlog: () => Backlog;
  protected readonly onChange: () => void;

  /** @param onChange called when tokens may have come in, or will not come any more */
  constructor(setup: FleetSetup, time: SteadyTime, queue: WaitingQueue, onChange: () => void) {
    const backlog = (): Backlog => backlogOf(queue);
    this.setup = setup;
    this.time = time;
    this.backlog = backlog;
    this.onChange = onChange;
    this.perMs = setup.refillPerSecond * 1_000;
    this.full = micro(setup.capacity);
    const changed = (nowMs: number): void => {
      this.lookAfter(nowMs);
      this.onChange();
    };
    this.link = new StoreLink(setup, time, {
      deadlineMs: () => this.backlog().firstDeadlineMs,
      onPause: () => this.giveAllBack(),
      onState: (emptyAtMs) => {
        this.leaser.plan.observe(emptyAtMs);
        if (this.pool.moveEarlier(emptyAtMs)) this.onChange();
      },
      onChange: () => changed(time.now()),
      onLateLease: ({ granted, state }, nowMs) => this.refunds.add(granted, state, nowMs),
      onDebt: (amount) => this.refunds.owe(amount),
    });
    this.presence = new Presence(
      time,
      () => this.link.processes,
      (sinceMs) => this.showUp(sinceMs),
    );
    const call = (call: StoreCall) => {
      this.presence.used(time.now());
      return this.link.call(call);
    };
    this.leaser = new Leaser(setup, time, {
      backlog,
      call,
      mayLease: (nowMs) => this.isOpen(nowMs) && this.link.outage === undefined,
      onCallEnd: (nowMs) => {
        // The tokens came after the bucket was closed, or are from before a pause.
        if (!this.isOpen(nowMs)) this.giveAllBack();
        changed(nowMs);
      },
      processes: () => Math.max(1, this.link.processes),
    });
    this.pool = this.leaser.pool;
    this.refunds = new Refunds(call);
    this.timer = new Timer(time, () => {
      const nowMs = time.now();
      if (this.isStale(nowMs)) this.peek();
      changed(nowMs);
    });
  }

  protected isOpen(nowMs: number): boolean {
    return nowMs >= this.link.pause.untilMs && !this.link.isClosed;
  }

  protected peek(): void {
    this.link.call({ mode: 'peek' }).catch(() => {});
  }

  /** Lets the store count this process, unless a call has done so since. */
  protected showUp(sinceMs: number): void {
    const { outage, calledAtMs, isClosed, processes } = this.link;
    if (outage === undefined && !isClosed && processes > 0 && calledAtMs <= sinceMs) this.peek();
  }

  /** By default after a short delay, so that one call gives back for many requests. */
  protected giveBack(
    amount: number,
    held: string,
    dueMs: number = this.time.now() + this.setup.aheadMs,
  ): void {
    this.leaser.plan.returned(amount);
    this.refunds.add(amount, held, dueMs);
  }

  protected giveAllBack(): void {
    for (const { left, state } of this.pool.clear()) this.giveBack(left, state);
  }

  /** Gives back expired tokens, unless the rest of what the first request needs is on its way. */
  protected expire(first: number, nowMs: number): void {
    if (first > 0 && this.leaser.isLeasing) return;
    if (first === 0) this.pool.shortenExpiry(this.setup.idleMs, nowMs);
    for (const { left, state } of this.pool.expire(nowMs)) this.giveBack(left, state);
  }

  /** Does what is due, and sets the timer for what is due next. */
  protected lookAfter(nowMs: number): void {
    if (this.link.isClosed) return;
    const wasLost = this.link.outage !== undefined;
    const { firstCost, totalCost, count } = this.backlog();
    this.expire(firstCost, nowMs);
    // Each cost is rounded up by itself, so their sum may exceed `totalCost` by less than `count`.
    const { onTheWay, farMs } = this.leaser.plan;
    const soonMs = nowMs + this.setup.aheadMs + farMs;
    for (const { left, state } of this.pool.trim(totalCost + count + onTheWay, soonMs))
      this.giveBack(left, state, nowMs);
    this.link.check(nowMs);
    if (this.link.outage === undefined) {
      if (wasLost) this.leaser.plan.forgetRefusal();
      this.refunds.flush(nowMs);
    }
    this.timer.set(this.nextMs(nowMs));
  }

  /** Whether a request waits and the store was last asked too long ago. */
  protected isStale(nowMs: number): boolean {
    const { outage, calledAtMs } = this.link;
    const isKnown = outage !== undefined || this.leaser.isLeasing || this.backlog().firstCost === 0;
    return !isKnown && nowMs >= calledAtMs && nowMs >= this.staleAtMs(nowMs);
  }

  protected staleAtMs(nowMs: number): number {
    const { firstCost } = this.backlog();
    const dueMs = nowMs + (this.pool.waitMs(firstCost, nowMs) ?? Number.POSITIVE_INFINITY);
    return staleAfterMs(this.link.calledAtMs, dueMs, this.link.isMoving(nowMs));
  }

  protected nextMs(nowMs: number): number {
    const waiting = this.backlog().firstCost > 0;
    const keeps = waiting && this.leaser.isLeasing;
    const endMs = keeps ? Number.POSITIVE_INFINITY : this.pool.nextExpiryMs;
    if (this.link.outage !== undefined) return Math.min(endMs, this.link.nextCheckMs(waiting, nowMs));
    const nextMs = Math.min(endMs, this.refunds.dueMs);
    if (!waiting) return nextMs;
    // The lease that is about to be made may turn out not to be needed.
    const staleMs = this.leaser.isLeasing ? nowMs + FRESH_MS : this.staleAtMs(nowMs);
    return Math.min(nextMs, staleMs, this.leaser.plan.retryAtMs(nowMs));
  }

  /** Gives everything back. Never rejects, and ends within the store's time limit. */
  async close(): Promise<void> {
    if (!this.link.isClosed) {
      this.link.close();
      this.presence.close();
      this.timer.set(Number.POSITIVE_INFINITY);
    }
    await this.leaser.leasing;
    await this.link.pause.settled();
    this.giveAllBack();
    if (this.link.outage === undefined) this.refunds.flush(Number.POSITIVE_INFINITY);
    await this.refunds.settled();
  }
}
