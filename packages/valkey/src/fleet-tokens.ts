import type { SteadyTime } from '@ebb/core/bucket';
import { Leaser } from './leaser.ts';
import type { FleetSetup } from './options.ts';
import type { Outage } from './outage.ts';
import type { LeasePool } from './pool.ts';
import { Refunds } from './refunds.ts';
import type { StoreCall } from './store.ts';
import { messageOf } from './store-error.ts';
import { StoreLink } from './store-link.ts';
import { Timer } from './timer.ts';
import type { Need } from './turn.ts';

/** While somebody waits, the store is asked at least so often whether the bucket was paused. */
const FRESH_MS = 1_000;
const LEAST_FRESH_MS = 100;

/**
 * When to ask how the bucket stands: who waits long hears within a second that it was paused, and in half of the time
 * that others have left the line.
 */
function staleAtMs(calledAtMs: number, dueMs: number): number {
  return calledAtMs + Math.min(FRESH_MS, Math.max((dueMs - calledAtMs) / 2, LEAST_FRESH_MS));
}

/**
 * The tokens of the fleet, as one process has them: those that it leased, those that it can lease, and its share
 * of them while the store is lost. In millionths.
 */
export class FleetTokens {
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #link: StoreLink;
  readonly #leaser: Leaser;
  readonly #pool: LeasePool;
  readonly #refunds: Refunds;
  readonly #timer: Timer;
  readonly #perMs: number;
  readonly #capacity: number;
  readonly #line: () => Need;
  readonly #onChange: () => void;
  #changingSoon = false;
  /** The state of the bucket when what was taken last was leased; `undefined` for what came from elsewhere. */
  held: string | undefined;

