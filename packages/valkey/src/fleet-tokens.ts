import { type BucketTime, HookError } from '@ebb/core';
import { Alarm } from './alarm.ts';
import type { StoreEvent } from './events.ts';
import { Lender, type Need } from './lender.ts';
import type { FleetSetup } from './options.ts';
import { Outage } from './outage.ts';
import { Returns } from './returns.ts';
import { type Reply, Store, type StoreCall } from './store.ts';

/** While somebody waits, the store is asked at least so often whether the bucket was paused. */
const FRESH_MS = 1_000;

/** The same pause is heard of again and again, each time at a slightly different time. */
const SAME_PAUSE_MS = 5;

type Happening<E extends StoreEvent = StoreEvent> = E extends StoreEvent ? Omit<E, 'key' | 'atMs'> : never;

/**
 * The tokens of the fleet, as one process has them: those that it leased, those that it can lease, and its share
 * of them while the store is lost. In millionths.
 */
export class FleetTokens {
  readonly #setup: FleetSetup;
  readonly #time: BucketTime;
  readonly #store: Store;
  readonly #lender: Lender;
  readonly #returns: Returns;
  readonly #alarm: Alarm;
  readonly #perMs: number;
  readonly #capacity: number;
  readonly #line: () => Need;
  readonly #onChange: () => void;

  /** How many processes there are; 0 when that was never heard. */
  processes = 0;
  /** How often the store was called. */
  calls = 0;
  #closed = false;
  #outage: Outage | undefined;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** Whether the store is still to be told of the pause. */
  #pauseUntold = false;
  #emptyAtMs = Number.NEGATIVE_INFINITY;
  /** How far ahead tokens were leased when that was heard. */
  #leadMs = 0;
  #calledAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #askingSoon = false;
  #changingSoon = false;
  /** What somebody tried to take who does not wait for it. */
  #missed = 0;
  /** The state of the bucket when what was taken last was leased; `undefined` for what came from elsewhere. */
  held: string | undefined;

