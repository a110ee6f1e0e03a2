"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.passThrough = passThrough;
const token_quota_ts_1 = require("../../simulation/token-quota.js");
/** Passes requests through a token bucket one by one, first come, first served. */
function passThrough(traffic) {
    const { nonConforming = 'delay', arrivalsMs } = traffic;
    const quota = new token_quota_ts_1.TokenQuota(traffic);
    let state = quota.holding(traffic.capacity, 0);
    return arrivalsMs.map((arrivedAtMs) => {
        const waitMs = quota.waitMs(state, 1, arrivedAtMs);
        const conforming = waitMs === 0;
        if (conforming || nonConforming === 'delay') {
            state = quota.spend(state, 1, arrivedAtMs);
            return { arrivedAtMs, sentAtMs: arrivedAtMs + waitMs, conforming };
        }
        return { arrivedAtMs, sentAtMs: nonConforming === 'mark' ? arrivedAtMs : undefined, conforming };
    });
}
//# sourceMappingURL=pass-through.js.map