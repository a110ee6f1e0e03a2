"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Bucket = void 0;
exports.originGate = originGate;
exports.tokenBucket = tokenBucket;
const check_ts_1 = require("../../base/check.js");
const memory_tokens_ts_1 = require("./memory-tokens.js");
const options_ts_1 = require("./options.js");
const quota_state_ts_1 = require("./quota-state.js");
const waiting_bucket_ts_1 = require("./waiting-bucket.js");
/** What {@link tokenBucket} returns. */
class Bucket extends waiting_bucket_ts_1.WaitingBucket {
    /** The rate that it was made with. At another rate it must not be evicted. */
    #made;
    /** The rate that the user set last. An adaptive bucket may be slower for a while. */
    #wantedRate;
    constructor(setup) {
        const { refillIntervalMs, initialTokens, furtherLimits } = setup;
        super(setup, () => new memory_tokens_ts_1.MemoryTokens(new quota_state_ts_1.QuotaState(setup, refillIntervalMs, initialTokens, 0), furtherLimits.map((rate) => new quota_state_ts_1.QuotaState(rate, 0, rate.capacity, 0))), (tokens, tally) => originGate({ ...setup, tally }, this.gateRate, tokens));
        this.#made = setup;
        this.#wantedRate = setup.refillPerSecond;
    }
    /** An adaptive bucket that is slower for a while limits its origins by itself. */
    get gateRate() {
        return { refillPerSecond: this.#wantedRate, capacity: this.source.ownCapacity };
    }
    setRate(refillPerSecond, capacity = this.source.ownCapacity) {
        (0, options_ts_1.checkRate)('setRate', { refillPerSecond, capacity });
        this.#wantedRate = refillPerSecond;
        this.changeRate(refillPerSecond, capacity);
        for (const gate of this.gates())
            gate.#remake({ refillPerSecond, capacity });
    }
    /** Changes the bucket as if it had been made with this rate. */
    #remake(rate) {
        this.#made = rate;
        this.#wantedRate = rate.refillPerSecond;
        this.changeRate(rate.refillPerSecond, rate.capacity);
    }
    /** Sets the rate, but not the one that the user wants: an adaptive bucket finds its rate again after an eviction. */
    changeRate(refillPerSecond, capacity = this.source.ownCapacity) {
        this.beforeUse?.();
        this.source.setRate({ refillPerSecond, capacity }, this.time.now());
        this.capacityChanged();
    }
    waitMs(tokens = 1) {
        (0, check_ts_1.notNegative)('waitMs: tokens', tokens);
        return this.source.waitMs(tokens, this.time.now());
    }
    stats() {
        const stats = super.stats();
        const { refillPerSecond, capacity } = this.#made;
        const isAsMade = this.#wantedRate === refillPerSecond && this.source.ownCapacity === capacity;
        return { ...stats, idle: stats.idle && isAsMade };
    }
}
exports.Bucket = Bucket;
/** A bucket for an origin that asked for a pause. It starts empty or with so many tokens, and stands in front of a bucket of this rate. */
function originGate(setup, { refillPerSecond, capacity }, tokens = 0) {
    const gate = { refillPerSecond, capacity, initialTokens: tokens, furtherLimits: [] };
    return new Bucket({ refillIntervalMs: 0, ...setup, ...gate });
}
/**
 * A token bucket: `capacity` tokens at most, `refillPerSecond` of them come back each second, and each request takes its
 * cost before it is sent. In any window of time at most `capacity + refillPerSecond · window` tokens are granted.
 *
 * Most callers give it to a policy: `createPolicy({ bucket })`. Without a client use `acquire`, which waits for its
 * turn; `tryAcquire` if the work can be dropped or done later; `stats` to watch it. `pauseFor` and `setRate` are for
 * quotas that change at run time.
 *
 * The bound holds for the moments at which requests are sent. A server counts when they arrive, and the network may
 * bunch them: stay five to ten percent below a hard limit.
 *
 * One timer serves the whole queue. It keeps the process alive only while a request waits.
 *
 * @example
 * ```ts
 * import { createPolicy, tokenBucket } from '@ebb/core';
 *
 * // At most 500 requests a second on average, and 100 at once; a request waits for at most 5 s.
 * const bucket = tokenBucket({ refillPerSecond: 500, capacity: 100, maxWaitMs: 5_000 });
 * const policy = createPolicy({ bucket });
 * ```
 *
 * @throws TypeError, RangeError for a wrong option
 */
function tokenBucket(options) {
    return new Bucket((0, options_ts_1.bucketSetup)(options));
}
//# sourceMappingURL=token-bucket.js.map