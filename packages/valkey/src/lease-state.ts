import type { Quota } from '@ebb/core/bucket';
import { type Backlog, isMore } from './backlog.ts';
import { BucketView } from './bucket-view.ts';
import type { Reply } from './known-state.ts';
import { LeaseSize } from './lease-size.ts';
import { LossDetector } from './loss-detector.ts';
import { Membership } from './membership.ts';
import { adoptLimits, type FleetSetup } from './options.ts';
import type { Outage } from './outage.ts';
import { FleetPause } from './pause.ts';
import { PendingCalls } from './pending-calls.ts';
import { LeasePool } from './pool.ts';
import { Refunds } from './refunds.ts';
import type { Turn } from './step.ts';
import type { Amounts, LeaseMark, StoreCall, TokenLeaseCall } from './store-call.ts';
import { isAnyLow, leasedMs, takeLeased, type UnitLease } from './unit-lease.ts';

/** While requests wait for tokens that no one has leased yet, the store is asked for a pause at least this often. */
const FRESH_MS = 1_000;
const LEAST_FRESH_MS = 100;

/**
 * The least time between two looks while no tokens are given back: in a fleet with shorter turns, each call for tokens is look enough. In
 * milliseconds.
 */
const STILL_MS = 4_000;

/**
 * When the last reply about the bucket is out of date. While requests elsewhere leave the queue, a waiting request
 * learns of an earlier turn after half of its wait, and of a pause within a second; else not before 4 s.
 */
function staleAfterMs(calledAtMs: number, dueMs: number, isMoving: boolean): number {
  const waitMs = dueMs - calledAtMs;
  if (isMoving || waitMs === Number.POSITIVE_INFINITY) {
    return calledAtMs + Math.min(FRESH_MS, Math.max(waitMs / 2, LEAST_FRESH_MS));
  }
  return calledAtMs + Math.max(STILL_MS, waitMs / 2);
}

/** A refusal of the store: `amounts` of tokens cannot come before `byMs`, and asking again is useless before `untilMs`. */
interface Refusal {
  readonly amounts: Amounts;
  readonly byMs: number;
  readonly untilMs: number;
}

/** No refusal stands. */
export const NOT_REFUSED: Refusal = { amounts: [], byMs: 0, untilMs: Number.NEGATIVE_INFINITY };

/**
 * The leases, refunds, pause and share of one process in the bucket of its fleet. Amounts are millionths of a token of each unit.
 */
export class LeaseState {
  readonly units: readonly UnitLease[];
  readonly pause: FleetPause = new FleetPause();
  readonly view: BucketView;
  readonly refunds: Refunds;
  /** `undefined` while the store can be called. */
  outage: Outage | undefined;
  isClosed = false;
  /** How often the store was called. */
  calls = 0;
  protected readonly setup: FleetSetup;
  readonly membership: Membership;
  protected readonly losses: LossDetector;
  protected readonly unanswered: PendingCalls = new PendingCalls();
  /** The lease that was asked for. */
  protected asked: TokenLeaseCall | undefined;
  protected refusal: Refusal = NOT_REFUSED;
  protected calledAtMs: number = Number.NEGATIVE_INFINITY;
  /** The largest cost of a request that left without tokens since the last step. */
  protected missedCost: Amounts | undefined;
  /** Tokens were taken, and few are left. */
  protected isLow = false;
  /** Something depends on how the bucket stands now. */
  protected mustLook = false;
  /** Requests that wait may get their tokens, or be refused. */
  protected mayServe = false;
  /** The calls to send with this step. */
  protected due: StoreCall[] = [];
  /** The events to report with this step. */
  protected turns: Turn[] = [];
  /** Other limits hold since the last step. */
  protected isLimited = false;

