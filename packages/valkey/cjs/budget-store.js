"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.BudgetStore = void 0;
const budget_script_ts_1 = require("./budget-script.js");
const connection_ts_1 = require("./connection.js");
const run_script_ts_1 = require("./run-script.js");
const store_error_ts_1 = require("./store-error.js");
const time_limit_ts_1 = require("./time-limit.js");
const SCRIPT = { text: budget_script_ts_1.BUDGET_SCRIPT, sha1: budget_script_ts_1.BUDGET_SCRIPT_SHA1 };
const whole = (number) => number.toFixed(0);
/** Calls the script of one budget. */
class BudgetStore {
    #setup;
    #time;
    #connection;
    /** How far the server's clock is ahead of ours, in milliseconds; `undefined` before the first reply. */
    #clockAheadMs;
    /** When the script last ran for this process, on the server's clock, in microseconds. */
    #calledAtUs = 0;
    constructor(setup, time) {
        this.#setup = setup;
        this.#time = time;
        this.#connection = (0, connection_ts_1.watchConnection)(setup.client);
    }
    /** Rejects with the client's error, or if there is no reply in time. A later reply goes to `onLate`. */
    call(call, onLate) {
        const { timeoutMs } = this.#setup;
        return new Promise((resolve, reject) => {
            let isLate = false;
            const onTimeout = () => {
                isLate = true;
                reject((0, store_error_ts_1.noReply)(timeoutMs, this.#connection.error()));
            };
            const stopTimer = (0, time_limit_ts_1.timeLimit)(this.#time.clock, timeoutMs, onTimeout, true);
            this.#send(call).then((reply) => {
                stopTimer();
                if (isLate)
                    onLate(reply);
                else
                    resolve(reply);
            }, (error) => {
                stopTimer();
                reject((0, store_error_ts_1.withoutSecrets)(error));
            });
        });
    }
    /** Stops watching the client. */
    close() {
        this.#connection.release();
    }
    async #send({ deposits, returned, wanted }) {
        const { storeClient, key, ratio, reserve, windowMs, timeoutMs } = this.#setup;
        // A call that was queued until no one waits for its reply must do nothing, so it carries a deadline.
        const deadlineMs = this.#clockAheadMs === undefined ? 0 : this.#time.now() + this.#clockAheadMs + 2 * timeoutMs;
        const terms = [Math.floor(ratio * 1e6), Math.floor(reserve * 1e6), Math.ceil(windowMs * 100)];
        const numbers = [...terms, Math.ceil(deadlineMs * 1_000), this.#calledAtUs, deposits, returned, wanted];
        return this.#read(await (0, run_script_ts_1.runScript)(storeClient, SCRIPT, key, numbers.map(whole)));
    }
    #read(reply) {
        const numbers = Array.isArray(reply) ? reply.slice(0, 5).map(Number) : [];
        const [granted = 0, balance = 0, processes = 1, late = 0, nowUs = 0] = numbers;
        if (numbers.length < 5 || !numbers.every(Number.isFinite)) {
            throw new Error(`Unexpected reply from the store: ${JSON.stringify(reply)}`);
        }
        this.#connection.clearError();
        this.#clockAheadMs = nowUs / 1_000 - this.#time.now();
        if (late > 0)
            throw new Error('The call reached the store after its deadline');
        this.#calledAtUs = nowUs;
        return { granted, balance, processes };
    }
}
exports.BudgetStore = BudgetStore;
//# sourceMappingURL=budget-store.js.map