  /**
   * `line` answers what those in line wait for. `onChange` is called when tokens may have come, or no longer
   * will.
   */
  constructor(setup: FleetSetup, time: BucketTime, line: () => Need, onChange: () => void) {
    const { refillPerSecond, capacity } = setup;
    this.#setup = setup;
    this.#time = time;
    this.#line = line;
    this.#onChange = onChange;
    this.#perMs = refillPerSecond * 1_000;
    this.#capacity = Math.ceil(capacity * 1e6);
    this.#lender = new Lender(setup, time);
    this.#alarm = new Alarm(time, (nowMs) => this.#onAlarm(nowMs));
    this.#returns = new Returns((call) => this.#do(call));
    this.#store = new Store({
      ...setup,
      capacity: this.#capacity,
      time,
      onLate: (call, reply) => this.#onLate(call, reply),
    });
  }

  get mode(): 'shared' | Outage['mode'] {
    return this.#outage?.mode ?? 'shared';
  }

  /** Whether what was taken last may be beyond the quota: everything goes while the store is lost. */
  get isBeyond(): boolean {
    return this.held === undefined && this.#outage?.mode === 'open';
  }

  get leased(): number {
    return this.#lender.pool.left;
  }

  /** Why nothing can be had at all, if so. */
  get unavailable(): string | undefined {
    if (this.#closed) return 'the bucket was closed';
    if (this.#outage?.mode !== 'closed') return undefined;
    if (this.#setup.onStoreError === 'closed') return 'the store cannot be asked';
    return 'the store was never reached, so that the share of this process is not known';
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  /** What this process could have now, as far as it knows. */
  tokens(nowMs: number): number {
    const { pool } = this.#lender;
    if (this.#outage?.mode === 'local') return pool.left + this.#outage.local.tokens(nowMs);
    return Math.min(this.#capacity, (nowMs - this.#emptyAtMs) * this.#perMs + pool.left);
  }

  /** Whether there is nothing here that would be missed. */
  isIdle(nowMs: number): boolean {
    const busy = this.#asking !== undefined || this.#returns.busy || this.#outage !== undefined;
    return !busy && this.leased === 0 && this.tokens(nowMs) >= this.#capacity;
  }

  /** Takes the tokens, if they are there. */
  take(amount: number, nowMs: number): boolean {
    if (nowMs < this.#pausedUntilMs || this.#closed) return false;
    const { pool } = this.#lender;
    if (pool.take(amount, nowMs)) {
      this.held = pool.last?.state;
      if (this.#lender.isLow) this.#askSoon();
      return true;
    }
    if (this.#outage === undefined) return false;
    this.held = undefined;
    const taken = this.#outage.take(amount, nowMs);
    this.#lookAfter(nowMs);
    return taken;
  }

  /** Is told of somebody who went away empty-handed, so that the next may find something. */
  missed(amount: number): void {
    this.#missed = Math.max(this.#missed, amount);
    this.#askSoon();
  }

  /** How long until the tokens can be there at the earliest; 0 when that is now, or only the store knows. */
  waitMs(amount: number, nowMs: number): number {
    const pausedMs = this.pausedMs(nowMs);
    const { pool } = this.#lender;
    const leasedMs = pool.waitMs(amount, nowMs);
    if (this.#outage?.mode === 'local') {
      return Math.max(pausedMs, leasedMs ?? this.#outage.local.waitMs(amount - pool.left, nowMs));
    }
    if (this.#outage !== undefined) return pausedMs;
    return Math.max(pausedMs, leasedMs ?? this.#emptyAtMs + (amount - pool.left) / this.#perMs - nowMs, 0);
  }

  /** Sees to it that tokens come for those in line. Answers when they are to look again by themselves. */
  seek(nowMs: number): number {
    const { first } = this.#line();
    const leasedMs = first === 0 ? undefined : this.#lender.pool.waitMs(first, nowMs);
    if (first > 0 && leasedMs === undefined) this.#askSoon();
    this.#lookAfter(nowMs);
    if (first === 0) return Number.POSITIVE_INFINITY;
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs;
    if (this.#outage?.mode === 'local' && leasedMs === undefined) {
      return nowMs + this.#outage.local.turnMs(first, nowMs);
    }
    return nowMs + (leasedMs ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Evens out what a request cost in the end. `held` is that of its taking. What was had without the store
   * cannot be given back to it.
   */
  settle(surplus: number, held: string | undefined, nowMs: number): void {
    if (surplus > 0) {
      if (held !== undefined) this.#giveBack(surplus, held);
    } else if (this.#outage?.mode === 'local') this.#outage.local.charge(-surplus, nowMs);
    else this.#returns.owe(-surplus);
    this.#lookAfter(nowMs);
  }

  /** Closes the bucket of the fleet, and empties it. */
  pause(durationMs: number, nowMs: number): void {
    if (nowMs + durationMs <= this.#pausedUntilMs) return;
    this.#beginPause(nowMs + durationMs);
    this.#pauseUntold = true;
    this.#tellPause(nowMs);
    this.#lookAfter(nowMs);
  }

  #beginPause(untilMs: number): void {
    this.#pausedUntilMs = untilMs;
    this.#outage?.local.pause(untilMs);
    for (const { left, state } of this.#lender.pool.clear()) this.#giveBack(left, state);
  }

  #tellPause(nowMs: number): void {
    if (!this.#pauseUntold || this.#outage !== undefined) return;
    this.#pauseUntold = false;
    if (nowMs >= this.#pausedUntilMs) return;
    this.#do({ mode: 'pause', durationMs: this.#pausedUntilMs - nowMs }).catch(() => {
      this.#pauseUntold = true;
    });
  }

  #giveBack(amount: number, held: string): void {
    this.#lender.unspent(amount);
    this.#returns.add(amount, held, this.#time.now() + this.#setup.aheadMs);
  }

  /** One call, of which all that it says is heeded. When it fails, an outage begins. */
  async #do(call: StoreCall): Promise<Reply> {
    const sentAtMs = this.#time.now();
    this.#calledAtMs = sentAtMs;
    this.calls += 1;
    try {
      const reply = await this.#store.call(call);
      this.#heed(reply);
      return reply;
    } catch (error) {
      this.#lose(error, sentAtMs);
      throw error;
    }
  }

  #heed(reply: Reply): void {
    const nowMs = this.#time.now();
    this.#leadMs = reply.emptyInMs;
    this.#emptyAtMs = nowMs + reply.emptyInMs;
    this.processes = reply.processes;
    const pausedUntilMs = nowMs + reply.pausedMs;
    if (reply.pausedMs > 0 && pausedUntilMs > this.#pausedUntilMs + SAME_PAUSE_MS) {
      this.#beginPause(pausedUntilMs);
    }
  }

  #askSoon(): void {
    if (this.#askingSoon || this.#asking !== undefined || this.#outage !== undefined) return;
    this.#askingSoon = true;
    // All who ask in this turn are served by one call.
    queueMicrotask(() => {
      this.#askingSoon = false;
      this.#ask(this.#time.now());
    });
  }

  #ask(nowMs: number): void {
    const { first, all } = this.#line();
    const need = first > 0 ? { first, all } : { first: this.#missed, all: this.#missed };
    this.#missed = 0;
    if (this.#asking !== undefined || this.#outage !== undefined || this.#closed) return;
    const call = nowMs < this.#pausedUntilMs ? undefined : this.#lender.ask(need, nowMs);
    if (call === undefined) {
      this.#lookAfter(nowMs);
      return;
    }
    this.#asking = this.#do(call).then(
      (reply) => this.#onLease(reply, call.least),
      () => {
        this.#asking = undefined;
      },
    );
  }

  #onLease(reply: Reply, least: number): void {
    this.#asking = undefined;
    const nowMs = this.#time.now();
    if (reply.granted > 0) {
      this.#lender.receive(reply, nowMs);
      // Nobody wants them any longer, or they are of the time before a pause.
      if (this.#closed || nowMs < this.#pausedUntilMs) this.#beginPause(this.#pausedUntilMs);
    } else if (!reply.late) {
      this.#lender.denied(least, reply.waitMs, nowMs);
    }
    this.#lookAfter(nowMs);
    this.#changeSoon();
  }

  /** Something came for which nobody waited any longer. */
  #onLate(call: StoreCall, reply: Reply | undefined): void {
    const nowMs = this.#time.now();
    if (reply !== undefined) {
      this.#outage?.tryNow();
      if (call.mode === 'lease') this.#returns.add(reply.granted, reply.state, nowMs);
    }
    this.#lookAfter(nowMs);
  }

  #lose(error: unknown, sinceMs: number): void {
    if (this.#outage !== undefined || this.#closed) return;
    const nowMs = this.#time.now();
    // The others have leased on since we heard of it.
    const emptyAtMs = nowMs + Math.max(0, this.#leadMs);
    this.#outage = new Outage(this.#setup, this.processes, sinceMs, emptyAtMs, nowMs);
    const { mode, share } = this.#outage;
    this.#tell({ type: 'lost', error, mode, share });
    this.#lookAfter(nowMs);
    this.#changeSoon();
  }

  async #tryAgain(outage: Outage, nowMs: number): Promise<void> {
    outage.tried(nowMs);
    this.calls += 1;
    try {
      const outageMs = nowMs - outage.sinceMs;
      const reply = await this.#store.call({
        mode: 'resume',
        outageMs,
        handoverMs: outage.handoverMs(nowMs),
      });
      if (this.#outage !== outage) return;
      this.#heed(reply);
      outage.sharedAtMs = this.#time.now() + Math.max(0, reply.resumeInMs);
      // What was spent beside the others, since they went on, is paid for.
      const spent = reply.resumeInMs <= 0 ? outage.local.spentIn(-reply.resumeInMs) : 0;
      this.#returns.owe(Math.min(spent, this.#capacity));
    } catch {
      // It is lost as it was.
    }
    this.#lookAfter(this.#time.now());
  }

  #share(outage: Outage, nowMs: number): void {
    this.#outage = undefined;
    this.#lender.forget();
    this.#tell({ type: 'back', outageMs: nowMs - outage.sinceMs });
    this.#tellPause(nowMs);
    this.#changeSoon();
  }

  #tell(event: Happening): void {
    const { onStoreEvent, key, clock } = this.#setup;
    try {
      onStoreEvent?.({ ...event, key, atMs: clock.now() } as StoreEvent);
    } catch (cause) {
      // No request is to blame, so it is thrown where nobody catches it, as by any listener.
      clock.schedule(() => {
        throw new HookError('onStoreEvent', cause);
      }, 0);
    }
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

  #onAlarm(nowMs: number): void {
    if (this.#isStale(nowMs)) this.#do({ mode: 'peek' }).catch(() => {});
    this.#lookAfter(nowMs);
    this.#changeSoon();
  }

  /** Does whatever is due, and sets the alarm for what will be. */
  #lookAfter(nowMs: number): void {
    if (this.#closed) return;
    const { pool } = this.#lender;
    for (const { left, state } of pool.expire(nowMs)) this.#giveBack(left, state);
    const waiting = this.#line().first > 0;
    const outage = this.#outage;
    if (outage !== undefined) {
      if (nowMs >= outage.sharedAtMs) this.#share(outage, nowMs);
      else if (nowMs >= outage.nextTryMs(this.#store.open)) void this.#tryAgain(outage, nowMs);
    } else {
      this.#returns.flush(nowMs);
    }
    this.#alarm.set(Math.min(pool.nextEndMs, this.#nextMs(waiting, nowMs)));
  }

  /** Whether somebody waits for tokens of which nothing has been heard for long. */
  #isStale(nowMs: number): boolean {
    const asking = this.#askingSoon || this.#asking !== undefined || this.#outage !== undefined;
    return !asking && this.#line().first > 0 && nowMs >= this.#calledAtMs + FRESH_MS;
  }

  #nextMs(waiting: boolean, nowMs: number): number {
    if (this.#outage !== undefined) return this.#outage.nextMs(this.#store.open, waiting);
    const returnsMs = this.#returns.dueMs;
    if (!waiting) return returnsMs;
    const { deniedUntilMs } = this.#lender;
    const asking = this.#askingSoon || this.#asking !== undefined;
    const nextMs = asking ? returnsMs : Math.min(returnsMs, this.#calledAtMs + FRESH_MS);
    return deniedUntilMs > nowMs ? Math.min(nextMs, deniedUntilMs) : nextMs;
  }

  /** Gives everything back. Never rejects, and ends in time. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#alarm.set(Number.POSITIVE_INFINITY);
      this.#onChange();
    }
    await this.#asking;
    this.#beginPause(this.#pausedUntilMs);
    if (this.#outage === undefined) this.#returns.flush(Number.POSITIVE_INFINITY);
    await this.#returns.settled();
  }
}
