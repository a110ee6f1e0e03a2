import type { SteadyTime, TokenSource, Unavailable, WaitingQueue } from '@ebb/core/bucket';
import { type Backlog, backlogOf, micro } from './backlog.ts';
import { Leaser } from './leaser.ts';
import type { FleetSetup } from './options.ts';
import type { Outage } from './outage.ts';
import type { LeasePool } from './pool.ts';
import { Refunds } from './refunds.ts';
import type { StoreCall } from './store-call.ts';
import { messageOf } from './store-error.ts';
import { StoreLink } from './store-link.ts';
import { Timer } from './timer.ts';

/** While requests wait, the store is asked for a pause at least this often. */
const FRESH_MS = 1_000;
const LEAST_FRESH_MS = 100;

/**
 * When what is known of the bucket is out of date. A request that waits long learns of a pause within a second, and
 * after half of its wait that others have left the queue.
 */
function staleAtMs(calledAtMs: number, dueMs: number): number {
  return calledAtMs + Math.min(FRESH_MS, Math.max((dueMs - calledAtMs) / 2, LEAST_FRESH_MS));
}

/** A pause must fit into the times that the store can tell exactly: three years. */
const LONGEST_PAUSE_MS = 1e11;

/**
 * The tokens of the fleet as one process sees them: those that it has leased, those that it can lease, and its share
 * while the store cannot be reached. Tokens outside, millionths of a token inside.
 */
export class FleetTokens implements TokenSource<string | undefined> {
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #link: StoreLink;
  readonly #leaser: Leaser;
  readonly #pool: LeasePool;
  readonly #refunds: Refunds;
  readonly #timer: Timer;
  readonly #perMs: number;
  readonly #full: number;
  readonly #backlog: () => Backlog;
  readonly #onChange: () => void;
  /** The state of the bucket when the last tokens taken were leased; `undefined` if they were not leased. */
  held: string | undefined;