  /**
   * `line` answers what those in line wait for. `onChange` is called when tokens may have come, or no longer
   * will.
   */
  constructor(setup: FleetSetup, time: SteadyTime, line: () => Need, onChange: () => void) {
    this.#setup = setup;
    this.#time = time;
    this.#line = line;
    this.#onChange = onChange;
    this.#perMs = setup.refillPerSecond * 1_000;
    this.#capacity = Math.ceil(setup.capacity * 1e6);
    const changed = (nowMs: number): void => {
      this.#lookAfter(nowMs);
      this.#changeSoon();
    };
    this.#link = new StoreLink(setup, time, {
      deadlineMs: () => this.#line().untilMs,
      onPause: () => this.#giveAllBack(),
      onWord: (emptyAtMs) => {
        this.#leaser.heard(emptyAtMs);
        if (this.#pool.comeForward(emptyAtMs)) this.#changeSoon();
      },
      onChange: () => changed(time.now()),
      onUnwanted: ({ granted, state }, nowMs) => this.#refunds.add(granted, state, nowMs),
      onDebt: (amount) => this.#refunds.owe(amount),
    });
    const call = (call: StoreCall) => this.#link.call(call);
    this.#leaser = new Leaser(setup, time, {
      line,
      call,
      mayAsk: (nowMs) => this.#isOpen(nowMs) && this.#link.outage === undefined,
      onAnswer: (nowMs) => {
        // Nobody wants them any longer, or they are of the time before a pause.
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

  /** How many processes there are; 0 when that was never heard. */
  get processes(): number {
    return this.#link.processes;
  }

  /** How often the store was called. */
  get calls(): number {
    return this.#link.calls;
  }

  get leased(): number {
    return this.#pool.left;
  }

  /** Whether what was taken last may be beyond the quota: everything goes while the store is lost. */
  get isBeyond(): boolean {
    return this.held === undefined && this.mode === 'open';
  }

  /** Why nothing can be had at all, if so. */
  get unavailable(): string | undefined {
    if (this.#link.isClosed) return 'the bucket was closed';
    if (this.mode !== 'closed') return undefined;
    const error = messageOf(this.lostBy);
    if (this.#setup.onStoreError === 'closed') return `the store cannot be asked: ${error}`;
    return `the store was never reached, so that the share of this process is not known: ${error}`;
  }

  /** The error by which the store was lost; `undefined` while it is not. */
  get lostBy(): unknown {
    return this.#link.outage?.error;
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#link.pause.untilMs - nowMs);
  }

  /** What this process could have now, as far as it knows. */
  tokens(nowMs: number): number {
    const { outage, emptyAtMs } = this.#link;
    if (outage?.mode === 'local') return this.#pool.left + outage.local.tokens(nowMs);
    return Math.min(this.#capacity, (nowMs - emptyAtMs) * this.#perMs + this.#pool.left);
  }

  /** Whether there is nothing here that would be missed. */
  isIdle(nowMs: number): boolean {
    const busy = this.#leaser.isAsking || this.#refunds.busy || this.#link.outage !== undefined;
    return !busy && this.leased === 0 && this.tokens(nowMs) >= this.#capacity;
  }

  /** Takes the tokens, if they are there. */
  take(amount: number, nowMs: number): boolean {
    if (!this.#isOpen(nowMs)) return false;
    if (this.#leaser.take(amount, nowMs)) {
      this.held = this.#pool.last?.state;
      return true;
    }
    const { outage } = this.#link;
    if (outage === undefined) return false;
    this.held = undefined;
    const taken = outage.take(amount, nowMs);
    this.#lookAfter(nowMs);
    return taken;
  }

  /** Called when a request goes away without tokens, so that the next may find some. */
  missed(amount: number, nowMs: number): void {
    if (this.pausedMs(nowMs) > 0) this.doubt(this.pausedMs(nowMs), nowMs);
    else this.#leaser.missed(amount);
  }

  /**
   * Called when a request is refused because its tokens come in `waitMs`, as far as this process knows. Others may have
   * left the line, or ended the pause. If no one waits here, nothing else would find that out.
   */
  doubt(waitMs: number, nowMs: number): void {
    const { outage, calledAtMs, isClosed } = this.#link;
    if (outage !== undefined || isClosed || this.#leaser.isAsking) return;
    if (nowMs >= staleAtMs(calledAtMs, nowMs + waitMs)) this.#peek();
  }

  #peek(): void {
    this.#link.call({ mode: 'peek' }).catch(() => {});
  }

  /** Whether the store has said that so many come after `byMs`. */
  isTooLate(amount: number, byMs: number, nowMs: number): boolean {
    return this.#link.outage === undefined && this.#leaser.isTooLate(amount, byMs, nowMs);
  }

  /** How long until the tokens can be there at the earliest; 0 when that is now, or only the store knows. */
  waitMs(amount: number, nowMs: number): number {
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

  /** Sees to it that tokens come for those in line. Answers when they are to look again by themselves. */
  seek(nowMs: number): number {
    const { first } = this.#line();
    this.#expire(first, nowMs);
    const leasedMs = first === 0 ? undefined : this.#pool.waitMs(first, nowMs);
    if (first > 0 && leasedMs === undefined) this.#leaser.askSoon();
    this.#lookAfter(nowMs);
    if (first === 0) return Number.POSITIVE_INFINITY;
    const { outage } = this.#link;
    const pausedUntilMs = this.#link.pause.untilMs;
    if (nowMs < pausedUntilMs) return pausedUntilMs;
    if (leasedMs !== undefined) return nowMs + leasedMs;
    return outage?.mode === 'local' ? nowMs + outage.local.turnMs(first, nowMs) : Number.POSITIVE_INFINITY;
  }

  /**
   * Evens out what a request cost in the end. `held` is that of its taking. What was had without the store
   * cannot be given back to it.
   */
  settle(surplus: number, held: string | undefined, nowMs: number): void {
    const { outage } = this.#link;
    if (surplus > 0 && held !== undefined) this.#giveBack(surplus, held);
    else if (surplus < 0 && outage?.mode === 'local') outage.local.charge(-surplus, nowMs);
    else if (surplus < 0) this.#refunds.owe(-surplus);
    this.#lookAfter(nowMs);
  }

  /** Closes the bucket of the fleet, and empties it. */
  pause(durationMs: number, nowMs: number): void {
    this.#link.pause.begin(nowMs + durationMs, nowMs);
    this.#lookAfter(nowMs);
  }

  /** Ends a pause of the fleet. */
  resume(nowMs: number): void {
    this.#link.pause.end(nowMs);
  }

  /** A little later, if nothing else is said, so that one call does for many. */
  #giveBack(amount: number, held: string, dueMs: number = this.#time.now() + this.#setup.aheadMs): void {
    this.#leaser.unspent(amount);
    this.#refunds.add(amount, held, dueMs);
  }

  #giveAllBack(): void {
    for (const { left, state } of this.#pool.clear()) this.#giveBack(left, state);
  }

  /** Unless the rest of what the first in line needs is on its way. */
  #expire(first: number, nowMs: number): void {
    if (first > 0 && this.#leaser.isAsking) return;
    if (first === 0) this.#pool.keep(this.#setup.aheadMs, nowMs);
    for (const { left, state } of this.#pool.expire(nowMs)) this.#giveBack(left, state);
  }

  /** Not at once: it may be the line that asks, and it serves one after the other. */
  #changeSoon(): void {
    if (this.#changingSoon) return;
    this.#changingSoon = true;
    queueMicrotask(() => {
      this.#changingSoon = false;
      this.#onChange();
    });
  }

  /** Does whatever is due, and sets the alarm for what will be. */
  #lookAfter(nowMs: number): void {
    if (this.#link.isClosed) return;
    const wasLost = this.#link.outage !== undefined;
    const { first, all, count } = this.#line();
    this.#expire(first, nowMs);
    // Each cost is rounded up on its own, so their sum may be larger than `all`, by less than `count`.
    const farMs = nowMs + this.#setup.aheadMs;
    for (const { left, state } of this.#pool.trim(all + count, farMs)) this.#giveBack(left, state, nowMs);
    this.#link.lookAfter(nowMs);
    if (this.#link.outage === undefined) {
      if (wasLost) this.#leaser.forgetDenial();
      this.#refunds.flush(nowMs);
    }
    this.#timer.set(this.#nextMs(nowMs));
  }

  /** Whether a request waits for tokens and the store has not been asked for long. */
  #isStale(nowMs: number): boolean {
    const { outage, calledAtMs } = this.#link;
    const isKnown = outage !== undefined || this.#leaser.isAsking || this.#line().first === 0;
    return !isKnown && nowMs >= calledAtMs && nowMs >= this.#staleAtMs(nowMs);
  }

  #staleAtMs(nowMs: number): number {
    const { first } = this.#line();
    const dueMs = nowMs + (this.#pool.waitMs(first, nowMs) ?? Number.POSITIVE_INFINITY);
    return staleAtMs(this.#link.calledAtMs, dueMs);
  }

  #nextMs(nowMs: number): number {
    const waiting = this.#line().first > 0;
    const keeps = waiting && this.#leaser.isAsking;
    const endMs = keeps ? Number.POSITIVE_INFINITY : this.#pool.nextEndMs;
    if (this.#link.outage !== undefined) return Math.min(endMs, this.#link.nextMs(waiting, nowMs));
    const nextMs = Math.min(endMs, this.#refunds.dueMs);
    if (!waiting) return nextMs;
    // It may be about to ask, and find that it need not.
    const staleMs = this.#leaser.isAsking ? nowMs + FRESH_MS : this.#staleAtMs(nowMs);
    return Math.min(nextMs, staleMs, this.#leaser.againAtMs(nowMs));
  }

  /** Gives everything back. Never rejects, and ends in time. */
  async close(): Promise<void> {
    if (!this.#link.isClosed) {
      this.#link.close();
      this.#timer.set(Number.POSITIVE_INFINITY);
      this.#onChange();
    }
    await this.#leaser.asking;
    await this.#link.pause.told();
    this.#giveAllBack();
    if (this.#link.outage === undefined) this.#refunds.flush(Number.POSITIVE_INFINITY);
    await this.#refunds.settled();
  }
}
