"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.raceForLock = raceForLock;
const testing_1 = require("@ebb/core/testing");
const race_state_ts_1 = require("./race-state.js");
const sample_ts_1 = require("./sample.js");
function race(state, backoff, step, delays) {
    const { readAtMs, writeAtMs, previousMs, failures } = state;
    const { block } = delays;
    let racing = readAtMs.length;
    for (let client = 0; client < racing; client += 1) {
        const at = delays.next();
        const readsAtMs = block[at];
        readAtMs[client] = readsAtMs;
        writeAtMs[client] = readsAtMs + block[at + 1] + block[at + 2];
        previousMs[client] = -1;
        failures[client] = 0;
    }
    let calls = 0;
    let gaveUp = 0;
    let completionMs = 0;
    let committedAtMs = -1;
    while (racing > 0) {
        let first = -1;
        let firstAtMs = Number.POSITIVE_INFINITY;
        for (let client = 0; client < racing; client += 1) {
            let writesAtMs = writeAtMs[client];
            if (readAtMs[client] <= committedAtMs) {
                calls += 1;
                const at = delays.next();
                const failedAtMs = writesAtMs + block[at];
                const previous = previousMs[client];
                step.previousDelayMs = previous < 0 ? undefined : previous;
                step.retry = failures[client] + 1;
                const waitMs = backoff(step);
                if (waitMs === undefined) {
                    gaveUp += 1;
                    completionMs = Math.max(completionMs, failedAtMs);
                    racing -= 1;
                    state.replace(client, racing);
                    client -= 1;
                    continue;
                }
                previousMs[client] = waitMs;
                failures[client] = step.retry;
                const readsAtMs = failedAtMs + waitMs + block[at + 1];
                readAtMs[client] = readsAtMs;
                writesAtMs = readsAtMs + block[at + 2] + block[at + 3];
                writeAtMs[client] = writesAtMs;
            }
            if (writesAtMs < firstAtMs) {
                firstAtMs = writesAtMs;
                first = client;
            }
        }
        if (first < 0)
            break;
        calls += 1;
        committedAtMs = firstAtMs;
        completionMs = Math.max(completionMs, committedAtMs + block[delays.next()]);
        racing -= 1;
        state.replace(first, racing);
    }
    return { calls, completionMs, gaveUp };
}
/**
 * A race for one row. Each client reads the row and writes it with the version that it read; after a conflict it backs
 * off and reads again. This is the comparison of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture Blog,
 * 2015).
 *
 * Only successful writes change the row, so the simulation steps from one of them to the next. After each, every client
 * that read the row before it is certain to fail: its next read and write are drawn at once. The earliest write of all
 * clients is then the next to succeed. The result is that of a simulation of each message, without an event queue.
 */
function raceForLock(options) {
    const { clients, backoff, runs = 100, seed = 1, networkMeanMs = 10, networkDeviationMs = 2 } = options;
    const state = new race_state_ts_1.RaceState(clients);
    const delays = new race_state_ts_1.Delays(seed, networkMeanMs, networkDeviationMs);
    const step = { retry: 1, previousDelayMs: undefined, random: (0, testing_1.seededRandom)(seed ^ 0x5eed) };
    const calls = new Float64Array(runs);
    const completionMs = new Float64Array(runs);
    const gaveUp = new Float64Array(runs);
    for (let run = 0; run < runs; run += 1) {
        const finish = race(state, backoff, step, delays);
        calls[run] = finish.calls;
        completionMs[run] = finish.completionMs;
        gaveUp[run] = finish.gaveUp;
    }
    return {
        clients,
        runs,
        calls: (0, sample_ts_1.sampleOf)(calls),
        completionMs: (0, sample_ts_1.sampleOf)(completionMs),
        gaveUp: (0, sample_ts_1.sampleOf)(gaveUp),
    };
}
//# sourceMappingURL=optimistic-lock.js.map