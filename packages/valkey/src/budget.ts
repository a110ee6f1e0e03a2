import { type Clock, type Part, type RetryBudget, retryBudget } from '@ebb/core';
import { BudgetPart, LeasedRetries, SteadyTime } from '@ebb/core/bucket';
import { type BudgetSetup, budgetSetup, type ValkeyBudgetOptions } from './budget-options.ts';
import { type BudgetReply, BudgetStore } from './budget-store.ts';
import { emitStoreEvent } from './events.ts';
import { ProcessCount } from './process-count.ts';

/** The state of a shared budget, as far as this process knows it. */
export interface ValkeyBudgetStats {
  /** `'local'` while the store is unreachable. */
  readonly mode: 'shared' | 'local';
  /** Retries that this process has leased and not spent. */
  readonly leased: number;
  /** Retries that were left in the store at the last reply. */
  readonly inStore: number;
  /** How many processes called the store in the last windows; 0 before the first reply. */
  readonly processes: number;
  /** How often this process has called the store. */
  readonly calls: number;
}

/** A retry budget that all processes with the same key share. */
export interface ValkeyBudget extends RetryBudget {
  begin(): void;
  end(): void;
  refund(): void;
  stats(): ValkeyBudgetStats;
  /**
   * Reports the last successes to the store and returns unspent leases. From now on no retry is allowed. Never rejects,
   * and ends within twice `timeoutMs`. The client stays open.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The reserve of a process that never reached the store. */
const COLD_RESERVE = 0.1;

/** A count of processes is valid for so many windows: the store counts over six, and keeps the six before. */
const COUNT_WINDOWS = 12;

class FleetBudget implements ValkeyBudget {
  readonly part: Part = new BudgetPart(this);
  readonly #setup: BudgetSetup;
  readonly #time: SteadyTime;
  readonly #lease: LeasedRetries;
  readonly #store: BudgetStore;
  readonly #processes: ProcessCount;
  /** The budget in memory of the last outage, and when that outage ended. */
  #local: RetryBudget | undefined;
  #localUntilMs = Number.NEGATIVE_INFINITY;
  /** When the store was lost; `undefined` while it can be called. */
  #lostAtMs: number | undefined;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  /** The call in flight, or about to be sent. */
  #calling: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #inStore = 0;
  #calls = 0;
  #closed: Promise<void> | undefined;

  constructor(setup: BudgetSetup) {
    this.#setup = setup;
    this.#time = new SteadyTime(setup.clock);
    this.#lease = new LeasedRetries(setup);
    this.#store = new BudgetStore(setup, this.#time);
    this.#processes = new ProcessCount(COUNT_WINDOWS * setup.windowMs);
  }

  takeClock(clock: Clock): void {
    this.#time.bind(clock);
  }