  constructor(setup: FleetSetup, nowMs: number) {
    this.setup = setup;
    const { limits } = setup;
    this.view = new BucketView(limits.length);
    this.refunds = new Refunds(limits.length);
    this.units = limits.map((_, unit) => {
      const limit = (): Quota => limits[unit] as Quota;
      return { pool: new LeasePool(limit), size: new LeaseSize(setup, limit, this.view, nowMs) };
    });
    this.losses = new LossDetector(setup);
    this.membership = new Membership(setup.processes.expected);
  }

  /** True if no pause and no end keeps requests from their tokens. */
  isOpen(nowMs: number): boolean {
    return nowMs >= this.pause.untilMs && !this.isClosed;
  }

  /** True while a call is under way, or about to be made, after which the bucket may stand otherwise. */
  get isBusy(): boolean {
    const isAsking = this.asked !== undefined || this.missedCost !== undefined || this.isLow;
    return isAsking || this.refunds.busy || this.outage !== undefined;
  }

  /** After the end: true while something is given back, charged or told that has no answer yet. */
  get isSettling(): boolean {
    const isSaying = this.pause.busy || this.membership.isLeaving;
    return this.asked !== undefined || this.refunds.busy || isSaying;
  }

  /** Whether nothing is leased. */
  get isEmpty(): boolean {
    return this.units.every(({ pool }) => pool.left === 0);
  }

  /** Takes tokens of all units out of the leases if they are available. */
  take(amounts: Amounts, nowMs: number): boolean {
    if (!takeLeased(this.units, amounts, nowMs)) return false;
    this.isLow ||= isAnyLow(this.units, amounts);
    return true;
  }

  /** Whether a step should follow on {@link take}. */
  get isShort(): boolean {
    return this.isLow && this.asked === undefined;
  }

  /** A request found no tokens: leases some for the next one. */
  missed(amounts: Amounts): void {
    const before = this.missedCost;
    this.missedCost = amounts.map((amount, unit) => Math.max(amount, before?.[unit] ?? 0));
  }

  /**
   * Something depends on when tokens come, which are known to come in `waitMs`. Others may have left the queue or ended the
   * pause, and while no request waits here nothing else would find out.
   */
  look(waitMs: number, nowMs: number): void {
    this.mustLook ||= nowMs >= staleAfterMs(this.calledAtMs, nowMs + waitMs, true);
  }

  /** Whether the store has said that as many more tokens come after `byMs`. */
  isTooLate(lacking: Amounts, byMs: number, nowMs: number): boolean {
    const { amounts, byMs: refusedByMs, untilMs } = this.refusal;
    return nowMs < untilMs && !isMore(amounts, lacking) && byMs <= refusedByMs;
  }

  giveBack(unit: number, amount: number, held: LeaseMark, dueMs: number): void {
    this.units[unit]?.size.returned(amount);
    this.refunds.add(unit, amount, held, dueMs);
  }

  /** Corrects the taken amounts: by a surplus, or by a debt below 0. */
  settle(surplus: Amounts, held: readonly (LeaseMark | undefined)[], nowMs: number): void {
    const { outage } = this;
    for (const [unit, amount] of surplus.entries()) {
      const mark = held[unit];
      if (amount > 0 && mark !== undefined) this.giveBack(unit, amount, mark, nowMs + this.setup.aheadMs);
      else if (amount < 0 && outage?.mode === 'local') outage.local[unit]?.charge(-amount, nowMs);
      else if (amount < 0) this.refunds.owe(unit, -amount, nowMs + this.setup.aheadMs);
    }
  }

  /** After a short delay, so that one call gives back for many requests. */
  protected giveAllBack(nowMs: number): void {
    for (const [unit, { pool }] of this.units.entries()) {
      for (const { left, mark } of pool.clear()) this.giveBack(unit, left, mark, nowMs + this.setup.aheadMs);
    }
  }

  beginPause(untilMs: number, nowMs: number): void {
    const before = this.pause.untilMs;
    this.pause.begin(untilMs);
    this.pauseMoved(before, nowMs);
  }

