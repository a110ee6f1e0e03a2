"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.redirects = void 0;
const index_ts_1 = require("../../../index.js");
const step_ts_1 = require("../step.js");
const toFirst = { status: 307, to: 'first', body: 'moved' };
const toOther = { status: 307, to: 'other', body: 'moved' };
const credential = {
    backoff: (0, index_ts_1.constant)(10),
    beforeAttempt: () => ({ authorization: 'secret' }),
};
const found = {
    delays: [],
    status: 200,
    body: 'up',
    reason: 'success',
    needs: ['redirects', 'sockets'],
};
/** What `beforeAttempt` adds is bound to the origin of the call; an idempotency key goes along. */
exports.redirects = [
    {
        name: 'a redirect within its origin keeps a credential of beforeAttempt',
        script: [toFirst, step_ts_1.up],
        policy: credential,
        hits: 2,
        carried: { header: 'authorization', values: ['secret', 'secret'] },
        ...found,
    },
    {
        name: 'a redirect to another origin drops a credential of beforeAttempt',
        script: [toOther, step_ts_1.up],
        policy: credential,
        hits: 2,
        carried: { header: 'authorization', values: ['secret', undefined] },
        ...found,
    },
    {
        name: 'a redirect to another origin and back drops a credential of beforeAttempt',
        script: [toOther, toFirst, step_ts_1.up],
        policy: credential,
        hits: 3,
        carried: { header: 'authorization', values: ['secret', undefined, undefined] },
        ...found,
    },
    {
        name: 'a redirect after a retry keeps a credential of beforeAttempt',
        script: [{ status: 503, body: 'down' }, toFirst, step_ts_1.up],
        policy: credential,
        hits: 3,
        carried: { header: 'authorization', values: ['secret', 'secret', 'secret'] },
        ...found,
        delays: [10],
    },
    ...['first', 'other'].map((to) => ({
        name: `a POST that is redirected to ${to === 'first' ? 'its' : 'another'} origin keeps its one idempotency key`,
        script: [{ status: 307, to, body: 'moved' }, step_ts_1.up],
        request: { method: 'POST', body: 'text' },
        policy: { backoff: (0, index_ts_1.constant)(10), idempotencyKey: ({ url }) => `a key for ${new URL(url).pathname}` },
        hits: 2,
        bodies: ['text', 'text'],
        carried: { header: 'idempotency-key', values: ['a key for /', 'a key for /'] },
        ...found,
    })),
];
//# sourceMappingURL=redirects.js.map