"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.aborts = void 0;
const index_ts_1 = require("../../../index.js");
const step_ts_1 = require("../step.js");
/** A slot and a token, which each run must give back. */
const one = (clock) => ({
    bucket: (0, index_ts_1.tokenBucket)({ capacity: 1, refillPerSecond: 1, clock }),
    concurrency: (0, index_ts_1.concurrencyLimit)({ maxConcurrent: 1, clock }),
});
const noToken = (clock) => ({
    ...one(clock),
    bucket: (0, index_ts_1.tokenBucket)({ capacity: 1, refillPerSecond: 1, initialTokens: 0, clock }),
});
/** The only slot is held by another call. */
function noSlot(clock) {
    const limits = one(clock);
    limits.concurrency?.tryAcquire();
    return limits;
}
const aborted = { delays: [], hits: 0, reason: 'aborted', thrown: 'the reason' };
/** An abort in each phase of a call ends it at once with the reason of the signal. */
exports.aborts = [
    {
        name: 'an abort beforehand',
        script: [step_ts_1.up],
        limits: one,
        abort: 'before',
        ...aborted,
    },
    {
        name: 'an abort while waiting for a token',
        script: [step_ts_1.up],
        limits: noToken,
        abort: 'limits',
        ...aborted,
    },
    {
        name: 'an abort while waiting for a slot',
        script: [step_ts_1.up],
        limits: noSlot,
        abort: 'limits',
        ...aborted,
    },
    {
        name: 'an abort while waiting for the response',
        script: ['hang'],
        limits: one,
        abort: 'attempt',
        ...aborted,
        hits: 1,
        needs: ['sockets'],
    },
    {
        name: 'an abort while waiting for the response of a retry',
        script: [step_ts_1.down, 'hang'],
        abort: 'attempt',
        ...aborted,
        delays: [1_000],
        hits: 2,
        needs: ['sockets'],
    },
    {
        name: 'an abort while waiting for a retry',
        script: [step_ts_1.down],
        limits: one,
        abort: 'retry',
        ...aborted,
        delays: [1_000],
        hits: 1,
    },
    {
        name: 'an abort while a discarded response is drained',
        script: ['endless-503'],
        limits: one,
        abort: 'retry',
        ...aborted,
        delays: [1_000],
        hits: 1,
        needs: ['sockets'],
        // Without a limit for the attempt such a client would wait for the end of the body.
        by: { wholeBodies: { policy: { attemptTimeoutMs: 100 } } },
    },
    ...['before', 'limits'].map((abort) => ({
        name: `a stop ${abort === 'before' ? 'beforehand' : 'while waiting for a token'}`,
        script: [step_ts_1.up],
        limits: noToken,
        abort,
        stops: true,
        ...aborted,
        reason: 'stopped',
        thrown: 'ThrottledError',
    })),
    {
        name: 'a stop while waiting for a retry: the response that is there, with its body',
        script: [step_ts_1.down],
        limits: one,
        abort: 'retry',
        stops: true,
        delays: [1_000],
        hits: 1,
        reason: 'stopped',
        status: 503,
        body: 'down',
    },
    {
        name: 'a stop in the body: it goes on',
        script: ['slow-200'],
        limits: one,
        abort: 'body',
        stops: true,
        delays: [],
        hits: 1,
        reason: 'success',
        status: 200,
        needs: ['sockets'],
    },
    {
        name: 'an abort in the body',
        script: ['endless-200'],
        limits: one,
        abort: 'body',
        ...aborted,
        reason: 'success',
        hits: 1,
        needs: ['sockets'],
        by: { wholeBodies: { abort: 'attempt', reason: 'aborted' } },
    },
];
//# sourceMappingURL=aborts.js.map