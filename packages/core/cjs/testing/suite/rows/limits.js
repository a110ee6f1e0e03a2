"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.limited = void 0;
const index_ts_1 = require("../../../index.js");
const step_ts_1 = require("../step.js");
const fast = { backoff: (0, index_ts_1.constant)(10) };
/** A token per second. */
const bucketOf = (initialTokens, more = {}) => (clock) => ({
    bucket: (0, index_ts_1.tokenBucket)({ capacity: 1, refillPerSecond: 1, initialTokens, clock, ...more }),
});
const LOST = ['that breaks off', 'that is too long to keep'];
/** Tokens, and options of one request. */
exports.limited = [
    {
        name: 'an attempt waits for its token',
        script: [step_ts_1.up],
        limits: bucketOf(0),
        waits: [1_000],
        delays: [],
        hits: 1,
        status: 200,
        body: 'up',
        reason: 'success',
    },
    {
        name: 'a retry waits for a token of its own',
        script: [step_ts_1.down, step_ts_1.up],
        policy: fast,
        limits: bucketOf(1),
        waits: [990],
        delays: [10],
        hits: 2,
        status: 200,
        reason: 'success',
    },
    {
        name: 'a bucket that rejects the first attempt',
        script: [step_ts_1.up],
        limits: bucketOf(0, { nonConforming: 'reject' }),
        delays: [],
        hits: 0,
        reason: 'throttled',
        thrown: 'ThrottledError',
    },
    {
        name: 'a bucket that rejects a retry: the response is kept',
        script: [step_ts_1.down],
        policy: fast,
        limits: bucketOf(1, { nonConforming: 'reject' }),
        delays: [10],
        hits: 1,
        status: 503,
        body: 'down',
        reason: 'throttled',
    },
    ...['half-503', { status: 503, body: 'x'.repeat(300_000) }].map((step, index) => ({
        name: `a bucket that rejects a retry: reading a response ${LOST[index]} fails`,
        script: [step],
        policy: fast,
        limits: bucketOf(1, { nonConforming: 'reject' }),
        delays: [10],
        hits: 1,
        reason: 'throttled',
        needs: ['sockets'],
        // Such a client has the long body.
        ...(index === 1 && { by: { wholeBodies: { status: 503 } } }),
    })),
    {
        name: 'a cost for one request',
        script: [step_ts_1.up],
        request: { ebb: { cost: 3 } },
        limits: bucketOf(1, { capacity: 3 }),
        waits: [2_000],
        delays: [],
        hits: 1,
        status: 200,
        reason: 'success',
    },
    {
        name: 'maxRetries for one request',
        script: [step_ts_1.down],
        request: { ebb: { maxRetries: 1 } },
        delays: [1_000],
        hits: 2,
        status: 503,
        body: 'down',
        reason: 'retries-exhausted',
    },
    {
        name: 'methods for one request',
        script: [step_ts_1.down, step_ts_1.up],
        request: { method: 'POST', body: 'text', ebb: { methods: 'all' } },
        policy: fast,
        delays: [10],
        hits: 2,
        status: 200,
        bodies: ['text', 'text'],
        reason: 'success',
    },
    {
        name: 'one request without ebb',
        script: [step_ts_1.down],
        request: { ebb: false },
        delays: [],
        hits: 1,
        status: 503,
        body: 'down',
        reason: undefined,
    },
];
//# sourceMappingURL=limits.js.map