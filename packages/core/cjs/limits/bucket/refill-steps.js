"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.stepsBy = stepsBy;
exports.stepsToWait = stepsToWait;
const gcra_ts_1 = require("./gcra.js");
/** Tolerance for the rounding error of a quotient of times, in steps. */
function slackSteps(steps) {
    return 1e-9 + Math.abs(steps) * 4e-16;
}
/** The number of refill steps since 0. */
function stepsBy(intervalMs, nowMs) {
    const steps = nowMs / intervalMs;
    return Math.floor(steps + slackSteps(steps));
}
/**
 * The number of refill steps until the tokens are available; 0 for now. A step adds the tokens of `everyMs`, and once a debt
 * is paid at most the capacity: the rest is lost.
 */
function stepsToWait({ capacity, refillPerSecond }, emptyAtMs, cost, stepMs, everyMs) {
    const msPerToken = 1_000 / refillPerSecond;
    const fillMs = capacity * msPerToken;
    const slack = (0, gcra_ts_1.slackMs)(fillMs, stepMs);
    const dueMs = Math.max(emptyAtMs, stepMs - fillMs) + cost * msPerToken;
    if (dueMs <= stepMs + slack)
        return 0;
    const debtMs = Math.max(0, emptyAtMs - stepMs);
    const lackMs = dueMs - stepMs - debtMs;
    const inDebt = Math.floor(debtMs / everyMs);
    const firstMs = Math.min(fillMs, (inDebt + 1) * everyMs - debtMs);
    return inDebt + 1 + Math.max(0, Math.ceil((lackMs - firstMs - slack) / Math.min(everyMs, fillMs)));
}
//# sourceMappingURL=refill-steps.js.map