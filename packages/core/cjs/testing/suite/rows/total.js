"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.bounded = void 0;
const index_ts_1 = require("../../../index.js");
const step_ts_1 = require("../step.js");
const long = { status: 503, body: 'x'.repeat(300_000) };
const policy = { backoff: (0, index_ts_1.constant)(10), totalTimeoutMs: 100 };
const ended = { reason: 'deadline-exceeded', failure: 'timeout', needs: ['sockets'] };
/** The total timeout bounds the call until its response: it ends an attempt in flight. */
exports.bounded = [
    {
        name: 'no response within totalTimeoutMs',
        script: ['hang', step_ts_1.up],
        policy,
        delays: [],
        hits: 1,
        thrown: 'a timeout',
        ...ended,
    },
    {
        name: 'no response to a POST within totalTimeoutMs',
        script: ['hang'],
        request: { method: 'POST', body: 'text' },
        policy,
        delays: [],
        hits: 1,
        ...ended,
    },
    {
        name: 'no response to a retry within totalTimeoutMs: the response before it',
        script: [step_ts_1.down, 'hang'],
        policy,
        delays: [10],
        hits: 2,
        status: 503,
        body: 'down',
        ...ended,
    },
    {
        name: 'the same with a response before that was too long to keep',
        script: [long, 'hang'],
        policy,
        delays: [10],
        hits: 2,
        thrown: 'a timeout',
        by: { wholeBodies: { thrown: undefined, status: 503, body: '300000 characters' } },
        ...ended,
    },
    {
        name: 'the same after a connection that was lost',
        script: ['reset', 'hang'],
        policy,
        delays: [10],
        hits: 2,
        thrown: 'a timeout',
        ...ended,
    },
    {
        name: 'attemptTimeoutMs ends an attempt before totalTimeoutMs does',
        script: ['hang', step_ts_1.up],
        policy: { ...policy, attemptTimeoutMs: 50 },
        delays: [10],
        hits: 2,
        status: 200,
        reason: 'success',
        needs: ['sockets'],
    },
];
//# sourceMappingURL=total.js.map