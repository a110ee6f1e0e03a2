"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.failedShare = failedShare;
/** The share of the requests that failed, including those that a client itself refused to send. */
function failedShare({ totals }) {
    const { requests, failures, throttledLocally } = totals;
    return requests === 0 ? 0 : (failures + throttledLocally) / requests;
}
//# sourceMappingURL=trace.js.map