import type { BucketTime } from '@ebb/core';
import { Demand } from './demand.ts';
import type { FleetSetup } from './options.ts';
import { LeasePool } from './pool.ts';
import type { Reply, StoreCall } from './store.ts';

/** What those in line wait for, in millionths of a token; 0 and 0 when nobody waits. */
export interface Need {
  readonly first: number;
  readonly all: number;
}

type LeaseCall = StoreCall & { readonly mode: 'lease' };

const ONE_TOKEN = 1e6;

/** Leases tokens from the store: how many at a time, and when. In millionths. */
export class Borrower {
  readonly pool: LeasePool;
  readonly #setup: FleetSetup;
  readonly #time: BucketTime;
  readonly #demand: Demand;
  readonly #aheadMs: number;
  readonly #line: () => Need;
  readonly #call: (call: StoreCall) => Promise<Reply>;
  readonly #mayAsk: (nowMs: number) => boolean;
  readonly #onAnswer: (nowMs: number) => void;
  /** The one call that is under way, if there is one. */
  asking: Promise<void> | undefined;
  #askingSoon = false;
  /** What somebody tried to take who does not wait for it. */
  #missed = 0;
  /** No use to ask for so many before. */
  #deniedUntilMs = Number.NEGATIVE_INFINITY;
  #deniedAmount = 0;
  /** With less than this in the pool, more is asked for; below 0 while there is no use. */
  #low = 0;
  /** What was leased and not given back, and how much of it the demand knows to be spent. */
  #leased = 0;
  #noted = 0;

  constructor(
    setup: FleetSetup,
    time: BucketTime,
    hooks: {
      line: () => Need;
      call: (call: StoreCall) => Promise<Reply>;
      mayAsk: (nowMs: number) => boolean;
      onAnswer: (nowMs: number) => void;
    },
  ) {
    const { refillPerSecond, aheadMs, nonConforming } = setup;
    this.#setup = setup;
    this.#time = time;
    this.pool = new LeasePool(refillPerSecond * 1_000);
    this.#demand = new Demand(aheadMs, time.now());
    // Tokens that are yet to come help nobody who does not wait.
    this.#aheadMs = nonConforming === 'delay' ? aheadMs : 0;
    this.#line = hooks.line;
    this.#call = hooks.call;
    this.#mayAsk = hooks.mayAsk;
    this.#onAnswer = hooks.onAnswer;
  }

  /** Whether the store is being asked, or is about to be. */
  get isAsking(): boolean {
    return this.#askingSoon || this.asking !== undefined;
  }

  /** Takes tokens out of the pool, if they are there, and has more brought before the last is gone. */
  take(amount: number, nowMs: number): boolean {
    if (!this.pool.take(amount, nowMs)) return false;
    if (this.pool.left < this.#low) this.askSoon();
    return true;
  }

  /** Is told of somebody who went away empty-handed, so that the next may find something. */
  missed(amount: number): void {
    this.#missed = Math.max(this.#missed, amount);
    this.askSoon();
  }

  /** All who ask in one turn are served by one call. */
  askSoon(): void {
    if (this.isAsking) return;
    this.#askingSoon = true;
    queueMicrotask(() => {
      this.#askingSoon = false;
      this.#ask(this.#time.now());
    });
  }

  #ask(nowMs: number): void {
    const { first, all } = this.#line();
    const need = first > 0 ? { first, all } : { first: this.#missed, all: this.#missed };
    this.#missed = 0;
    const call = this.#mayAsk(nowMs) ? this.#callFor(need, nowMs) : undefined;
    if (call === undefined) return;
    this.asking = this.#call(call).then(
      (reply) => {
        this.asking = undefined;
        this.#answered(reply, call.least);
      },
      () => {
        this.asking = undefined;
        this.#onAnswer(this.#time.now());
      },
    );
  }

  /** The call that brings what is needed, if it is worth making. */
  #callFor({ first, all }: Need, nowMs: number): LeaseCall | undefined {
    const { left } = this.pool;
    const lacking = first - left;
    if (lacking <= 0 && left >= this.#low) return undefined;
    const least = Math.ceil(lacking > 0 ? lacking : Math.min(ONE_TOKEN, this.#setup.capacity * 1e6));
    if (nowMs < this.#deniedUntilMs && least >= this.#deniedAmount) return undefined;
    const spent = this.#leased - left;
    this.#demand.note(spent - this.#noted, nowMs);
    this.#noted = spent;
    const most = Math.max(least, Math.ceil(all + this.#expected - left));
    return { mode: 'lease', least, most, aheadMs: this.#aheadMs };
  }

  /** What is spent in the time for which tokens are leased. */
  get #expected(): number {
    return this.#demand.perMs * this.#setup.aheadMs;
  }

  #answered(reply: Reply, least: number): void {
    const nowMs = this.#time.now();
    if (reply.granted > 0) this.#receive(reply, nowMs);
    else if (!reply.late) this.#denied(least, reply.waitMs, nowMs);
    this.#onAnswer(nowMs);
  }

  #receive({ granted, emptyInMs, state }: Reply, nowMs: number): void {
    const endMs = nowMs + emptyInMs;
    const goodUntilMs = Math.max(nowMs, endMs) + this.#setup.aheadMs;
    this.#leased += granted;
    this.pool.add({ left: granted, endMs, goodUntilMs, state });
    this.#low = this.#expected / 4;
    this.#deniedUntilMs = Number.NEGATIVE_INFINITY;
  }

  #denied(least: number, waitMs: number, nowMs: number): void {
    // Those who wait, here and elsewhere, do not all come back at once.
    const spreadMs = Math.min(waitMs / 4, this.#aheadMs) * this.#setup.random();
    this.#deniedUntilMs = nowMs + waitMs + spreadMs;
    this.#deniedAmount = least;
    this.#low = -1;
  }

  /** When to ask again for those who wait; `Infinity` when that is not known to be in vain until then. */
  againAtMs(nowMs: number): number {
    return this.#deniedUntilMs > nowMs ? this.#deniedUntilMs : Number.POSITIVE_INFINITY;
  }

  /** Is told of tokens that were leased and are not spent after all. */
  unspent(amount: number): void {
    this.#leased -= amount;
  }

  /** Begins anew, after an outage. */
  forgetDenial(): void {
    this.#low = 0;
    this.#deniedUntilMs = Number.NEGATIVE_INFINITY;
  }
}
