"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ProcessCount = void 0;
/**
 * How many processes share a key: the highest count that the store returned in the last `validMs`. A store that lost
 * the key counts from 0 again, so a lower count is ignored for a while.
 */
class ProcessCount {
    #validMs;
    #value = 0;
    #countedAtMs = Number.NEGATIVE_INFINITY;
    constructor(validMs) {
        this.#validMs = validMs;
    }
    /** 0 before the first reply. */
    get value() {
        return this.#value;
    }
    record(count, nowMs) {
        if (count < this.#value && nowMs < this.#countedAtMs + this.#validMs)
            return;
        this.#value = count;
        this.#countedAtMs = nowMs;
    }
    /** The present count is valid for another `validMs`. */
    renew(nowMs) {
        this.#countedAtMs = nowMs;
    }
}
exports.ProcessCount = ProcessCount;
//# sourceMappingURL=process-count.js.map