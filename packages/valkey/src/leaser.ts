import type { SteadyTime } from '@ebb/core/bucket';
import { LeaseSize } from './lease-size.ts';
import type { FleetSetup } from './options.ts';
import { LeasePool } from './pool.ts';
import { SpendRate } from './spend-rate.ts';
import type { Reply, StoreCall, TokenLeaseCall } from './store.ts';
import { type Need, NO_NEED } from './turn.ts';

const ONE_TOKEN = 1e6;

/** Leases tokens from the store: how many at a time, and when. In millionths. */
export class Leaser {
  readonly pool: LeasePool;
  readonly #perMs: number;
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #spendRate: SpendRate;
  readonly #line: () => Need;
  readonly #call: (call: StoreCall) => Promise<Reply>;
  readonly #mayAsk: (nowMs: number) => boolean;
  readonly #onAnswer: (nowMs: number) => void;
  readonly #leaseSize: LeaseSize;
  /** The one call that is under way, if there is one. */
  asking: Promise<void> | undefined;
  #askingSoon = false;
  /** The largest cost of a request that did not wait for its tokens. */
  #missed = 0;
  /** What the store did not lease, because it would come too late; and until when there is no use to ask again. */
  #denied = { amount: 0, byMs: Number.NEGATIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY };
  /** With less than this in the pool and no one in line, more is asked for; below 0 while there is no use. */
  #low = 0;
  /** What was leased and not given back, and how much of it the demand knows to be spent. */
  #leased = 0;
  #noted = 0;

  constructor(
    setup: FleetSetup,
    time: SteadyTime,
    hooks: {
      line: () => Need;
      call: (call: StoreCall) => Promise<Reply>;
      mayAsk: (nowMs: number) => boolean;
      onAnswer: (nowMs: number) => void;
      processes: () => number;
    },
  ) {
    const { refillPerSecond, aheadMs } = setup;
    this.#setup = setup;
    this.#time = time;
    this.#perMs = refillPerSecond * 1_000;
    this.pool = new LeasePool(this.#perMs);
    this.#spendRate = new SpendRate(aheadMs, time.now());
    this.#line = hooks.line;
    this.#call = hooks.call;
    this.#mayAsk = hooks.mayAsk;
    this.#onAnswer = hooks.onAnswer;
    this.#leaseSize = new LeaseSize(setup, hooks.processes);
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

  /** Called when a request goes away without tokens, so that the next may find some. */
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
    const line = this.#line();
    const missed = this.#missed;
    this.#missed = 0;
    const call = this.#mayAsk(nowMs)
      ? this.#callFor(line.first > 0 ? line : missedBy(missed), nowMs)
      : undefined;
    if (call === undefined) return;
    this.asking = this.#call(call).then(
      (reply) => {
        this.asking = undefined;
        this.#answered(reply, call, nowMs);
      },
      () => {
        this.asking = undefined;
        this.#onAnswer(this.#time.now());
      },
    );
  }

  /** The call that brings what is needed, if it is worth making. */
  #callFor(line: Need, nowMs: number): TokenLeaseCall | undefined {
    const { first, all, untilMs } = line;
    const { left } = this.pool;
    const lacking = first - left;
    if (lacking <= 0 && left >= this.#enough(all)) return undefined;
    const { capacity, nonConforming } = this.#setup;
    const minAmount = Math.ceil(lacking > 0 ? lacking : Math.min(ONE_TOKEN, capacity * 1e6));
    // What is yet to come helps no one who does not wait.
    const byMs = nonConforming === 'delay' ? untilMs : nowMs;
    const denied = this.#denied;
    if (nowMs < denied.untilMs && minAmount >= denied.amount && byMs <= denied.byMs) return undefined;
    const spent = this.#leased - left;
    this.#spendRate.record(spent - this.#noted, nowMs);
    this.#noted = spent;
    const maxAvailable = Math.max(minAmount, Math.ceil(all + this.#expected - left));
    const future = nonConforming === 'delay' ? this.#future(line, left) : 0;
    const maxFuture = Math.max(minAmount, Math.ceil(future));
    return { mode: 'lease', minAmount, maxAvailable, maxFuture, withinMs: byMs - nowMs };
  }

  /** How much to lease of what is yet to come. */
  #future(line: Need, left: number): number {
    if (line.count > 0) return this.#leaseSize.forQueue(line, left);
    return Math.min(this.#expected, this.#leaseSize.fairShare(this.#setup.aheadMs));
  }

  /** With so many in the pool there is no need for more. */
  #enough(all: number): number {
    return all === 0 ? this.#low : this.#leaseSize.enoughFor(all);
  }

  /** What is spent in the time for which tokens are leased. */
  get #expected(): number {
    return this.#spendRate.perMs * this.#setup.aheadMs;
  }

  #answered(reply: Reply, call: TokenLeaseCall, askedMs: number): void {
    const nowMs = this.#time.now();
    if (reply.granted > 0) this.#receive(reply, nowMs);
    else if (!reply.tooLate) {
      this.#denied = { amount: call.minAmount, byMs: askedMs + call.withinMs, untilMs: nowMs + reply.waitMs };
      this.#low = -1;
    }
    this.#onAnswer(nowMs);
  }

  #receive({ granted, emptyInMs, state, averageLease }: Reply, nowMs: number): void {
    const { aheadMs, graceMs } = this.#setup;
    const availableAtMs = nowMs + emptyInMs;
    const waiting = this.#line().first > 0;
    const expiresAtMs = Math.max(nowMs, availableAtMs) + (waiting ? graceMs : aheadMs);
    this.#leased += granted;
    this.#leaseSize.record(granted, averageLease);
    this.pool.add({ left: granted, availableAtMs, expiresAtMs, state }, waiting);
    // Where others wait for what is yet to come, there is nothing to be had in advance.
    this.#low = emptyInMs > aheadMs ? -1 : this.#expected / 4;
    this.#denied.untilMs = Number.NEGATIVE_INFINITY;
  }

  /** When to ask again for those who wait; `Infinity` when that is not known to be in vain until then. */
  againAtMs(nowMs: number): number {
    return this.#denied.untilMs > nowMs ? this.#denied.untilMs : Number.POSITIVE_INFINITY;
  }

  /** Whether the store has said that so many come after `byMs`. */
  isTooLate(amount: number, byMs: number, nowMs: number): boolean {
    const denied = this.#denied;
    return nowMs < denied.untilMs && amount - this.pool.left >= denied.amount && byMs <= denied.byMs;
  }

  /** Called for tokens that were leased and are not spent after all. */
  unspent(amount: number): void {
    this.#leased -= amount;
  }

  /** All that was ever leased is there at `emptyAtMs`: others may have left the line since the store refused. */
  heard(emptyAtMs: number): void {
    const { amount, byMs } = this.#denied;
    if (emptyAtMs + amount / this.#perMs <= byMs) this.#denied.untilMs = Number.NEGATIVE_INFINITY;
  }

  /** Begins anew, after an outage. */
  forgetDenial(): void {
    this.#low = 0;
    this.#denied.untilMs = Number.NEGATIVE_INFINITY;
  }
}

function missedBy(amount: number): Need {
  return { ...NO_NEED, first: amount, all: amount };
}
