import type { SteadyTime, TokenSource, Unavailable, WaitingQueue } from '@ebb/core/bucket';
import { micro } from './backlog.ts';
import { FleetDriver } from './fleet-driver.ts';
import type { Lease } from './lease.ts';
import type { FleetSetup } from './options.ts';
import type { Outage } from './outage.ts';
import { messageOf } from './store-error.ts';

/** A pause must fit into the times that the store can tell exactly: three years. */
const LONGEST_PAUSE_MS = 1e11;

/**
 * The tokens of the fleet as one process sees them: those that it has leased, those that it can lease, and its share
 * while the store cannot be reached. Tokens outside, millionths of a token inside.
 */
export class FleetTokens implements TokenSource<string | undefined> {
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** The state of the bucket when the last tokens taken were leased; `undefined` if they were not leased. */
  held: string | undefined;
  readonly #onStoreError: FleetSetup['onStoreError'];
  readonly #perMs: number;
  readonly #full: number;
  readonly #driver: FleetDriver;
  readonly #lease: Lease;

  /** @param onChange called when tokens may have come in, or will not come any more */
  constructor(setup: FleetSetup, time: SteadyTime, queue: WaitingQueue, onChange: () => void) {
    this.capacity = setup.capacity;
    this.refillPerSecond = setup.refillPerSecond;
    this.#onStoreError = setup.onStoreError;
    this.#perMs = setup.refillPerSecond * 1_000;
    this.#full = micro(setup.capacity);
    this.#driver = new FleetDriver(setup, time, queue, onChange);
    this.#lease = this.#driver.lease;
  }

  get mode(): 'shared' | Outage['mode'] {
    return this.#lease.outage?.mode ?? 'shared';
  }

  /** How many processes share the bucket; 0 until the store has said so. */
  get processes(): number {
    return this.#lease.view.processes;
  }

  /** Calls to the store so far. */
  get calls(): number {
    return this.#lease.calls;
  }

  /** Tokens that are leased and not spent. */
  get leased(): number {
    return this.#lease.pool.left / 1e6;
  }

  /** In mode `'open'` everything is granted while the store cannot be reached. */
  get isBeyond(): boolean {
    return this.held === undefined && this.mode === 'open';
  }

  get unavailable(): Unavailable | undefined {
    const { isClosed, outage } = this.#lease;
    if (isClosed) return { message: 'the bucket was closed' };
    if (outage?.mode !== 'closed') return undefined;
    const cause = outage.error;
    const why =
      this.#onStoreError === 'closed'
        ? 'the store cannot be reached'
        : 'the store was never reached, so the share of this process is not known';
    return { message: `${why}: ${messageOf(cause)}`, cause };
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#lease.pause.untilMs - nowMs);
  }

  tokens(nowMs: number): number {
    return this.#tokens(nowMs) / 1e6;
  }

  #tokens(nowMs: number): number {
    const { outage, pool, view } = this.#lease;
    if (outage?.mode === 'local') return pool.left + outage.local.tokens(nowMs);
    return Math.min(this.#full, (nowMs - view.emptyAtMs) * this.#perMs + pool.left);
  }

  isIdle(nowMs: number): boolean {
    return !this.#lease.isBusy && this.#lease.pool.left === 0 && this.#tokens(nowMs) >= this.#full;
  }

  take(cost: number, nowMs: number): boolean {
    const lease = this.#lease;
    if (!lease.isOpen(nowMs)) return false;
    const amount = micro(cost);
    if (lease.take(amount, nowMs)) {
      if (lease.isShort) this.#driver.soon();
      this.held = lease.pool.lastUsed?.state;
      return true;
    }
    if (lease.outage === undefined) return false;
    this.held = undefined;
    this.#driver.soon();
    return lease.outage.take(amount, nowMs);
  }

  missed(cost: number, nowMs: number): void {
    const pausedMs = this.pausedMs(nowMs);
    if (pausedMs > 0) this.#lease.look(pausedMs, nowMs);
    else this.#lease.missed(micro(cost));
    this.#driver.soon();
  }

  refusedFor(waitMs: number, nowMs: number): void {
    this.#lease.look(waitMs, nowMs);
    this.#driver.soon();
  }

  isTooLate(cost: number, deadlineMs: number, nowMs: number): boolean {
    const { outage, pool } = this.#lease;
    return outage === undefined && this.#lease.isTooLate(micro(cost) - pool.left, deadlineMs, nowMs);
  }

  waitMs(cost: number, nowMs: number): number {
    const { outage, pool, view } = this.#lease;
    const amount = micro(cost);
    const pausedMs = this.pausedMs(nowMs);
    if (outage !== undefined && outage.mode !== 'local') return pausedMs;
    const lacking = amount - pool.left;
    const leftMs =
      pool.waitMs(amount, nowMs) ??
      outage?.local.waitMs(lacking, nowMs) ??
      view.emptyAtMs + lacking / this.#perMs - nowMs;
    return Math.max(pausedMs, leftMs, 0);
  }

  /** Tokens for the queue are leased at the end of the turn if there are none. */
  dueMs(firstCost: number, nowMs: number): number {
    this.#driver.soon();
    if (firstCost === 0) return Number.POSITIVE_INFINITY;
    const { outage, pool, pause } = this.#lease;
    if (nowMs < pause.untilMs) return pause.untilMs;
    const first = micro(firstCost);
    const leasedMs = pool.waitMs(first, nowMs);
    if (leasedMs !== undefined) return nowMs + leasedMs;
    return outage?.mode === 'local'
      ? nowMs + outage.local.headWaitMs(first, nowMs)
      : Number.POSITIVE_INFINITY;
  }

  /** Tokens that were not leased cannot be given back to the store. */
  settle(surplusTokens: number, held: string | undefined, nowMs: number): void {
    this.#lease.settle(Math.trunc(surplusTokens * 1e6), held, nowMs);
    this.#driver.soon();
  }

  pause(untilMs: number, nowMs: number): void {
    this.#lease.beginPause(Math.min(untilMs, nowMs + LONGEST_PAUSE_MS), nowMs);
    this.#driver.soon();
  }

  resume(nowMs: number): void {
    this.#lease.endPause(nowMs);
    this.#driver.soon();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}
