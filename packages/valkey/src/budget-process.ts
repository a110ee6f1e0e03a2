import type { BroughtLimit, RetryBudget } from '@ebb/core';
import {
  budgetLimit,
  type ChecksCalls,
  type LeaseCall,
  LeasedRetries,
  mustHaveClock,
  SteadyTime,
} from '@ebb/core/bucket';
import { LOOK_MS, LocalBudget } from './budget-local.ts';
import type { BudgetSetup, ValkeyBudget, ValkeyBudgetStats } from './budget-options.ts';
import { type BudgetReply, BudgetStore } from './budget-store.ts';
import { emitStoreEvent } from './events.ts';
import { isPermanent } from './store-error.ts';

/** A call that only counts the processes. */
const LOOK: LeaseCall = { deposits: 0, returned: 0, wanted: 0 };

/** Times are sums of fractions: a rest below this may be too short for the clock to measure. In milliseconds. */
const SHORTEST_MS = 1e-3;

/** The retry budget of one process of the fleet: its calls to the store, and its local budget without the store. */
export class FleetBudget implements ValkeyBudget, ChecksCalls {
  readonly limit: BroughtLimit = budgetLimit(this);
  readonly #setup: BudgetSetup;
  readonly #time: SteadyTime;
  readonly #lease: LeasedRetries;
  readonly #store: BudgetStore;
  readonly #local: LocalBudget;
  /** When the store was lost; `undefined` while it can be called. */
  #lostAtMs: number | undefined;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  /** When the store was first called. */
  #startedAtMs = Number.POSITIVE_INFINITY;
  /** A call failed before the first reply. */
  #isCold = false;
  /** When to see whether the number of processes still grows. */
  #lookAtMs = Number.POSITIVE_INFINITY;
  /** The call in flight, or about to be sent. */
  #calling: Promise<void> | undefined;
  #timer: { readonly atMs: number; readonly stop: () => void } | undefined;
  #inStore = 0;
  #calls = 0;
  #closed: Promise<void> | undefined;
  #isClosing = false;

