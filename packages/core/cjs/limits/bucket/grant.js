"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.TokenGrant = void 0;
const check_ts_1 = require("../../base/check.js");
/** Tokens from a bucket. Without a bucket to settle with, they do not conform: they came from nowhere. */
class TokenGrant {
    cost;
    waitedMs;
    grantedAtMs;
    conforming;
    #held;
    #bucket;
    constructor(cost, waitedMs, grantedAtMs, held, bucket) {
        this.cost = cost;
        this.waitedMs = waitedMs;
        this.grantedAtMs = grantedAtMs;
        this.conforming = bucket !== undefined;
        this.#held = held;
        this.#bucket = bucket;
    }
    settle(actualCost) {
        (0, check_ts_1.notNegative)('settle: actualCost', actualCost);
        const bucket = this.#bucket;
        this.#bucket = undefined;
        if (actualCost !== this.cost)
            bucket?.settleGrant(this.cost - actualCost, this.#held);
    }
}
exports.TokenGrant = TokenGrant;
//# sourceMappingURL=grant.js.map