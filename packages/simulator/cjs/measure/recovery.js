"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.recoveryOf = recoveryOf;
/** The share of requests that must be answered for a recovery. */
const ENOUGH = 0.95;
/** Requests arrive at random, so the share is taken over this many intervals. */
const WINDOW = 5;
/** The recovery of a run; `undefined` for a scenario without trouble. */
function recoveryOf(scenario, { requests, successes }) {
    const { server, intervalMs = 1_000, durationMs } = scenario;
    const troubleEndsAtMs = Math.max(...(server.troubles ?? []).map(({ untilMs }) => untilMs));
    if (troubleEndsAtMs < 0 || troubleEndsAtMs >= durationMs)
        return undefined;
    const first = Math.ceil(troubleEndsAtMs / intervalMs);
    let recovered;
    for (let at = first; at + WINDOW <= requests.length; at += 1) {
        const sum = (counts) => counts.subarray(at, at + WINDOW).reduce((total, count) => total + count, 0);
        if (sum(successes) < ENOUGH * sum(requests))
            recovered = undefined;
        else
            recovered ??= at;
    }
    const recoveredAfterMs = recovered === undefined ? undefined : recovered * intervalMs - troubleEndsAtMs;
    return { troubleEndsAtMs, recoveredAfterMs };
}
//# sourceMappingURL=recovery.js.map