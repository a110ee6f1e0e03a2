"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ServerBucket = void 0;
const token_quota_ts_1 = require("../token-quota.js");
/** The token bucket in front of a server. It starts full. */
class ServerBucket {
    #quota;
    #retryAfter;
    #state;
    constructor(limit) {
        this.#quota = new token_quota_ts_1.TokenQuota(limit);
        this.#retryAfter = limit.retryAfter ?? true;
        this.#state = this.#quota.holding(limit.capacity, 0);
    }
    take(nowMs) {
        const after = this.#quota.take(this.#state, 1, nowMs);
        if (after === undefined)
            return false;
        this.#state = after;
        return true;
    }
    /** The Retry-After of a 429, rounded up: the header takes whole seconds only. */
    retryAfterSeconds(nowMs) {
        if (!this.#retryAfter)
            return undefined;
        return Math.ceil(this.#quota.waitMs(this.#state, 1, nowMs) / 1_000);
    }
}
exports.ServerBucket = ServerBucket;
//# sourceMappingURL=server-bucket.js.map