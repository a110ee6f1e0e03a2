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

const ONE_TOKEN = 1e6;

/** How many tokens to ask the store for, and when. In millionths. */
export class Lender {
  readonly pool: LeasePool;
  readonly #setup: FleetSetup;
  readonly #demand: Demand;
  readonly #aheadMs: number;
  /** No use to ask for so many before. */
  #deniedUntilMs = Number.NEGATIVE_INFINITY;
  #deniedAmount = 0;
  /** With less than this in the pool, more is asked for; below 0 while there is no use. */
  #low = 0;
  /** What was leased and not given back, and how much of it the demand knows to be spent. */
  #leased = 0;
  #noted = 0;

  constructor(setup: FleetSetup, time: BucketTime) {
    const { refillPerSecond, aheadMs, nonConforming } = setup;
    this.#setup = setup;
    this.pool = new LeasePool(refillPerSecond * 1_000);
    this.#demand = new Demand(aheadMs, time.now());
    // Tokens that are yet to come help nobody who does not wait.
    this.#aheadMs = nonConforming === 'delay' ? aheadMs : 0;
  }

  /** Whether to ask for more before somebody has to wait. */
  get isLow(): boolean {
    return this.pool.left < this.#low;
  }

  get deniedUntilMs(): number {
    return this.#deniedUntilMs;
  }

  /** The call that would bring what is needed, if it is worth making. */
  ask({ first, all }: Need, nowMs: number): (StoreCall & { mode: 'lease' }) | undefined {
    const lacking = first - this.pool.left;
    if (lacking <= 0 && !this.isLow) return undefined;
    const least = Math.ceil(lacking > 0 ? lacking : Math.min(ONE_TOKEN, this.#setup.capacity * 1e6));
    if (nowMs < this.#deniedUntilMs && least >= this.#deniedAmount) return undefined;
    const spent = this.#leased - this.pool.left;
    this.#demand.note(spent - this.#noted, nowMs);
    this.#noted = spent;
    const expected = this.#demand.perMs * this.#setup.aheadMs;
    const most = Math.max(least, Math.ceil(all + expected - this.pool.left));
    return { mode: 'lease', least, most, aheadMs: this.#aheadMs };
  }

  receive({ granted, emptyInMs, state }: Reply, nowMs: number): void {
    const { aheadMs } = this.#setup;
    const endMs = nowMs + emptyInMs;
    this.#leased += granted;
    this.pool.add({ left: granted, endMs, goodUntilMs: Math.max(nowMs, endMs) + aheadMs, state });
    this.#low = (this.#demand.perMs * aheadMs) / 4;
    this.#deniedUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Remembers it, so that nobody asks in vain. */
  denied(least: number, waitMs: number, nowMs: number): void {
    // Those who wait, here and elsewhere, do not all come back at once.
    const spreadMs = Math.min(waitMs / 4, this.#aheadMs) * this.#setup.random();
    this.#deniedUntilMs = nowMs + waitMs + spreadMs;
    this.#deniedAmount = least;
    this.#low = -1;
  }

  /** Is told of tokens that were leased and are not spent after all. */
  unspent(amount: number): void {
    this.#leased -= amount;
  }

  /** Asks no more by itself until tokens came. */
  forget(): void {
    this.#low = 0;
    this.#deniedUntilMs = Number.NEGATIVE_INFINITY;
  }
}
