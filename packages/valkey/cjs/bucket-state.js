"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.BucketState = void 0;
const store_call_ts_1 = require("./store-call.js");
/** The state of the shared bucket by the last reply of the store. */
class BucketState {
    /** When the bucket is or was empty; `-Infinity` before the first reply. */
    emptyAtMs = Number.NEGATIVE_INFINITY;
    /** For how long after the last reply all tokens are leased already, in milliseconds. */
    leasedAheadMs = 0;
    /** When the store replied, by its own clock in microseconds. */
    #repliedAtUs = Number.NEGATIVE_INFINITY;
    /** Returns false, and changes nothing, if a newer reply came before. */
    observe(reply, nowMs) {
        if ((0, store_call_ts_1.isOvertaken)(reply.atUs, this.#repliedAtUs))
            return false;
        this.#repliedAtUs = reply.atUs;
        this.leasedAheadMs = Math.max(0, reply.emptyInMs);
        this.emptyAtMs = nowMs + reply.emptyInMs;
        return true;
    }
}
exports.BucketState = BucketState;
//# sourceMappingURL=bucket-state.js.map