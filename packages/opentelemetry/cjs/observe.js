"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.observe = observe;
const api_1 = require("@opentelemetry/api");
const check_ts_1 = require("./check.js");
const scope_ts_1 = require("./scope.js");
/** The modes of a bucket that processes share. */
const BUCKET_MODES = ['shared', 'local', 'open', 'closed'];
const BUDGET_MODES = ['shared', 'local'];
/**
 * Observes limits: each time metrics are collected, gauges take the state of the bucket, the slots and the budget. Call it
 * after the SDK has been started. Returns a function that ends it: the limits are not read any more, and can be collected.
 * The SDK may go on reporting the last values.
 *
 * @throws TypeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, tokenBucket } from '@ebb/core';
 * import { observe, telemetry } from '@ebb/opentelemetry';
 *
 * const bucket = tokenBucket({ refillPerSecond: 100 });
 * const policy = createPolicy({ bucket, onEvent: telemetry() });
 * const stop = observe({ bucket, attributes: { 'peer.service': 'orders' } });
 * ```
 */
function observe(observed) {
    (0, check_ts_1.checkObject)('observe', 'options', observed);
    (0, check_ts_1.checkNames)('observe', observed, ['bucket', 'concurrency', 'budget', 'attributes', 'meter']);
    const { bucket, concurrency, budget, attributes = {}, meter = api_1.metrics.getMeter(scope_ts_1.SCOPE, scope_ts_1.VERSION) } = observed;
    (0, check_ts_1.checkApi)('observe', 'meter', meter, 'addBatchObservableCallback', 'a Meter');
    (0, check_ts_1.checkObject)('observe', 'attributes', attributes);
    if (bucket !== undefined)
        (0, check_ts_1.checkApi)('observe', 'bucket', bucket, 'stats', 'a bucket with stats()');
    if (concurrency !== undefined)
        (0, check_ts_1.checkApi)('observe', 'concurrency', concurrency, 'stats', 'a concurrency limit');
    if (budget !== undefined)
        (0, check_ts_1.checkApi)('observe', 'budget', budget, 'withdraw', 'a retry budget');
    const gauges = [];
    const make = (name, unit, description) => {
        const gauge = meter.createObservableGauge(`ebb.client.${name}`, { unit, description });
        gauges.push(gauge);
        return gauge;
    };
    const writes = [
        ...(bucket === undefined ? [] : [writeBucket(bucket, attributes, make)]),
        ...(concurrency === undefined ? [] : [writeSlots(concurrency, attributes, make)]),
        ...(budget === undefined ? [] : [writeBudget(budget, attributes, make)]),
    ];
    const write = (result) => {
        for (const one of writes)
            one(result);
    };
    meter.addBatchObservableCallback(write, gauges);
    return () => meter.removeBatchObservableCallback(write, gauges);
}
function writeBucket(bucket, of, make) {
    const tokens = make('bucket.tokens', '{token}', 'Tokens that are available; below 0 a debt.');
    const capacity = make('bucket.capacity', '{token}', 'The most tokens that the bucket holds.');
    const waiting = make('bucket.waiting', '{request}', 'Requests that wait for tokens.');
    const paused = make('bucket.paused', 's', 'The rest of the longest pause; 0 without one.');
    const mode = make('bucket.mode', '{bucket}', 'Of a shared bucket: 1 for its mode now, 0 for the others.');
    return (result) => {
        const stats = bucket.stats();
        result.observe(tokens, stats.tokens, of);
        result.observe(capacity, stats.capacity, of);
        result.observe(waiting, stats.waiting, of);
        result.observe(paused, stats.pausedMs / 1000, of);
        if (stats.mode === undefined)
            return;
        for (const each of BUCKET_MODES) {
            result.observe(mode, each === stats.mode ? 1 : 0, { ...of, 'ebb.bucket.mode': each });
        }
    };
}
function writeSlots(limit, of, make) {
    const inUse = make('slots.in_use', '{slot}', 'Slots that are held.');
    const most = make('slots.limit', '{slot}', 'The most slots that can be held at once.');
    const waiting = make('slots.waiting', '{request}', 'Requests that wait for a slot.');
    return (result) => {
        const stats = limit.stats();
        result.observe(inUse, stats.inUse, of);
        result.observe(most, stats.maxConcurrent, of);
        result.observe(waiting, stats.waiting, of);
    };
}
function writeBudget(budget, of, make) {
    const balance = make('budget.balance', '{retry}', 'Retries that the budget allows now.');
    const mode = make('budget.mode', '{budget}', 'Of a shared budget: 1 for its mode now, 0 for the other.');
    return (result) => {
        result.observe(balance, budget.balance, of);
        const now = budget.stats?.().mode;
        if (now === undefined)
            return;
        for (const each of BUDGET_MODES) {
            result.observe(mode, each === now ? 1 : 0, { ...of, 'ebb.budget.mode': each });
        }
    };
}
//# sourceMappingURL=observe.js.map