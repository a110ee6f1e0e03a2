"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.outage = exports.quota = void 0;
const storm_ts_1 = require("./storm.js");
/** 200 workers that each send their next request soon after an answer, to a service with a quota of 100 a second. */
exports.quota = {
    title: 'Client buckets spare a service with a quota most of its 429s',
    durationMs: 120_000,
    clients: { count: 200, thinkMs: 200 },
    network: { meanMs: 20, deviationMs: 4 },
    server: { workers: 50, serviceMs: 30, limit: { refillPerSecond: 100, capacity: 100 } },
    policies: {
        'Full jitter': { maxRetries: 50, backoff: { fullJitter: { baseMs: 100, capMs: 10_000 } } },
        Memorystore: { maxRetries: 50 },
        '+ bucket': { maxRetries: 50, bucket: { tokenBucket: { refillPerSecond: 0.48, capacity: 1 } } },
        '+ adaptive': { maxRetries: 50, bucket: { adaptive: { refillPerSecond: 5, capacity: 1 } } },
    },
};
/** A service that is down for half a minute and comes back cold. */
exports.outage = {
    title: 'A service that comes back cold meets the retries of the whole fleet',
    durationMs: 150_000,
    clients: { count: 2_000, requestsPerSecond: 900 },
    server: {
        workers: 20,
        serviceMs: 20,
        maxQueue: 2_000,
        troubles: [
            { type: 'outage', fromMs: 20_000, untilMs: 50_000, answer: 'refused' },
            { type: 'slow-start', fromMs: 50_000, untilMs: 80_000, capacityShare: 0.2 },
        ],
    },
    policies: Object.fromEntries(Object.entries((0, storm_ts_1.stormPolicies)({ clients: 2_000, requestsPerSecond: 900 })).filter(([name]) => ['No retries', 'At once', 'Exponential', 'Full jitter', 'Memorystore', '+ budget', '+ bucket'].includes(name))),
};
//# sourceMappingURL=service-experiments.js.map