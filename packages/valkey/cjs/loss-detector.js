"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ForgetfulStoreError = exports.LossDetector = void 0;
/** Two losses within this time, or within the time in which the bucket fills, start an outage. In milliseconds. */
const REPEATED_MS = 2_000;
/** A store that has kept the bucket at least this long, or until it was full, has recovered from a loss. */
const LEAST_KEPT_MS = 100;
/**
 * Detects a store that loses the bucket repeatedly. After one loss the processes restore what they know. If the store
 * loses it again before the bucket is full, it never learns what all processes have leased together.
 */
class LossDetector {
    #fillMs;
    #lastMs = Number.NEGATIVE_INFINITY;
    #wasKept = true;
    /** `fillMs`: how long the bucket takes to fill. */
    constructor(fillMs) {
        this.#fillMs = Math.max(LEAST_KEPT_MS, fillMs);
    }
    /**
     * Records whether a reply shows that the store has lost the bucket.
     *
     * @throws ForgetfulStoreError if it has lost the bucket again
     */
    record(lostBucket, nowMs) {
        const agoMs = nowMs - this.#lastMs;
        if (!lostBucket) {
            this.#wasKept ||= agoMs >= this.#fillMs;
            return;
        }
        const again = !this.#wasKept && agoMs <= Math.max(REPEATED_MS, this.#fillMs);
        this.#lastMs = nowMs;
        this.#wasKept = false;
        if (again)
            throw new ForgetfulStoreError(agoMs);
    }
}
exports.LossDetector = LossDetector;
/** The `error` of a `lost` event if the store does not keep the bucket. */
class ForgetfulStoreError extends Error {
    name = 'ForgetfulStoreError';
    constructor(agoMs) {
        super(`The store lost the bucket twice within ${Math.ceil(agoMs)} ms. Check its memory limit and its eviction policy.`);
    }
}
exports.ForgetfulStoreError = ForgetfulStoreError;
//# sourceMappingURL=loss-detector.js.map