"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.goodput = goodput;
/** Requests arrive at random, so shares are taken over this many intervals. */
const WINDOW = 3;
/** Answered requests as a share of the new requests of the same time, in percent, over time in seconds. */
function goodput({ series, intervalMs }) {
    const over = (counts, at) => counts.subarray(Math.max(0, at - WINDOW + 1), at + 1).reduce((sum, count) => sum + count, 0);
    return Array.from(series.requests, (_, at) => {
        const asked = over(series.requests, at);
        return [
            ((at + 1) * intervalMs) / 1_000,
            asked === 0 ? 0 : (100 * over(series.successes, at)) / asked,
        ];
    });
}
//# sourceMappingURL=goodput.js.map