  constructor(setup: BudgetSetup) {
    this.#setup = setup;
    this.#time = new SteadyTime(setup.clock);
    this.#lease = new LeasedRetries(setup);
    this.#local = new LocalBudget(setup, this.#time);
    this.#store = new BudgetStore(setup, this.#time, {
      extraWaitMs: (error) => this.#connectLeftMs(error),
      onLate: (reply, sentAtMs) => this.#learn(reply, sentAtMs),
    });
  }

  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    mustHaveClock('a retry budget', this.#time.clock, calls);
  }

  get balance(): number {
    if (this.#closed !== undefined) return 0;
    const leased = this.#lease.leased(this.#time.now());
    return leased > 0 ? leased : (this.#localBudget()?.balance ?? 0);
  }

  begin(): void {
    if (this.#closed !== undefined) return;
    this.#lease.begin(this.#time.now());
    this.#scheduleCall();
  }

  end(): void {
    this.#lease.end();
    this.#scheduleCall();
  }

  deposit(): void {
    if (this.#lostAtMs === undefined) this.#lease.deposit();
    else this.#local.budget?.deposit();
    this.#scheduleCall();
  }

  withdraw(): boolean {
    if (this.#closed !== undefined) return false;
    const isLeased = this.#lease.withdraw(this.#time.now());
    this.#scheduleCall();
    return isLeased || this.#localBudget()?.withdraw() === true;
  }

  refund(): void {
    if (this.#lostAtMs === undefined) this.#lease.refund(this.#time.now());
    else this.#local.budget?.refund?.();
    this.#scheduleCall();
  }

  stats(): ValkeyBudgetStats {
    return {
      mode: this.#lostAtMs === undefined ? 'shared' : 'local',
      leased: this.#lease.leased(this.#time.now()),
      inStore: this.#inStore,
      processes: this.#local.processes,
      calls: this.#calls,
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    this.#stopTimer();
    this.#lease.close();
    await this.#calling;
    // Returns the leases of the last call as well.
    if (this.#lostAtMs === undefined && this.#hasToReport) await this.#call();
    this.#store.close();
    this.#isClosing = false;
    // Reports from the meantime, and later reports of requests under way, are sent at once.
    this.#scheduleCall();
  }

  get #hasToReport(): boolean {
    return this.#lease.dueMs < Number.POSITIVE_INFINITY;
  }

  /** The budget without the store, if that is unreachable. */
  #localBudget(): RetryBudget | undefined {
    if (this.#lostAtMs !== undefined) return this.#local.budget;
    const isCold = this.#isCold || this.#time.now() >= this.#startedAtMs + this.#setup.timeoutMs;
    if (this.#local.processes > 0 || !isCold) return undefined;
    if (this.#local.budget === undefined) this.#local.open();
    return this.#local.budget;
  }

  /** How much longer to wait for the first connection, in milliseconds; 0 if the store was reached before. */
  #connectLeftMs(error: unknown): number {
    const { localReserve, connectTimeoutMs } = this.#setup;
    const needsStore = localReserve === undefined && this.#local.processes === 0;
    if (!needsStore || this.#lostAtMs !== undefined || this.#closed !== undefined || isPermanent(error))
      return 0;
    const leftMs = this.#startedAtMs + connectTimeoutMs - this.#time.now();
    return leftMs < SHORTEST_MS ? 0 : leftMs;
  }

  #stopTimer(): void {
    this.#timer?.stop();
    this.#timer = undefined;
  }

  /** When to call the store, in milliseconds; `Infinity` if there is nothing to report. */
  #dueMs(): number {
    if (this.#closed !== undefined)
      return this.#hasToReport && this.#lostAtMs === undefined ? 0 : Number.POSITIVE_INFINITY;
    if (this.#lostAtMs !== undefined) return Math.max(this.#lease.dueMs, this.#retryAtMs);
    // Before the first reply a failed call is repeated, without another request.
    if (this.#isCold && this.#local.processes === 0) return this.#retryAtMs;
    return Math.min(this.#lease.dueMs, this.#lookAtMs);
  }

  /** Calls the store at the end of this turn of the event loop, or sets a timer for when a call is due. */
  #scheduleCall(): void {
    if (this.#isClosing || this.#calling !== undefined) return;
    const dueMs = this.#dueMs();
    const delayMs = dueMs - this.#time.now();
    if (delayMs < SHORTEST_MS) {
      this.#stopTimer();
      this.#calling = Promise.resolve().then(() => this.#call());
    } else if (this.#lostAtMs === undefined && dueMs < (this.#timer?.atMs ?? Number.POSITIVE_INFINITY)) {
      // There is no timer for a store that is lost: the next request retries it.
      this.#stopTimer();
      const onTime = (): void => {
        this.#timer = undefined;
        this.#scheduleCall();
      };
      this.#timer = { atMs: dueMs, stop: this.#time.clock.schedule(onTime, delayMs, true) };
    }
  }

  async #call(): Promise<void> {
    const sentAtMs = this.#time.now();
    this.#startedAtMs = Math.min(this.#startedAtMs, sentAtMs);
    this.#calls += 1;
    this.#lookAtMs = Number.POSITIVE_INFINITY;
    // During an outage a call finds out whether the store is back. It leases nothing: there is the local budget.
    const isLook = this.#lostAtMs !== undefined || (this.#local.processes > 0 && !this.#hasToReport);
    const call = isLook ? LOOK : this.#lease.call(sentAtMs);
    try {
      this.#learn(await this.#store.call(call), sentAtMs);
      this.#endOutage();
    } catch (error) {
      this.#onFailure(error, sentAtMs, call);
    }
    this.#lease.callEnded();
    this.#calling = undefined;
    // The next request retries a lost store.
    if (this.#lostAtMs === undefined) this.#scheduleCall();
  }

  /** A late reply teaches as well, but the store stays lost until it replies in time. */
  #learn(reply: BudgetReply, sentAtMs: number): void {
    this.#lease.granted(reply.granted, sentAtMs);
    this.#inStore = reply.balance;
    this.#local.observe(reply);
    if (this.#local.isGrowing) this.#lookAtMs = this.#time.now() + LOOK_MS;
  }

  #endOutage(): void {
    if (this.#lostAtMs === undefined) return;
    const outageMs = this.#time.now() - this.#lostAtMs;
    this.#lostAtMs = undefined;
    this.#local.close();
    emitStoreEvent(this.#setup, this.#time.clock, { type: 'back', outageMs });
  }

  #onFailure(error: unknown, sinceMs: number, call: LeaseCall): void {
    const { retryMs, random } = this.#setup;
    const delayMs = retryMs * (0.5 + random() / 2);
    this.#retryAtMs = sinceMs + delayMs;
    this.#isCold = true;
    const leftMs = this.#connectLeftMs(error);
    if (leftMs > 0) {
      this.#retryAtMs = this.#time.now() + Math.min(delayMs, leftMs);
      return;
    }
    if (this.#lostAtMs !== undefined) return;
    this.#lostAtMs = sinceMs;
    const share = this.#local.open();
    for (let count = this.#lease.takeDeposits(); count > 0; count -= 1) this.#local.budget?.deposit();
    // After `close` only a report that could not be sent is worth an event.
    if (this.#closed === undefined || call.deposits + call.returned > 0)
      emitStoreEvent(this.#setup, this.#time.clock, { type: 'lost', error, mode: 'local', share });
  }
}
