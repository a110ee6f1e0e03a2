"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.concurrencyLimit = concurrencyLimit;
exports.concurrencyPerKey = concurrencyPerKey;
const check_ts_1 = require("../base/check.js");
const options_ts_1 = require("../base/options.js");
const concurrency_ts_1 = require("../parts/concurrency.js");
const per_key_ts_1 = require("./per-key.js");
const per_key_options_ts_1 = require("./per-key-options.js");
const options_ts_2 = require("./queue/options.js");
const time_ts_1 = require("./queue/time.js");
const waiting_room_ts_1 = require("./queue/waiting-room.js");
const CONCURRENCY_OPTIONS = {
    maxConcurrent: { check: check_ts_1.countingNumber, required: true },
    ...options_ts_2.WAITING_OPTIONS,
    clock: options_ts_1.LIMIT_CLOCK_OPTION,
};
class HeldSlot {
    waitedMs;
    #release;
    constructor(waitedMs, release) {
        this.waitedMs = waitedMs;
        this.#release = release;
    }
    release() {
        const release = this.#release;
        this.#release = undefined;
        release?.();
    }
}
class Semaphore {
    beforeUse;
    #maxConcurrent;
    #time;
    #room;
    #inUse = 0;
    #release = () => {
        this.#inUse -= 1;
        // Without a queue the time is not needed, and reading it is most of the work.
        if (this.#room.size > 0)
            this.#serve();
    };
    constructor(setup) {
        this.#maxConcurrent = setup.maxConcurrent;
        this.#time = new time_ts_1.SteadyTime(setup.clock);
        this.#room = new waiting_room_ts_1.WaitingRoom(setup, this.#time, () => this.#serve());
    }
    get part() {
        return new concurrency_ts_1.ConcurrencyPart(this);
    }
    takeClock(clock) {
        this.#time.bind(clock);
    }
    tryAcquire() {
        this.beforeUse?.();
        return this.#room.size === 0 && this.#inUse < this.#maxConcurrent ? this.#take(0) : undefined;
    }
    acquire(options = {}) {
        try {
            const lane = this.#room.laneFor(options);
            if (options.signal?.aborted)
                throw options.signal.reason;
            this.beforeUse?.();
            const nowMs = this.#time.now();
            if (this.#inUse < this.#maxConcurrent && this.#room.goesFirst(lane, options, nowMs)) {
                return Promise.resolve(this.#take(0));
            }
            const slot = this.#room.join(options, lane, 1, undefined, nowMs);
            this.#room.arm(nowMs, Number.POSITIVE_INFINITY);
            return slot;
        }
        catch (error) {
            return Promise.reject(error);
        }
    }
    stats() {
        return {
            inUse: this.#inUse,
            maxConcurrent: this.#maxConcurrent,
            waiting: this.#room.size,
            refused: this.#room.refused,
        };
    }
    #take(waitedMs) {
        this.#inUse += 1;
        return new HeldSlot(waitedMs, this.#release);
    }
    #serve() {
        const nowMs = this.#time.now();
        this.#room.serve(nowMs, (_cost, waitedMs) => this.#inUse < this.#maxConcurrent ? this.#take(waitedMs) : undefined);
        this.#room.arm(nowMs, Number.POSITIVE_INFINITY);
    }
}
/**
 * Limits how many requests are in flight at a time, as App Engine's `max_concurrent_requests` does. A token bucket limits
 * how many start per second; a policy may have both. A request then takes its slot and its tokens together, and holds
 * neither while it waits for the other.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { concurrencyLimit, createPolicy } from '@ebb/core';
 *
 * const concurrency = concurrencyLimit({ maxConcurrent: 20, maxQueue: 1_000 });
 * const policy = createPolicy({ concurrency });
 * ```
 */
function concurrencyLimit(options) {
    return new Semaphore((0, options_ts_1.readOptions)('concurrencyLimit', options, CONCURRENCY_OPTIONS));
}
function isIdle(limit) {
    const { inUse, waiting } = limit.stats();
    return inUse === 0 && waiting === 0;
}
function concurrencyPerKey(...given) {
    const { make, setup } = (0, per_key_options_ts_1.readPerKey)('concurrencyPerKey', given, CONCURRENCY_OPTIONS, (options) => {
        const limit = (0, options_ts_1.readOptions)('concurrencyLimit', options, CONCURRENCY_OPTIONS);
        return () => new Semaphore(limit);
    });
    return new per_key_ts_1.KeyMap(make, isIdle, setup);
}
//# sourceMappingURL=concurrency.js.map