import type { TokenSource, Unavailable } from '@ebb/core/bucket';
import { micro } from './backlog.ts';
import { FleetUpkeep, staleAfterMs } from './fleet-upkeep.ts';
import type { Outage } from './outage.ts';
import { messageOf } from './store-error.ts';

/** A pause must fit into the times that the store can tell exactly: three years. */
const LONGEST_PAUSE_MS = 1e11;

/**
 * The tokens of the fleet as one process sees them: those that it has leased, those that it can lease, and its share
 * while the store cannot be reached. Tokens outside, millionths of a token inside.
 */
export class FleetTokens extends FleetUpkeep implements TokenSource<string | undefined> {
  /** The state of the bucket when the last tokens taken were leased; `undefined` if they were not leased. */
  held: string | undefined;

  get mode(): 'shared' | Outage['mode'] {
    return this.link.outage?.mode ?? 'shared';
  }

  /** How many processes share the bucket; 0 until the store has said so. */
  get processes(): number {
    return this.link.processes;
  }

  /** Calls to the store so far. */
  get calls(): number {
    return this.link.calls;
  }

  /** Tokens that are leased and not spent. */
  get leased(): number {
    return this.pool.left / 1e6;
  }

  get capacity(): number {
    return this.setup.capacity;
  }

  get refillPerSecond(): number {
    return this.setup.refillPerSecond;
  }

  /** In mode `'open'` everything is granted while the store cannot be reached. */
  get isBeyond(): boolean {
    return this.held === undefined && this.mode === 'open';
  }

  get unavailable(): Unavailable | undefined {
    if (this.link.isClosed) return { message: 'the bucket was closed' };
    const { outage } = this.link;
    if (outage?.mode !== 'closed') return undefined;
    const cause = outage.error;
    const why =
      this.setup.onStoreError === 'closed'
        ? 'the store cannot be reached'
        : 'the store was never reached, so the share of this process is not known';
    return { message: `${why}: ${messageOf(cause)}`, cause };
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.link.pause.untilMs - nowMs);
  }

  tokens(nowMs: number): number {
    return this.#tokens(nowMs) / 1e6;
  }

  #tokens(nowMs: number): number {
    const { outage, emptyAtMs } = this.link;
    if (outage?.mode === 'local') return this.pool.left + outage.local.tokens(nowMs);
    return Math.min(this.full, (nowMs - emptyAtMs) * this.perMs + this.pool.left);
  }

  isIdle(nowMs: number): boolean {
    const busy = this.leaser.isLeasing || this.refunds.busy || this.link.outage !== undefined;
    return !busy && this.pool.left === 0 && this.#tokens(nowMs) >= this.full;
  }

  take(cost: number, nowMs: number): boolean {
    if (!this.isOpen(nowMs)) return false;
    const amount = micro(cost);
    if (this.leaser.take(amount, nowMs)) {
      this.held = this.pool.lastUsed?.state;
      return true;
    }
    const { outage } = this.link;
    if (outage === undefined) return false;
    this.held = undefined;
    const taken = outage.take(amount, nowMs);
    this.lookAfter(nowMs);
    return taken;
  }

  missed(cost: number, nowMs: number): void {
    if (this.pausedMs(nowMs) > 0) this.refusedFor(this.pausedMs(nowMs), nowMs);
    else this.leaser.missed(micro(cost));
  }

  /**
   * Asks the store how the bucket stands, unless that is known. Others may have left the queue or ended the pause, and
   * while no request waits here nothing else would find out.
   */
  refusedFor(waitMs: number, nowMs: number): void {
    const { outage, calledAtMs, isClosed } = this.link;
    if (outage !== undefined || isClosed || this.leaser.isLeasing) return;
    if (nowMs >= staleAfterMs(calledAtMs, nowMs + waitMs, true)) this.peek();
  }

  isTooLate(cost: number, deadlineMs: number, nowMs: number): boolean {
    return (
      this.link.outage === undefined &&
      this.leaser.plan.isTooLate(micro(cost) - this.pool.left, deadlineMs, nowMs)
    );
  }

  waitMs(cost: number, nowMs: number): number {
    const amount = micro(cost);
    const pausedMs = this.pausedMs(nowMs);
    const { outage, emptyAtMs } = this.link;
    const lacking = amount - this.pool.left;
    const leasedMs = this.pool.waitMs(amount, nowMs);
    if (outage === undefined) {
      return Math.max(pausedMs, leasedMs ?? emptyAtMs + lacking / this.perMs - nowMs, 0);
    }
    if (outage.mode !== 'local') return pausedMs;
    return Math.max(pausedMs, leasedMs ?? outage.local.waitMs(lacking, nowMs));
  }

  /** Leases tokens for the queue if there are none. */
  dueMs(firstCost: number, nowMs: number): number {
    const first = micro(firstCost);
    this.expire(first, nowMs);
    const leasedMs = first === 0 ? undefined : this.pool.waitMs(first, nowMs);
    if (first > 0 && leasedMs === undefined) this.leaser.leaseSoon();
    this.lookAfter(nowMs);
    if (first === 0) return Number.POSITIVE_INFINITY;
    const { outage } = this.link;
    const pausedUntilMs = this.link.pause.untilMs;
    if (nowMs < pausedUntilMs) return pausedUntilMs;
    if (leasedMs !== undefined) return nowMs + leasedMs;
    return outage?.mode === 'local'
      ? nowMs + outage.local.headWaitMs(first, nowMs)
      : Number.POSITIVE_INFINITY;
  }

  /** Tokens that were not leased cannot be given back to the store. */
  settle(surplusTokens: number, held: string | undefined, nowMs: number): void {
    const surplus = Math.trunc(surplusTokens * 1e6);
    const { outage } = this.link;
    if (surplus > 0 && held !== undefined) this.giveBack(surplus, held);
    else if (surplus < 0 && outage?.mode === 'local') outage.local.charge(-surplus, nowMs);
    else if (surplus < 0) this.refunds.owe(-surplus);
    // After the end nothing looks after it: what is settled then is sent at once.
    if (this.link.isClosed) this.refunds.flush(Number.POSITIVE_INFINITY);
    this.lookAfter(nowMs);
  }

  pause(untilMs: number, nowMs: number): void {
    this.link.pause.begin(Math.min(untilMs, nowMs + LONGEST_PAUSE_MS), nowMs);
    this.lookAfter(nowMs);
  }

  resume(nowMs: number): void {
    this.link.pause.end(nowMs);
  }
}
