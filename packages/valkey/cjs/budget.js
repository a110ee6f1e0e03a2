"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.valkeyBudget = valkeyBudget;
const core_1 = require("@ebb/core");
const bucket_1 = require("@ebb/core/bucket");
const budget_options_ts_1 = require("./budget-options.js");
const budget_store_ts_1 = require("./budget-store.js");
const events_ts_1 = require("./events.js");
const process_count_ts_1 = require("./process-count.js");
/** The reserve of a process that never reached the store. */
const COLD_RESERVE = 0.1;
/** A count of processes is valid for so many windows: the store counts over six, and keeps the six before. */
const COUNT_WINDOWS = 12;
class FleetBudget {
    part = new bucket_1.BudgetPart(this);
    #setup;
    #time;
    #lease;
    #store;
    #processes;
    /** The budget in memory of the last outage, and when that outage ended. */
    #local;
    #localUntilMs = Number.NEGATIVE_INFINITY;
    /** When the store was lost; `undefined` while it can be called. */
    #lostAtMs;
    #retryAtMs = Number.NEGATIVE_INFINITY;
    /** The call in flight, or about to be sent. */
    #calling;
    #stopTimer;
    #inStore = 0;
    #calls = 0;
    #closed;
    constructor(setup) {
        this.#setup = setup;
        this.#time = new bucket_1.SteadyTime(setup.clock);
        this.#lease = new bucket_1.LeasedRetries(setup);
        this.#store = new budget_store_ts_1.BudgetStore(setup, this.#time);
        this.#processes = new process_count_ts_1.ProcessCount(COUNT_WINDOWS * setup.windowMs);
    }
    takeClock(clock) {
        this.#time.bind(clock);
    }
    get balance() {
        if (this.#closed !== undefined)
            return 0;
        const leased = this.#lease.leased(this.#time.now());
        return leased > 0 || this.#lostAtMs === undefined ? leased : (this.#local?.balance ?? 0);
    }
    begin() {
        this.#lease.begin(this.#time.now());
        this.#scheduleCall();
    }
    end() {
        this.#lease.end();
        this.#scheduleCall();
    }
    deposit() {
        if (this.#lostAtMs === undefined)
            this.#lease.deposit();
        else
            this.#local?.deposit();
        this.#scheduleCall();
    }
    withdraw() {
        if (this.#closed !== undefined)
            return false;
        const isLeased = this.#lease.withdraw(this.#time.now());
        this.#scheduleCall();
        return isLeased || (this.#lostAtMs !== undefined && this.#local?.withdraw() === true);
    }
    refund() {
        if (this.#lostAtMs === undefined)
            this.#lease.refund(this.#time.now());
        else
            this.#local?.refund?.();
        this.#scheduleCall();
    }
    stats() {
        return {
            mode: this.#lostAtMs === undefined ? 'shared' : 'local',
            leased: this.#lease.leased(this.#time.now()),
            inStore: this.#inStore,
            processes: this.#processes.value,
            calls: this.#calls,
        };
    }
    close() {
        this.#closed ??= this.#close();
        return this.#closed;
    }
    [Symbol.asyncDispose]() {
        return this.close();
    }
    async #close() {
        this.#stopTimer?.();
        this.#lease.close();
        await this.#calling;
        // Returns what the last call leased as well.
        if (this.#lostAtMs === undefined && this.#lease.dueMs < Number.POSITIVE_INFINITY)
            await this.#call();
        this.#store.close();
    }
    /** Calls the store at the end of this turn of the event loop, or sets a timer for when a call is due. */
    #scheduleCall() {
        if (this.#closed !== undefined || this.#calling !== undefined)
            return;
        // There is no timer for a store that is lost: the next request retries it.
        const dueMs = Math.max(this.#lease.dueMs, this.#lostAtMs === undefined ? 0 : this.#retryAtMs);
        const delayMs = dueMs - this.#time.now();
        if (delayMs <= 0) {
            this.#stopTimer?.();
            this.#stopTimer = undefined;
            this.#calling = Promise.resolve().then(() => this.#call());
        }
        else if (this.#lostAtMs === undefined && delayMs < Number.POSITIVE_INFINITY) {
            this.#stopTimer ??= this.#time.clock.schedule(() => {
                this.#stopTimer = undefined;
                this.#scheduleCall();
            }, delayMs, true);
        }
    }
    async #call() {
        const sentAtMs = this.#time.now();
        this.#calls += 1;
        const call = this.#lease.call(sentAtMs);
        try {
            this.#receive(await this.#store.call(call, (reply) => this.#receive(reply, sentAtMs)), sentAtMs);
        }
        catch (error) {
            this.#startOutage(error, sentAtMs);
        }
        this.#lease.callEnded();
        this.#calling = undefined;
        this.#scheduleCall();
    }
    #receive({ granted, balance, processes }, sentAtMs) {
        this.#lease.granted(granted, sentAtMs);
        this.#inStore = balance;
        const nowMs = this.#time.now();
        this.#processes.record(processes, nowMs);
        if (this.#lostAtMs === undefined)
            return;
        const outageMs = nowMs - this.#lostAtMs;
        this.#lostAtMs = undefined;
        this.#localUntilMs = nowMs;
        (0, events_ts_1.emitStoreEvent)(this.#setup, this.#time.clock, { type: 'back', outageMs });
    }
    #startOutage(error, sinceMs) {
        const { ratio, reserve, windowMs, retryMs, random, localReserve } = this.#setup;
        this.#retryAtMs = sinceMs + retryMs * (0.5 + random() / 2);
        if (this.#lostAtMs !== undefined)
            return;
        this.#lostAtMs = sinceMs;
        const processes = this.#processes.value;
        const share = processes === 0 ? 0 : 1 / processes;
        // A store that comes and goes must not bring a new reserve each time.
        if (this.#local === undefined || sinceMs - this.#localUntilMs > windowMs) {
            const own = localReserve ?? (share > 0 ? reserve * share : Math.min(reserve, COLD_RESERVE));
            this.#local = (0, core_1.retryBudget)({ ratio, reserve: own, windowMs, clock: this.#time.clock, random });
        }
        for (let count = this.#lease.takeDeposits(); count > 0; count -= 1)
            this.#local.deposit();
        if (this.#closed === undefined)
            (0, events_ts_1.emitStoreEvent)(this.#setup, this.#time.clock, { type: 'lost', error, mode: 'local', share });
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
function valkeyBudget(options) {
    return new FleetBudget((0, budget_options_ts_1.budgetSetup)(options));
}
//# sourceMappingURL=budget.js.map