  /** @param onChange called when tokens may have come in, or will not come any more */
  constructor(setup: FleetSetup, time: SteadyTime, queue: WaitingQueue, onChange: () => void) {
    const backlog = (): Backlog => backlogOf(queue);
    this.#setup = setup;
    this.#time = time;
    this.#backlog = backlog;
    this.#onChange = onChange;
    this.#perMs = setup.refillPerSecond * 1_000;
    this.#full = micro(setup.capacity);
    const changed = (nowMs: number): void => {
      this.#lookAfter(nowMs);
      this.#onChange();
    };
    this.#link = new StoreLink(setup, time, {
      deadlineMs: () => this.#backlog().firstDeadlineMs,
      onPause: () => this.#giveAllBack(),
      onState: (emptyAtMs) => {
        this.#leaser.plan.observe(emptyAtMs);
        if (this.#pool.moveEarlier(emptyAtMs)) this.#onChange();
      },
      onChange: () => changed(time.now()),
      onLateLease: ({ granted, state }, nowMs) => this.#refunds.add(granted, state, nowMs),
      onDebt: (amount) => this.#refunds.owe(amount),
    });
    const call = (call: StoreCall) => this.#link.call(call);
    this.#leaser = new Leaser(setup, time, {
      backlog,
      call,
      mayLease: (nowMs) => this.#isOpen(nowMs) && this.#link.outage === undefined,
      onCallEnd: (nowMs) => {
        // The tokens came after the bucket was closed, or are from before a pause.
        if (!this.#isOpen(nowMs)) this.#giveAllBack();
        changed(nowMs);
      },
      processes: () => Math.max(1, this.#link.processes),
    });
    this.#pool = this.#leaser.pool;
    this.#refunds = new Refunds(call);
    this.#timer = new Timer(time, (nowMs) => {
      if (this.#isStale(nowMs)) this.#peek();
      changed(nowMs);
    });
  }

  #isOpen(nowMs: number): boolean {
    return nowMs >= this.#link.pause.untilMs && !this.#link.isClosed;
  }

  get mode(): 'shared' | Outage['mode'] {
    return this.#link.outage?.mode ?? 'shared';
  }

  /** How many processes share the bucket; 0 until the store has said so. */
  get processes(): number {
    return this.#link.processes;
  }

  /** Calls to the store so far. */
  get calls(): number {
    return this.#link.calls;
  }

  /** Tokens that are leased and not spent. */
  get leased(): number {
    return this.#pool.left / 1e6;
  }

  get capacity(): number {
    return this.#setup.capacity;
  }

  get refillPerSecond(): number {
    return this.#setup.refillPerSecond;
  }

  /** In mode `'open'` everything is granted while the store cannot be reached. */
  get isBeyond(): boolean {
    return this.held === undefined && this.mode === 'open';
  }

  get unavailable(): Unavailable | undefined {
    if (this.#link.isClosed) return { message: 'the bucket was closed' };
    const { outage } = this.#link;
    if (outage?.mode !== 'closed') return undefined;
    const cause = outage.error;
    const why =
      this.#setup.onStoreError === 'closed'
        ? 'the store cannot be reached'
        : 'the store was never reached, so the share of this process is not known';
    return { message: `${why}: ${messageOf(cause)}`, cause };
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#link.pause.untilMs - nowMs);
  }

  tokens(nowMs: number): number {
    return this.#tokens(nowMs) / 1e6;
  }

  #tokens(nowMs: number): number {
    const { outage, emptyAtMs } = this.#link;
    if (outage?.mode === 'local') return this.#pool.left + outage.local.tokens(nowMs);
    return Math.min(this.#full, (nowMs - emptyAtMs) * this.#perMs + this.#pool.left);
  }

  isIdle(nowMs: number): boolean {
    const busy = this.#leaser.isLeasing || this.#refunds.busy || this.#link.outage !== undefined;
    return !busy && this.#pool.left === 0 && this.#tokens(nowMs) >= this.#full;
  }

  take(cost: number, nowMs: number): boolean {
    if (!this.#isOpen(nowMs)) return false;
    const amount = micro(cost);
    if (this.#leaser.take(amount, nowMs)) {
      this.held = this.#pool.lastUsed?.state;
      return true;
    }
    const { outage } = this.#link;
    if (outage === undefined) return false;
    this.held = undefined;
    const taken = outage.take(amount, nowMs);
    this.#lookAfter(nowMs);
    return taken;
  }

  missed(cost: number, nowMs: number): void {
    if (this.pausedMs(nowMs) > 0) this.refusedFor(this.pausedMs(nowMs), nowMs);
    else this.#leaser.missed(micro(cost));
  }

  /**
   * Asks the store how the bucket stands, unless that is known. Others may have left the queue or ended the pause, and
   * while no request waits here nothing else would find out.
   */
  refusedFor(waitMs: number, nowMs: number): void {
    const { outage, calledAtMs, isClosed } = this.#link;
    if (outage !== undefined || isClosed || this.#leaser.isLeasing) return;
    if (nowMs >= staleAtMs(calledAtMs, nowMs + waitMs)) this.#peek();
  }

  #peek(): void {
    this.#link.call({ mode: 'peek' }).catch(() => {});
  }

  isTooLate(cost: number, deadlineMs: number, nowMs: number): boolean {
    return (
      this.#link.outage === undefined &&
      this.#leaser.plan.isTooLate(micro(cost) - this.#pool.left, deadlineMs, nowMs)
    );
  }

  waitMs(cost: number, nowMs: number): number {
    const amount = micro(cost);
    const pausedMs = this.pausedMs(nowMs);
    const { outage, emptyAtMs } = this.#link;
    const lacking = amount - this.#pool.left;
    const leasedMs = this.#pool.waitMs(amount, nowMs);
    if (outage === undefined) {
      return Math.max(pausedMs, leasedMs ?? emptyAtMs + lacking / this.#perMs - nowMs, 0);
    }
    if (outage.mode !== 'local') return pausedMs;
    return Math.max(pausedMs, leasedMs ?? outage.local.waitMs(lacking, nowMs));
  }

  /** Leases tokens for the queue if there are none. */
  dueMs(firstCost: number, nowMs: number): number {
    const first = micro(firstCost);
    this.#expire(first, nowMs);
    const leasedMs = first === 0 ? undefined : this.#pool.waitMs(first, nowMs);
    if (first > 0 && leasedMs === undefined) this.#leaser.leaseSoon();
    this.#lookAfter(nowMs);
    if (first === 0) return Number.POSITIVE_INFINITY;
    const { outage } = this.#link;
    const pausedUntilMs = this.#link.pause.untilMs;
    if (nowMs < pausedUntilMs) return pausedUntilMs;
    if (leasedMs !== undefined) return nowMs + leasedMs;
    return outage?.mode === 'local'
      ? nowMs + outage.local.headWaitMs(first, nowMs)
      : Number.POSITIVE_INFINITY;
  }

  /** Tokens that were not leased cannot be given back to the store. */
  settle(surplusTokens: number, held: string | undefined, nowMs: number): void {
    const surplus = Math.trunc(surplusTokens * 1e6);
    const { outage } = this.#link;
    if (surplus > 0 && held !== undefined) this.#giveBack(surplus, held);
    else if (surplus < 0 && outage?.mode === 'local') outage.local.charge(-surplus, nowMs);
    else if (surplus < 0) this.#refunds.owe(-surplus);
    this.#lookAfter(nowMs);
  }

  pause(untilMs: number, nowMs: number): void {
    this.#link.pause.begin(Math.min(untilMs, nowMs + LONGEST_PAUSE_MS), nowMs);
    this.#lookAfter(nowMs);
  }

  resume(nowMs: number): void {
    this.#link.pause.end(nowMs);
  }

  /** By default after a short delay, so that one call gives back for many requests. */
  #giveBack(amount: number, held: string, dueMs: number = this.#time.now() + this.#setup.aheadMs): void {
    this.#leaser.plan.returned(amount);
    this.#refunds.add(amount, held, dueMs);
  }

  #giveAllBack(): void {
    for (const { left, state } of this.#pool.clear()) this.#giveBack(left, state);
  }

  /** Gives back expired tokens, unless the rest of what the first request needs is on its way. */
  #expire(first: number, nowMs: number): void {
    if (first > 0 && this.#leaser.isLeasing) return;
    if (first === 0) this.#pool.shortenExpiry(this.#setup.aheadMs, nowMs);
    for (const { left, state } of this.#pool.expire(nowMs)) this.#giveBack(left, state);
  }

  /** Does what is due, and sets the timer for what is due next. */
  #lookAfter(nowMs: number): void {
    if (this.#link.isClosed) return;
    const wasLost = this.#link.outage !== undefined;
    const { firstCost, totalCost, count } = this.#backlog();
    this.#expire(firstCost, nowMs);
    // Each cost is rounded up by itself, so their sum may exceed `totalCost` by less than `count`.
    const farMs = nowMs + this.#setup.aheadMs;
    for (const { left, state } of this.#pool.trim(totalCost + count, farMs))
      this.#giveBack(left, state, nowMs);
    this.#link.check(nowMs);
    if (this.#link.outage === undefined) {
      if (wasLost) this.#leaser.plan.forgetRefusal();
      this.#refunds.flush(nowMs);
    }
    this.#timer.set(this.#nextMs(nowMs));
  }

  /** Whether a request waits and the store was last asked too long ago. */
  #isStale(nowMs: number): boolean {
    const { outage, calledAtMs } = this.#link;
    const isKnown = outage !== undefined || this.#leaser.isLeasing || this.#backlog().firstCost === 0;
    return !isKnown && nowMs >= calledAtMs && nowMs >= this.#staleAtMs(nowMs);
  }

  #staleAtMs(nowMs: number): number {
    const { firstCost } = this.#backlog();
    const dueMs = nowMs + (this.#pool.waitMs(firstCost, nowMs) ?? Number.POSITIVE_INFINITY);
    return staleAtMs(this.#link.calledAtMs, dueMs);
  }

  #nextMs(nowMs: number): number {
    const waiting = this.#backlog().firstCost > 0;
    const keeps = waiting && this.#leaser.isLeasing;
    const endMs = keeps ? Number.POSITIVE_INFINITY : this.#pool.nextExpiryMs;
    if (this.#link.outage !== undefined) return Math.min(endMs, this.#link.nextCheckMs(waiting, nowMs));
    const nextMs = Math.min(endMs, this.#refunds.dueMs);
    if (!waiting) return nextMs;
    // The lease that is about to be made may turn out not to be needed.
    const staleMs = this.#leaser.isLeasing ? nowMs + FRESH_MS : this.#staleAtMs(nowMs);
    return Math.min(nextMs, staleMs, this.#leaser.plan.retryAtMs(nowMs));
  }

  /** Gives everything back. Never rejects, and ends within the store's time limit. */
  async close(): Promise<void> {
    if (!this.#link.isClosed) {
      this.#link.close();
      this.#timer.set(Number.POSITIVE_INFINITY);
    }
    await this.#leaser.leasing;
    await this.#link.pause.settled();
    this.#giveAllBack();
    if (this.#link.outage === undefined) this.#refunds.flush(Number.POSITIVE_INFINITY);
    await this.#refunds.settled();
  }
}
