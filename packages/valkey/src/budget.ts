import { type RetryBudget, retryBudget } from '@ebb/core';
import { callObserver, LeasedRetries, SteadyTime } from '@ebb/core/bucket';
import { type BudgetSetup, budgetSetup, type ValkeyBudgetOptions } from './budget-options.ts';
import { type BudgetReply, BudgetStore } from './budget-store.ts';
import type { StoreEvent } from './events.ts';

/** How a shared budget stands, as far as this process knows. */
export interface ValkeyBudgetStats {
  /** `'local'` while the store cannot be asked. */
  readonly mode: 'shared' | 'local';
  /** Retries that this process has leased and not spent. */
  readonly leased: number;
  /** Retries that were left in the store at the last reply. */
  readonly inStore: number;
  /** How many processes called the store lately; 0 before the first reply. */
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
   * Reports the last successes to the store, and gives back what is leased and not spent. From now on there is
   * no retry. Never rejects, and ends within twice `timeoutMs`. The client stays open.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The reserve of a process that never reached the store. */
const COLD_RESERVE = 0.1;

class FleetBudget implements ValkeyBudget {
  readonly #setup: BudgetSetup;
  readonly #time: SteadyTime;
  readonly #lease: LeasedRetries;
  readonly #store: BudgetStore;
  /** What holds while the store is lost, and when it held last. */
  #local: RetryBudget | undefined;
  #localUntilMs = Number.NEGATIVE_INFINITY;
  /** `undefined` while the store can be asked. */
  #lostAtMs: number | undefined;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  /** The call that is under way, or about to be sent. */
  #calling: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #inStore = 0;
  /** The highest count of the last twelve windows; 0 before the first reply. */
  #processes = 0;
  #countedAtMs = Number.NEGATIVE_INFINITY;
  #calls = 0;
  #closed: Promise<void> | undefined;

  constructor(setup: BudgetSetup) {
    this.#setup = setup;
    this.#time = new SteadyTime(setup.clock);
    this.#lease = new LeasedRetries(setup);
    this.#store = new BudgetStore(setup, this.#time);
  }

  get balance(): number {
    if (this.#closed !== undefined) return 0;
    const leased = this.#lease.leased(this.#time.now());
    return leased > 0 || this.#lostAtMs === undefined ? leased : (this.#local?.balance ?? 0);
  }

  begin(): void {
    this.#lease.begin(this.#time.now());
    this.#callInTime();
  }

  end(): void {
    this.#lease.end();
    this.#callInTime();
  }

  deposit(): void {
    if (this.#lostAtMs === undefined) this.#lease.deposit();
    else this.#local?.deposit();
    this.#callInTime();
  }

  withdraw(): boolean {
    if (this.#closed !== undefined) return false;
    const isLeased = this.#lease.withdraw(this.#time.now());
    this.#callInTime();
    return isLeased || (this.#lostAtMs !== undefined && this.#local?.withdraw() === true);
  }

  refund(): void {
    if (this.#lostAtMs === undefined) this.#lease.refund(this.#time.now());
    else this.#local?.refund?.();
    this.#callInTime();
  }

  stats(): ValkeyBudgetStats {
    return {
      mode: this.#lostAtMs === undefined ? 'shared' : 'local',
      leased: this.#lease.leased(this.#time.now()),
      inStore: this.#inStore,
      processes: this.#processes,
      calls: this.#calls,
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#giveBack();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #giveBack(): Promise<void> {
    this.#stopTimer?.();
    this.#lease.close();
    await this.#calling;
    // What the last call brought goes back as well.
    if (this.#lostAtMs === undefined && this.#lease.dueMs < Number.POSITIVE_INFINITY) await this.#call();
    this.#store.close();
  }

  /** Calls the store at the end of this turn, or as soon as a call is due. */
  #callInTime(): void {
    if (this.#closed !== undefined || this.#calling !== undefined) return;
    // Nothing waits on a store that is lost: the next request tries it again.
    const dueMs = Math.max(this.#lease.dueMs, this.#lostAtMs === undefined ? 0 : this.#retryAtMs);
    const delayMs = dueMs - this.#time.now();
    if (delayMs <= 0) {
      this.#stopTimer?.();
      this.#stopTimer = undefined;
      this.#calling = Promise.resolve().then(() => this.#call());
    } else if (this.#lostAtMs === undefined && delayMs < Number.POSITIVE_INFINITY) {
      this.#stopTimer ??= this.#setup.clock.schedule(
        () => {
          this.#stopTimer = undefined;
          this.#callInTime();
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
      this.#lose(error, sentAtMs);
    }
    this.#lease.callEnded();
    this.#calling = undefined;
    this.#callInTime();
  }

  #receive({ granted, balance, processes }: BudgetReply, sentAtMs: number): void {
    this.#lease.granted(granted, sentAtMs);
    this.#inStore = balance;
    this.#count(processes);
    if (this.#lostAtMs === undefined) return;
    const nowMs = this.#time.now();
    const outageMs = nowMs - this.#lostAtMs;
    this.#lostAtMs = undefined;
    this.#localUntilMs = nowMs;
    this.#tell({ type: 'back', outageMs });
  }

  /** A store that has lost the key counts from 0, so that a lower count is ignored for twelve windows. */
  #count(processes: number): void {
    const nowMs = this.#time.now();
    if (processes < this.#processes && nowMs < this.#countedAtMs + 12 * this.#setup.windowMs) return;
    this.#processes = processes;
    this.#countedAtMs = nowMs;
  }

  #lose(error: unknown, sinceMs: number): void {
    const { ratio, reserve, windowMs, retryMs, clock, random, localReserve } = this.#setup;
    this.#retryAtMs = sinceMs + retryMs * (0.5 + random() / 2);
    if (this.#lostAtMs !== undefined) return;
    this.#lostAtMs = sinceMs;
    const share = this.#processes === 0 ? 0 : 1 / this.#processes;
    // A store that comes and goes brings no new reserve each time.
    if (this.#local === undefined || sinceMs - this.#localUntilMs > windowMs) {
      const own = localReserve ?? (share > 0 ? reserve * share : Math.min(reserve, COLD_RESERVE));
      this.#local = retryBudget({ ratio, reserve: own, windowMs, clock, random });
    }
    for (let count = this.#lease.takeDeposits(); count > 0; count -= 1) this.#local.deposit();
    if (this.#closed === undefined) this.#tell({ type: 'lost', error, mode: 'local', share });
  }

  #tell(
    event:
      | { type: 'lost'; error: unknown; mode: 'local'; share: number }
      | { type: 'back'; outageMs: number },
  ): void {
    const { onStoreEvent, key, clock } = this.#setup;
    if (onStoreEvent === undefined) return;
    callObserver('onStoreEvent', onStoreEvent, { ...event, key, atMs: clock.now() } as StoreEvent);
  }
}

/**
 * A retry budget that lies in Valkey or Redis, shared by all processes that name the same key: the whole fleet
 * retries at most `reserve` times, and `ratio` times for each request that went well. See core's `retryBudget`,
 * whose windows it has.
 *
 * `withdraw` returns at once, so a retry is leased from the store before it is needed: when a request begins, and
 * with at most one call in `lease.aheadMs`. A request that fails before the first reply is not retried.
 *
 * @throws TypeError, RangeError for a wrong option
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