  get balance(): number {
    if (this.#closed !== undefined) return 0;
    const leased = this.#lease.leased(this.#time.now());
    return leased > 0 || this.#lostAtMs === undefined ? leased : (this.#local?.balance ?? 0);
  }

  begin(): void {
    this.#lease.begin(this.#time.now());
    this.#scheduleCall();
  }

  end(): void {
    this.#lease.end();
    this.#scheduleCall();
  }

  deposit(): void {
    if (this.#lostAtMs === undefined) this.#lease.deposit();
    else this.#local?.deposit();
    this.#scheduleCall();
  }

  withdraw(): boolean {
    if (this.#closed !== undefined) return false;
    const isLeased = this.#lease.withdraw(this.#time.now());
    this.#scheduleCall();
    return isLeased || (this.#lostAtMs !== undefined && this.#local?.withdraw() === true);
  }

  refund(): void {
    if (this.#lostAtMs === undefined) this.#lease.refund(this.#time.now());
    else this.#local?.refund?.();
    this.#scheduleCall();
  }

  stats(): ValkeyBudgetStats {
    return {
      mode: this.#lostAtMs === undefined ? 'shared' : 'local',
      leased: this.#lease.leased(this.#time.now()),
      inStore: this.#inStore,
      processes: this.#processes.value,
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
    this.#stopTimer?.();
    this.#lease.close();
    await this.#calling;
    // Returns what the last call leased as well.
    if (this.#lostAtMs === undefined && this.#lease.dueMs < Number.POSITIVE_INFINITY) await this.#call();
    this.#store.close();
  }

  /** Calls the store at the end of this turn of the event loop, or sets a timer for when a call is due. */
  #scheduleCall(): void {
    if (this.#closed !== undefined || this.#calling !== undefined) return;
    // There is no timer for a store that is lost: the next request retries it.
    const dueMs = Math.max(this.#lease.dueMs, this.#lostAtMs === undefined ? 0 : this.#retryAtMs);
    const delayMs = dueMs - this.#time.now();
    if (delayMs <= 0) {
      this.#stopTimer?.();
      this.#stopTimer = undefined;
      this.#calling = Promise.resolve().then(() => this.#call());
    } else if (this.#lostAtMs === undefined && delayMs < Number.POSITIVE_INFINITY) {
      this.#stopTimer ??= this.#time.clock.schedule(
        () => {
          this.#stopTimer = undefined;
          this.#scheduleCall();
        },
        delayMs,
        true,
      );
    }
  }

  async #call(): Promise<void> {
    const sentAtMs = this.#time.now();
    this.#calls += 1;
    const call = this.#lease.call(sentAtMs);
    try {
      this.#receive(await this.#store.call(call, (reply) => this.#receive(reply, sentAtMs)), sentAtMs);
    } catch (error) {
      this.#startOutage(error, sentAtMs);
    }
    this.#lease.callEnded();
    this.#calling = undefined;
    this.#scheduleCall();
  }

  #receive({ granted, balance, processes }: BudgetReply, sentAtMs: number): void {
    this.#lease.granted(granted, sentAtMs);
    this.#inStore = balance;
    const nowMs = this.#time.now();
    this.#processes.record(processes, nowMs);
    if (this.#lostAtMs === undefined) return;
    const outageMs = nowMs - this.#lostAtMs;
    this.#lostAtMs = undefined;
    this.#localUntilMs = nowMs;
    emitStoreEvent(this.#setup, this.#time.clock, { type: 'back', outageMs });
  }

  #startOutage(error: unknown, sinceMs: number): void {
    const { ratio, reserve, windowMs, retryMs, random, localReserve } = this.#setup;
    this.#retryAtMs = sinceMs + retryMs * (0.5 + random() / 2);
    if (this.#lostAtMs !== undefined) return;
    this.#lostAtMs = sinceMs;
    const processes = this.#processes.value;
    const share = processes === 0 ? 0 : 1 / processes;
    // A store that comes and goes must not bring a new reserve each time.
    if (this.#local === undefined || sinceMs - this.#localUntilMs > windowMs) {
      const own = localReserve ?? (share > 0 ? reserve * share : Math.min(reserve, COLD_RESERVE));
      this.#local = retryBudget({ ratio, reserve: own, windowMs, clock: this.#time.clock, random });
    }
    for (let count = this.#lease.takeDeposits(); count > 0; count -= 1) this.#local.deposit();
    if (this.#closed === undefined)
      emitStoreEvent(this.#setup, this.#time.clock, { type: 'lost', error, mode: 'local', share });
  }
}

/**
 * A retry budget in Valkey or Redis, shared by all processes with the same key. The whole fleet retries at most
 * `reserve` times, plus `ratio` times for each request that succeeds. The windows are those of core's `retryBudget`.
 *
 * A request that fails before the first reply of the store is not retried: `withdraw` is synchronous, so a retry is
 * leased before it is needed, when a request begins. A process makes at most one call per `lease.aheadMs`.
 *
 * @throws TypeError, RangeError if an option is invalid; the message names it
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { valkeyBudget } from '@ebb/valkey';
 * import { Redis } from 'iovalkey';
 *
 * const client = new Redis('redis://localhost:6379');
 * const budget = valkeyBudget({ client, key: 'api.example.com', ratio: 0.1 });
 * const fetch = createFetch({ budget });
 * ```
 */
export function valkeyBudget(options: ValkeyBudgetOptions): ValkeyBudget {
  return new FleetBudget(budgetSetup(options));
}
