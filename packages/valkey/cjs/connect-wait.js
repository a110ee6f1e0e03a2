"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ConnectWait = void 0;
const store_error_ts_1 = require("./store-error.js");
/** Default of `connectTimeoutMs`. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Times are sums of fractions: a rest below this may be too short for the clock to measure. In milliseconds. */
const SHORTEST_MS = 1e-3;
/** How long requests wait for the first connection to the store. */
class ConnectWait {
    #setup;
    #time;
    #deadlineMs;
    #startedAtMs;
    /** `deadlineMs` returns when the first request in the queue gives up; `Infinity` if never, or if none waits. */
    constructor(setup, time, deadlineMs) {
        this.#setup = setup;
        this.#time = time;
        this.#deadlineMs = deadlineMs;
    }
    /** Starts the wait with the first call to the store. */
    start(nowMs) {
        this.#startedAtMs ??= nowMs;
    }
    /** Milliseconds left; 0 if requests can go without the store, or if `error` is permanent. */
    leftMs(error) {
        const { onStoreError, localShare, connectTimeoutMs } = this.#setup;
        const needsStore = onStoreError === 'closed' || (onStoreError === 'local' && localShare === undefined);
        if (!needsStore || (0, store_error_ts_1.isPermanent)(error))
            return 0;
        const untilMs = (this.#startedAtMs ?? 0) + (connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
        const deadlineMs = connectTimeoutMs === undefined ? this.#deadlineMs() : Number.POSITIVE_INFINITY;
        const endMs = deadlineMs === Number.POSITIVE_INFINITY ? untilMs : Math.max(untilMs, deadlineMs);
        const leftMs = endMs - this.#time.now();
        return leftMs < SHORTEST_MS ? 0 : leftMs;
    }
}
exports.ConnectWait = ConnectWait;
//# sourceMappingURL=connect-wait.js.map