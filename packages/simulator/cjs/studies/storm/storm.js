"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.storm = storm;
exports.stormPolicies = stormPolicies;
const schemes_ts_1 = require("./schemes.js");
/** The load as a share of the capacity. */
const LOAD = 0.9;
const SERVICE_MS = 20;
/** Clients wait one second for an answer: half the time that a request spends in a full queue. */
const attemptTimeoutMs = 1_000;
const curve = { baseMs: 100, capMs: 10_000 };
function withBackoff(backoff) {
    return { attemptTimeoutMs, backoff, budget: false };
}
/** A published scheme with the storm's timeout. */
function published(scheme) {
    return (environment) => {
        const client = scheme(environment);
        return { ...client, policy: { ...client.policy, attemptTimeoutMs } };
    };
}
/**
 * A service at 90 % of its capacity loses half of it for a minute. Its queue holds two seconds of work and clients wait
 * one second: while the queue is full, every request that is served has been given up. That is how overload persists.
 */
function storm(policies, size = {}) {
    const { clients = 10_000, requestsPerSecond = 2_000, queueSeconds = 2, durationMs = 130_000 } = size;
    const capacity = requestsPerSecond / LOAD;
    return {
        durationMs,
        clients: { count: clients, requestsPerSecond },
        server: {
            workers: Math.round((capacity * SERVICE_MS) / 1_000),
            serviceMs: SERVICE_MS,
            maxQueue: Math.round(capacity * queueSeconds),
            troubles: [{ type: 'brown-out', fromMs: 10_000, untilMs: 70_000, capacityShare: 0.5 }],
        },
        policies,
    };
}
/** The policies of the storm, for a fleet of this size. */
function stormPolicies(size = {}) {
    const { clients = 10_000, requestsPerSecond = 2_000 } = size;
    const capacityOfOne = requestsPerSecond / LOAD / clients;
    const budget = { retryBudget: {} };
    // A little less than a client's share of the capacity. What is left over shortens the queue.
    const bucket = { refillPerSecond: 0.95 * capacityOfOne, capacity: Math.max(5, capacityOfOne / 5) };
    return {
        'No retries': { attemptTimeoutMs, maxRetries: 0 },
        'At once': withBackoff({ constant: 0 }),
        'Full jitter': withBackoff({ fullJitter: curve }),
        'Equal jitter': withBackoff({ equalJitter: curve }),
        Decorrelated: withBackoff({ decorrelatedJitter: curve }),
        Memorystore: withBackoff({ memorystore: {} }),
        '+ budget': { ...withBackoff({ memorystore: {} }), budget },
        '+ bucket': { ...withBackoff({ memorystore: {} }), budget, bucket: { tokenBucket: bucket } },
        '+ adaptive': { ...withBackoff({ memorystore: {} }), budget, bucket: { adaptive: bucket } },
        'ebb’s default': { attemptTimeoutMs },
        'gRPC A6': published(schemes_ts_1.grpcA6),
        Finagle: published(schemes_ts_1.finagle),
        'AWS standard': published(schemes_ts_1.awsStandard),
        'Google SRE': published(schemes_ts_1.sreThrottling),
    };
}
//# sourceMappingURL=storm.js.map