"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.connectionRows = void 0;
const adapter_ts_1 = require("../../adapter.js");
const index_ts_1 = require("../../index.js");
const testing_ts_1 = require("../../testing.js");
const same_ts_1 = require("./same.js");
const step_ts_1 = require("./step.js");
const down = { status: 503, body: 'x'.repeat(65_536) };
const isUp = { status: 200, body: 'up' };
const needs = ['pool', 'sockets'];
// In virtual time no body takes too long to drain.
const atOnce = () => (0, index_ts_1.createPolicy)({ backoff: (0, index_ts_1.constant)(0), clock: (0, testing_ts_1.virtualClock)({ startMs: 0 }) });
/** Retries must not cost connections. */
exports.connectionRows = [
    {
        name: '200 sequential calls that each get two 503s of 64 KiB use one connection',
        needs,
        async run(adapter, start) {
            const server = await start(Array.from({ length: 200 }, () => [down, down, step_ts_1.up]).flat());
            const client = adapter.client(atOnce(), { connections: 8 });
            try {
                for (let call = 0; call < 200; call += 1) {
                    (0, same_ts_1.check)([(0, same_ts_1.difference)(`call ${call}`, await client.send(server.url, {}), isUp)]);
                    // Some clients free a connection only in the turn after the response, with or without ebb.
                    await (0, adapter_ts_1.nextTurn)();
                }
            }
            finally {
                await client.close?.();
                await server.close();
            }
            (0, same_ts_1.check)([
                (0, same_ts_1.difference)('requests received', server.seen.length, 600),
                (0, same_ts_1.difference)('connections', server.connections(), 1),
            ]);
        },
    },
    {
        name: '20 concurrent calls over one connection all succeed',
        needs,
        async run(adapter, start) {
            const server = await start([...Array.from({ length: 20 }, () => down), step_ts_1.up]);
            const client = adapter.client(atOnce(), { connections: 1 });
            try {
                const got = await Promise.all(Array.from({ length: 20 }, () => client.send(server.url, {})));
                (0, same_ts_1.check)(got.map((one, call) => (0, same_ts_1.difference)(`call ${call}`, one, isUp)));
            }
            finally {
                await client.close?.();
                await server.close();
            }
            (0, same_ts_1.check)([(0, same_ts_1.difference)('connections', server.connections(), 1)]);
        },
    },
    {
        name: 'a 503 that never ends does not block the only connection',
        needs,
        async run(adapter, start) {
            const clock = (0, testing_ts_1.virtualClock)({ startMs: 0 });
            // Who settles with the whole body needs a limit for the attempt. The others drain it for at most one second.
            const attemptTimeoutMs = adapter.does?.includes('wholeBodies') ? 100 : undefined;
            const server = await start(['endless-503', step_ts_1.up], () => clock.tick(attemptTimeoutMs ?? 0));
            const onEvent = ({ type }) => {
                if (type === 'retry' && attemptTimeoutMs === undefined)
                    void clock.advance(1_000);
            };
            const policy = (0, index_ts_1.createPolicy)({ backoff: (0, index_ts_1.constant)(0), clock, attemptTimeoutMs, onEvent });
            const client = adapter.client(policy, { connections: 1 });
            try {
                (0, same_ts_1.check)([(0, same_ts_1.difference)('the call', await client.send(server.url, {}), isUp)]);
                (0, same_ts_1.check)([(0, same_ts_1.difference)('timers left', clock.pending, 0)]);
            }
            finally {
                await client.close?.();
                await server.close();
            }
        },
    },
];
//# sourceMappingURL=connections.js.map