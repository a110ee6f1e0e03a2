"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.inspectBody = inspectBody;
const check_ts_1 = require("../base/check.js");
const errors_ts_1 = require("../base/errors.js");
const on_abort_ts_1 = require("../base/on-abort.js");
const options_ts_1 = require("../base/options.js");
const promise_ts_1 = require("../base/promise.js");
const inspect_ts_1 = require("../parts/inspect.js");
const classify_ts_1 = require("./classify.js");
const judged_ts_1 = require("./judged.js");
const look_ts_1 = require("./look.js");
const OPTIONS = {
    maxBytes: { check: check_ts_1.countingNumber, default: 65_536 },
    timeoutMs: { check: check_ts_1.positive, default: 1_000 },
};
/** A body that breaks before anyone has seen it is a failure of the attempt. */
const BROKEN = { verdict: 'transient' };
/**
 * Judges responses by their body: an error in a 200, the reason of a 429, the first event of a stream. For the policy's
 * `inspect`. A function apart, so that programs without it do not carry its code.
 *
 * The caller gets the same bytes, and a stream goes on streaming after the look. A body that breaks during the look, before
 * the caller has seen any of it, is `transient`.
 *
 * @param inspect called with every response that is not left to another layer
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, inspectBody } from '@ebb/core';
 *
 * const inspect = inspectBody(async (response) => {
 *   if (response.status !== 200) return undefined;
 *   const body = (await response.json()) as { error?: string } | undefined;
 *   return body?.error === 'busy' ? { verdict: 'refused', waitMs: 2_000 } : undefined;
 * });
 * const policy = createPolicy({ inspect });
 * ```
 */
function inspectBody(inspect, options = {}) {
    if (typeof inspect !== 'function')
        throw (0, check_ts_1.wrongType)('inspectBody: inspect', 'a function', inspect);
    const { maxBytes, timeoutMs } = (0, options_ts_1.readOptions)('inspectBody', options, OPTIONS);
    const look = (outcome, context) => lookAt(inspect, { bytes: maxBytes, timeoutMs, clock: context.clock }, outcome, context);
    return { look, part: new inspect_ts_1.InspectPart({ look }) };
}
async function lookAt(inspect, bounds, outcome, context) {
    const look = new look_ts_1.Look(outcome, context, bounds);
    try {
        const said = inspect(look);
        const judgement = (0, promise_ts_1.isPromise)(said) ? await within(said, bounds, context.signal) : said;
        checkJudgement(judgement);
        if (judgement !== undefined && judgement !== null)
            return (0, judged_ts_1.withJudgement)(outcome, judgement);
        return look.error === undefined || context.signal?.aborted ? outcome : (0, judged_ts_1.withJudgement)(outcome, BROKEN);
    }
    catch (cause) {
        throw new errors_ts_1.HookError('inspect', cause);
    }
    finally {
        look.end();
    }
}
/** An `inspect` that waits for something else than the body must not hold the response for ever, nor after an abort. */
async function within(promise, { timeoutMs, clock }, signal) {
    let cancel;
    let forget;
    const given = new Promise((resolve) => {
        const giveUp = () => resolve(undefined);
        // Twice the time: a look that runs into its timeout has as long again to be judged.
        cancel = clock.schedule(giveUp, 2 * timeoutMs);
        forget = signal?.aborted === false ? (0, on_abort_ts_1.onAbort)(signal, giveUp) : undefined;
    });
    try {
        return await Promise.race([promise, given]);
    }
    finally {
        cancel?.();
        forget?.();
    }
}
function checkJudgement(judgement) {
    if (judgement === undefined || judgement === null)
        return;
    if (typeof judgement !== 'object')
        throw (0, check_ts_1.wrongType)('its result', 'an object', judgement);
    const { verdict, waitMs } = judgement;
    if (verdict !== undefined)
        (0, classify_ts_1.checkVerdict)('verdict', verdict);
    if (waitMs !== undefined)
        (0, check_ts_1.notNegative)('waitMs', waitMs);
}
//# sourceMappingURL=inspect-body.js.map