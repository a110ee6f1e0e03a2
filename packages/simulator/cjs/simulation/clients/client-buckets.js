"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.clientBuckets = clientBuckets;
const bucket_1 = require("@ebb/core/bucket");
const named_options_ts_1 = require("../../scenario/named-options.js");
const token_quota_ts_1 = require("../token-quota.js");
const NEVER = Number.POSITIVE_INFINITY;
/** Buckets that ignore feedback, as one number for each client. */
function numbers(clients, setup) {
    const quota = new token_quota_ts_1.TokenQuota(setup);
    const states = new Float64Array(clients).fill(quota.holding(setup.initialTokens, 0));
    return {
        take(client, cost, nowMs) {
            const after = quota.take(states[client], cost, nowMs);
            if (after === undefined)
                return false;
            states[client] = after;
            return true;
        },
        waitMs: (client, cost, nowMs) => quota.waitMs(states[client], cost, nowMs),
        observe() { },
    };
}
/** Buckets of core, which observe what the server says and may adapt their rate. */
function buckets(clients, make) {
    const all = Array.from({ length: clients }, make);
    return {
        take: (client, cost) => all[client].tryAcquire(cost) !== undefined,
        waitMs: (client, cost) => all[client].waitMs(cost),
        observe(client, outcome, grantedAtMs, waitedMs) {
            const grant = { cost: 1, waitedMs, grantedAtMs, conforming: true, settle() { } };
            all[client].observe?.(outcome, grant);
        },
    };
}
/** Makes a bucket for each client. */
function clientBuckets(bucket, clients, environment) {
    const options = 'adaptive' in bucket ? bucket.adaptive : bucket.tokenBucket;
    const { nonConforming = 'delay', maxQueue = NEVER, maxWaitMs = NEVER, agingMs = 60_000 } = options;
    // A retry counts for half a step of priority.
    const rules = { nonConforming, maxQueue, maxWaitMs, headStartMs: agingMs / 2 };
    if ('tokenBucket' in bucket && options.feedback === false) {
        return { rules, tokens: numbers(clients, (0, bucket_1.bucketSetup)({ ...options, ...environment })) };
    }
    // Requests wait in the simulation's lines, so a bucket only has to say whether it has tokens.
    const delaying = 'adaptive' in bucket
        ? { adaptive: { ...options, nonConforming: 'delay' } }
        : { tokenBucket: { ...options, nonConforming: 'delay' } };
    return { rules, tokens: buckets(clients, () => (0, named_options_ts_1.makeBucket)(delaying, environment)) };
}
//# sourceMappingURL=client-buckets.js.map