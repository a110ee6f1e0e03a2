"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.slackMs = slackMs;
exports.holding = holding;
exports.tokensAt = tokensAt;
exports.spend = spend;
exports.take = take;
exports.waitMs = waitMs;
exports.giveBack = giveBack;
/**
 * Tolerance for rounding errors, in milliseconds: tokens that arrive this much later count as available. It does not
 * accumulate, because it is never stored. The last term is the resolution of a double at the size of `nowMs`.
 */
function slackMs(fillMs, nowMs) {
    return fillMs * 1e-9 + 1e-6 + Math.abs(nowMs) * 4e-16;
}
/** The state of a bucket with this many tokens. A negative number is a debt. */
function holding(quota, tokens, nowMs) {
    return nowMs - (tokens * 1_000) / quota.refillPerSecond;
}
/** The tokens that are available. A negative number is a debt. */
function tokensAt(quota, emptyAtMs, nowMs) {
    return Math.min(quota.capacity, ((nowMs - emptyAtMs) * quota.refillPerSecond) / 1_000);
}
/** The state after taking tokens, whether they are available or not. */
function spend(quota, emptyAtMs, cost, nowMs) {
    const msPerToken = 1_000 / quota.refillPerSecond;
    const fullSinceMs = nowMs - quota.capacity * msPerToken;
    return Math.max(emptyAtMs, fullSinceMs) + cost * msPerToken;
}
/** The state after taking tokens; `undefined` if they are not available. */
function take(quota, emptyAtMs, cost, nowMs) {
    const msPerToken = 1_000 / quota.refillPerSecond;
    const fillMs = quota.capacity * msPerToken;
    const afterMs = Math.max(emptyAtMs, nowMs - fillMs) + cost * msPerToken;
    return afterMs <= nowMs + slackMs(fillMs, nowMs) ? afterMs : undefined;
}
/**
 * How long until the tokens are available, in milliseconds, if no one else takes any. More than the capacity are never
 * available at once: for those it is the shortest time until so many have arrived, for several requests in a row.
 */
function waitMs(quota, emptyAtMs, cost, nowMs) {
    const { capacity, refillPerSecond } = quota;
    const dueMs = spend(quota, emptyAtMs, cost, nowMs);
    return dueMs <= nowMs + slackMs((capacity * 1_000) / refillPerSecond, nowMs) ? 0 : dueMs - nowMs;
}
/**
 * The state after tokens are given back. Tokens that the bucket has refilled since they were taken cannot be given back:
 * more than the capacity could be taken at once.
 *
 * @param heldMs the state after these tokens were taken, minus what was given back since
 */
function giveBack(quota, emptyAtMs, tokens, heldMs, nowMs) {
    const msPerToken = 1_000 / quota.refillPerSecond;
    const fullSinceMs = nowMs - quota.capacity * msPerToken;
    return emptyAtMs - Math.max(0, Math.min(tokens * msPerToken, heldMs - fullSinceMs));
}
//# sourceMappingURL=gcra.js.map