import type { Amount, Quota, SourceFault, SteadyTime, TokenSource, WaitingQueue } from '@ebb/core/bucket';
import { micro, micros } from './backlog.ts';
import { FleetDriver } from './fleet-driver.ts';
import type { Lease } from './lease.ts';
import type { LocalShare } from './local-share.ts';
import type { FleetSetup } from './options.ts';
import type { Outage } from './outage.ts';
import type { LeaseMark } from './store-call.ts';
import { messageOf } from './store-error.ts';
import { leasedMs, type UnitLease } from './unit-lease.ts';

/** A pause must fit into the times that the store can tell exactly: three years. */
const LONGEST_PAUSE_MS = 1e11;

/** The leases that the tokens of each unit are from; `undefined` if they were not leased. */
type LeasesHeld = readonly (LeaseMark | undefined)[];

const NOT_LEASED: LeasesHeld = [];

/**
 * The tokens of the fleet for one process: leased tokens, tokens to lease, and the process's share while the store
 * cannot be reached. Public amounts are tokens, and private amounts millionths of a token: a number for each unit, or a
 * single number.
 */
export class FleetTokens implements TokenSource<LeasesHeld, Amount> {
  /** The leases of the tokens that were taken last. */
  held: LeasesHeld = NOT_LEASED;
  /** The unit that the last {@link take} lacked. */
  lacking: string | undefined;
  readonly driver: FleetDriver;
  readonly #setup: FleetSetup;
  readonly #lease: Lease;

  /**
   * @param onChange called when tokens may have come in, or will not come any more
   * @param onLimits called when other limits hold
   */
  constructor(
    setup: FleetSetup,
    time: SteadyTime,
    queue: WaitingQueue<Amount>,
    onChange: () => void,
    onLimits: () => void,
  ) {
    this.#setup = setup;
    this.driver = new FleetDriver(setup, time, queue, onChange, onLimits);
    this.#lease = this.driver.lease;
  }

  get capacity(): Amount {
    return this.#amount(({ capacity }) => capacity);
  }

  get refillPerSecond(): Amount {
    return this.#amount(({ refillPerSecond }) => refillPerSecond);
  }

  /** The part of the quota that this process has without the store. */
  share(nowMs: number): number {
    const { outage, membership } = this.#lease;
    return outage?.share ?? this.#setup.localShare ?? membership.shareAt(nowMs);
  }

  /** Counts this process for a request of another bucket. */
  join(nowMs: number): void {
    this.#lease.join(nowMs);
    this.driver.soon();
  }

  /** Names this process in the store. */
  get process(): string {
    return this.#lease.membership.name;
  }

  get mode(): 'shared' | Outage['mode'] {
    return this.#lease.outage?.mode ?? 'shared';
  }

  /** How many processes share the bucket; 0 until the store has said so. */
  get processes(): number {
    return this.#lease.view.processes;
  }