  endPause(nowMs: number): void {
    const before = this.pause.untilMs;
    this.pause.end(nowMs);
    this.pauseMoved(before, nowMs);
  }

  /** @param before when the pause ended so far */
  protected pauseMoved(before: number, nowMs: number): void {
    const { untilMs } = this.pause;
    if (untilMs > before) {
      for (const local of this.outage?.local ?? []) local.pause(untilMs);
      this.giveAllBack(nowMs);
    } else if (untilMs < before) {
      for (const local of this.outage?.local ?? []) local.resume(before - untilMs);
      this.mayServe = true;
    }
  }

  /** Goes on from the kept state of the bucket. */
  wake(reply: Reply, nowMs: number): void {
    this.observe(reply, nowMs);
    this.mayServe = false;
  }

  /** The part of the quota for this process without the store at a given time. */
  protected shareAt(nowMs: number): number {
    return this.setup.shared?.share() ?? this.membership.shareAt(nowMs);
  }

  /** Takes in a reply about the bucket. Returns an error if the reply must be treated as missing; `undefined` if the reply counts. */
  protected observe(reply: Reply, nowMs: number): Error | undefined {
    const { view, refusal, pause } = this;
    if (Math.abs(reply.steppedMs) > 1) this.turns.push({ type: 'step', byMs: reply.steppedMs });
    if (reply.limits !== undefined && adoptLimits(this.setup, reply.limits)) this.isLimited = true;
    const isNew = view.observe(reply, nowMs);
    view.processes = Math.max(1, this.setup.shared?.processes() ?? view.processes);
    if (isNew) {
      // Other requests have left the queue, so its tokens come in time after all.
      const comesMs = refusal.amounts.map(
        (amount, unit) =>
          (view.emptyAtMs[unit] as number) +
          amount / ((this.setup.limits[unit] as Quota).refillPerSecond * 1_000),
      );
      if (Math.max(...comesMs) <= refusal.byMs) this.refusal = NOT_REFUSED;
      for (const [unit, { pool }] of this.units.entries()) {
        if (pool.moveEarlier(view.emptyAtMs[unit] as number)) this.mayServe = true;
      }
    }
    const pausedUntilMs = pause.untilMs;
    pause.observe(reply, nowMs);
    this.pauseMoved(pausedUntilMs, nowMs);
    return this.losses.record(reply.lostBucket, nowMs);
  }

  /** Gives back expired tokens, and tokens beyond the need of the queue. */
  protected tidy({ totalCost, count }: Backlog, nowMs: number): void {
    const { aheadMs, idleMs } = this.setup;
    for (const [unit, { pool, size }] of this.units.entries()) {
      // Expired tokens stay if the rest of what the first request needs is on its way.
      if (count === 0 || this.asked === undefined) {
        if (count === 0) pool.shortenExpiry(idleMs, nowMs);
        for (const { left, mark } of pool.expire(nowMs)) this.giveBack(unit, left, mark, nowMs + aheadMs);
      }
      // Each cost is rounded up by itself, so their sum may exceed `totalCost` by less than `count`.
      const needed = (totalCost[unit] as number) + count + size.onTheWay;
      for (const { left, mark } of pool.trim(needed, nowMs + aheadMs + size.farMs))
        this.giveBack(unit, left, mark, nowMs);
    }
  }

  /** Whether a request waits and the store was last asked too long ago. */
  protected isStale(backlog: Backlog, nowMs: number): boolean {
    return backlog.count > 0 && this.asked === undefined && nowMs >= this.staleAtMs(backlog, nowMs);
  }

  protected staleAtMs({ firstCost }: Backlog, nowMs: number): number {
    const dueMs = nowMs + (leasedMs(this.units, firstCost, nowMs) ?? Number.POSITIVE_INFINITY);
    return staleAfterMs(this.calledAtMs, dueMs, this.view.isMoving(nowMs));
  }
}
