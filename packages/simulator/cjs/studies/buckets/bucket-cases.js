"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.GATEWAY_CASES = void 0;
exports.gatewayServes = gatewayServes;
exports.taskStarts = taskStarts;
exports.burstUnder = burstUnder;
const pass_through_ts_1 = require("./pass-through.js");
/** Arrival times of `count` requests, spread evenly over a stretch of time. */
function evenly(count, fromMs, overMs) {
    return Array.from({ length: count }, (_, at) => fromMs + (at * overMs) / count);
}
/** The default quota of API Gateway: 10,000 requests per second and a burst of 5,000. */
const GATEWAY_QUOTA = { capacity: 5_000, refillPerSecond: 10_000 };
/**
 * The five ways for 10,000 requests to arrive within a second that API Gateway's documentation explains.
 *
 * Source: Amazon API Gateway, Developer Guide, "Throttle API requests for better throughput".
 */
exports.GATEWAY_CASES = [
    {
        story: '10 each millisecond',
        arrivalsMs: Array.from({ length: 1_000 }, (_, ms) => evenly(10, ms, 0)).flat(),
    },
    { story: 'all at once', arrivalsMs: evenly(10_000, 0, 0) },
    {
        story: '5,000 at once, 5,000 evenly',
        arrivalsMs: [...evenly(5_000, 0, 0), ...evenly(5_000, 1, 999)],
    },
    {
        story: '5,000 at once, 5,000 at the 101st ms',
        arrivalsMs: [...evenly(5_000, 0, 0), ...evenly(5_000, 100, 0)],
    },
    {
        story: '5,000 at once, 1,000 at the 101st ms, 4,000 evenly',
        arrivalsMs: [...evenly(5_000, 0, 0), ...evenly(1_000, 100, 0), ...evenly(4_000, 101, 899)],
    },
];
/** How many requests of a case API Gateway serves, and how many it throttles. */
function gatewayServes({ arrivalsMs }) {
    const passages = (0, pass_through_ts_1.passThrough)({ ...GATEWAY_QUOTA, nonConforming: 'reject', arrivalsMs });
    const served = passages.filter(({ conforming }) => conforming).length;
    return { served, throttled: passages.length - served };
}
/**
 * When App Engine starts the tasks of a queue with a long backlog and a rate of 500/s. Its bucket gets tokens five times
 * per second.
 *
 * Source: Google App Engine, queue.yaml reference, `bucket_size`.
 */
function taskStarts(bucketSize, durationMs) {
    const backlog = evenly(3_000, 0, 0);
    return (0, pass_through_ts_1.passThrough)({
        capacity: bucketSize,
        refillPerSecond: 500,
        refillIntervalMs: 200,
        arrivalsMs: backlog,
    })
        .map(({ sentAtMs }) => sentAtMs)
        .filter((startMs) => startMs < durationMs);
}
/** A burst of 200 requests in one second, then 50 per second for two, with a bucket of 20 at 100 per second. */
function burstUnder(nonConforming) {
    const arrivalsMs = [...evenly(200, 0, 1_000), ...evenly(100, 1_000, 2_000)];
    return (0, pass_through_ts_1.passThrough)({ capacity: 20, refillPerSecond: 100, nonConforming, arrivalsMs });
}
//# sourceMappingURL=bucket-cases.js.map