  /** A number for each unit; one for a bucket of one unit. */
  #amount(of: (limit: Quota, unit: number) => number): Amount {
    const { limits, names } = this.#setup;
    const each = limits.map(of);
    return names === undefined ? (each[0] as number) : each;
  }

  /** Tokens that are leased and not spent. */
  get leased(): Amount {
    return this.#amount((_, unit) => (this.#lease.units[unit] as UnitLease).pool.left / 1e6);
  }

  /** In mode `'open'` everything is granted while the store cannot be reached. */
  get isBeyond(): boolean {
    return this.held === NOT_LEASED && this.mode === 'open';
  }

  get unavailable(): SourceFault | undefined {
    const { isClosed, outage } = this.#lease;
    if (isClosed) return { message: 'the bucket was closed' };
    if (outage?.mode !== 'closed') return undefined;
    const cause = outage.error;
    const why =
      this.#setup.onStoreError === 'closed'
        ? 'the store cannot be reached'
        : 'the store was never reached, so the share of this process is not known';
    return { message: `${why}: ${messageOf(cause)}`, cause };
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#lease.pause.untilMs - nowMs);
  }

  tokens(nowMs: number): Amount {
    return this.#amount((_, unit) => this.#tokens(unit, nowMs) / 1e6);
  }

  #tokens(unit: number, nowMs: number): number {
    const { outage, units, view } = this.#lease;
    const { left } = (units[unit] as UnitLease).pool;
    const { refillPerSecond, capacity } = this.#setup.limits[unit] as Quota;
    if (outage?.mode === 'local') return left + (outage.local[unit] as LocalShare).tokens(nowMs);
    const cameIn = (nowMs - (view.emptyAtMs[unit] as number)) * refillPerSecond * 1_000;
    return Math.min(micro(capacity), cameIn + left);
  }

  isIdle(nowMs: number): boolean {
    const isFull = ({ capacity }: Quota, unit: number): boolean =>
      this.#tokens(unit, nowMs) >= micro(capacity);
    return !this.#lease.isBusy && this.#lease.isEmpty && this.#setup.limits.every(isFull);
  }

  take(cost: Amount, nowMs: number): boolean {
    const lease = this.#lease;
    if (!lease.isOpen(nowMs)) return false;
    const amounts = micros(cost);
    if (lease.take(amounts, nowMs)) {
      if (lease.isShort) this.driver.soon();
      this.#note(lease.units);
      return true;
    }
    const { names } = this.#setup;
    if (names !== undefined) {
      const waits = amounts.map((amount, unit) => this.#unitWaitMs(unit, amount, nowMs));
      this.lacking = names[waits.indexOf(Math.max(...waits))];
    }
    if (lease.outage === undefined) return false;
    this.held = NOT_LEASED;
    this.driver.soon();
    return lease.outage.take(amounts, nowMs);
  }

  /** Notes what the tokens were leased under: most often the same as those before. */
  #note(units: readonly UnitLease[]): void {
    const { held } = this;
    for (let unit = 0; unit < units.length; unit += 1) {
      const mark = (units[unit] as UnitLease).pool.lastUsed?.mark;
      if (held.length === units.length && held[unit] === mark) continue;
      this.held = units.map(({ pool }) => pool.lastUsed?.mark);
      return;
    }
  }

  missed(cost: Amount, nowMs: number): void {
    const pausedMs = this.pausedMs(nowMs);
    if (pausedMs > 0) this.#lease.look(pausedMs, nowMs);
    else this.#lease.missed(micros(cost));
    this.driver.soon();
  }

  refusedFor(waitMs: number, nowMs: number): void {
    this.#lease.look(waitMs, nowMs);
    this.driver.soon();
  }

  isTooLate(cost: Amount, deadlineMs: number, nowMs: number): boolean {
    const { outage, units } = this.#lease;
    const lacking = micros(cost).map((amount, unit) => amount - (units[unit] as UnitLease).pool.left);
    return outage === undefined && this.#lease.isTooLate(lacking, deadlineMs, nowMs);
  }

  waitMs(cost: Amount, nowMs: number): number {
    const pausedMs = this.pausedMs(nowMs);
    const { outage } = this.#lease;
    if (outage !== undefined && outage.mode !== 'local') return pausedMs;
    return Math.max(pausedMs, ...micros(cost).map((amount, unit) => this.#unitWaitMs(unit, amount, nowMs)));
  }

  #unitWaitMs(unit: number, amount: number, nowMs: number): number {
    if (amount === 0) return 0;
    const { outage, units, view } = this.#lease;
    const { pool } = units[unit] as UnitLease;
    const lacking = amount - pool.left;
    const perMs = (this.#setup.limits[unit] as Quota).refillPerSecond * 1_000;
    return (
      pool.waitMs(amount, nowMs) ??
      outage?.local[unit]?.waitMs(lacking, nowMs) ??
      (view.emptyAtMs[unit] as number) + lacking / perMs - nowMs
    );
  }

  /** Tokens for the queue are leased at the end of the turn if there are none. */
  dueMs(firstCost: Amount, nowMs: number): number {
    this.driver.soon();
    if (firstCost === 0) return Number.POSITIVE_INFINITY;
    const { outage, pause } = this.#lease;
    if (nowMs < pause.untilMs) return pause.untilMs;
    const first = micros(firstCost);
    const leasedInMs = leasedMs(this.#lease.units, first, nowMs);
    if (leasedInMs !== undefined) return nowMs + leasedInMs;
    if (outage?.mode !== 'local') return Number.POSITIVE_INFINITY;
    const waits = outage.local.map((local, unit) => {
      const amount = first[unit] as number;
      return amount === 0 ? 0 : local.headWaitMs(amount, nowMs);
    });
    return nowMs + Math.max(...waits);
  }

  /** Tokens that were not leased cannot be given back to the store. */
  settle(surplus: Amount, held: LeasesHeld, nowMs: number): void {
    const amounts = typeof surplus === 'number' ? [surplus] : surplus;
    const { limits, maxPauseMs } = this.#setup;
    this.#lease.settle(
      amounts.map((amount, unit) => {
        const { capacity, refillPerSecond } = limits[unit] as Quota;
        // A debt too large to pay within the longest pause can only be a mistake.
        const most = capacity + (refillPerSecond * maxPauseMs) / 1_000;
        return Math.trunc(Math.max(amount, -most) * 1e6);
      }),
      held,
      nowMs,
    );
    this.driver.soon();
  }

  pause(untilMs: number, nowMs: number): void {
    this.#lease.beginPause(Math.min(untilMs, nowMs + LONGEST_PAUSE_MS), nowMs);
    this.driver.soon();
  }

  resume(nowMs: number): void {
    this.#lease.endPause(nowMs);
    this.driver.soon();
  }

  close(): Promise<void> {
    return this.driver.close();
  }
}
