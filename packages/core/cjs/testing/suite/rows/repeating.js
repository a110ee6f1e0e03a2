"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.repeating = void 0;
const index_ts_1 = require("../../../index.js");
const step_ts_1 = require("../step.js");
const throttled = { status: 429, body: 'slow down' };
const put = { method: 'PUT', body: 'text' };
/** Which requests are sent again. */
exports.repeating = [
    {
        name: 'PUT, 503',
        script: [step_ts_1.down, step_ts_1.up],
        request: put,
        delays: [1_000],
        hits: 2,
        status: 200,
        bodies: ['text', 'text'],
        reason: 'success',
    },
    {
        name: 'DELETE, 503',
        script: [step_ts_1.down, step_ts_1.up],
        request: { method: 'DELETE' },
        delays: [1_000],
        hits: 2,
        status: 200,
        reason: 'success',
    },
    {
        name: 'POST, 503',
        script: [step_ts_1.down],
        request: { method: 'POST', body: 'text' },
        delays: [],
        hits: 1,
        status: 503,
        body: 'down',
        reason: 'not-idempotent',
    },
    {
        name: 'PATCH, 503',
        script: [step_ts_1.down],
        request: { method: 'PATCH', body: 'text' },
        delays: [],
        hits: 1,
        status: 503,
        reason: 'not-idempotent',
    },
    {
        name: 'POST, 429',
        script: [throttled, step_ts_1.up],
        request: { method: 'POST', body: 'text' },
        delays: [1_000],
        hits: 2,
        status: 200,
        bodies: ['text', 'text'],
        reason: 'success',
    },
    {
        name: 'POST with an Idempotency-Key, 503',
        script: [step_ts_1.down, step_ts_1.up],
        request: { method: 'POST', body: 'text', headers: { 'Idempotency-Key': 'one' } },
        delays: [1_000],
        hits: 2,
        status: 200,
        bodies: ['text', 'text'],
        reason: 'success',
    },
    {
        name: "POST, 503, with methods: 'all'",
        script: [step_ts_1.down, step_ts_1.up],
        request: { method: 'POST', body: 'text' },
        policy: { methods: 'all' },
        delays: [1_000],
        hits: 2,
        status: 200,
        bodies: ['text', 'text'],
        reason: 'success',
    },
    {
        name: 'a stream is sent once',
        script: [step_ts_1.down, step_ts_1.up],
        request: { method: 'PUT', once: 'text' },
        delays: [],
        hits: 1,
        status: 503,
        body: 'down',
        bodies: ['text'],
        reason: 'not-replayable',
    },
    {
        name: 'a factory returns a new stream for each attempt',
        script: [step_ts_1.down, throttled, step_ts_1.up],
        request: { method: 'PUT', factory: 'text' },
        policy: { backoff: (0, index_ts_1.constant)(10) },
        delays: [10, 10],
        hits: 3,
        status: 200,
        bodies: ['text', 'text', 'text'],
        reason: 'success',
    },
];
//# sourceMappingURL=repeating.js.map