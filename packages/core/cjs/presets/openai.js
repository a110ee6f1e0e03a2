"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.openai = openai;
const classify_ts_1 = require("../http/classify.js");
const inspect_body_ts_1 = require("../http/inspect-body.js");
const body_ts_1 = require("./body.js");
const preset_options_ts_1 = require("./preset-options.js");
const statuses_ts_1 = require("./statuses.js");
const told_wait_ts_1 = require("./told-wait.js");
/** No wait helps: the account has nothing left to spend. */
const SPENT = new Set([
    'insufficient_quota',
    'credit_balance_exhausted',
    'organization_spend_limit_exceeded',
    'project_spend_limit_exceeded',
    'organization_usage_limit_exceeded',
    'billing_not_active',
]);
/** Codes and types of a limit that a wait helps with. */
const LIMITED = new Set([
    'rate_limit_exceeded',
    'slow_down',
    'rate_limit_error',
    'requests',
    'tokens',
]);
const TOO_LARGE = /^Request too large\b.*\bLimit:? (\d+), Requested:? (\d+)/s;
/** True for a request that needs more than the whole limit. */
function neverFits(message) {
    const [, limit, requested] = TOO_LARGE.exec(message ?? '') ?? [];
    return Number(requested) > Number(limit);
}
/** True if no wait helps. The code decides, and the type if the code says nothing. */
function isFinal(error) {
    const code = (0, body_ts_1.textAt)(error, 'code');
    if (SPENT.has(code))
        return true;
    if (!LIMITED.has(code) && SPENT.has((0, body_ts_1.textAt)(error, 'type')))
        return true;
    return neverFits((0, body_ts_1.textAt)(error, 'message'));
}
async function ofRefusal(response) {
    const error = (0, body_ts_1.at)(await response.json(), 'error');
    if (isFinal(error))
        return { verdict: 'final' };
    if ((0, told_wait_ts_1.tellsWait)(response))
        return undefined;
    const waitMs = (0, told_wait_ts_1.waitInWords)((0, body_ts_1.textAt)(error, 'message'));
    return waitMs === undefined ? undefined : { waitMs };
}
/** The error of an event: below `error`, or the event itself, or below the response that has failed. */
function errorIn(event, data) {
    return (0, body_ts_1.at)(data, 'error') ?? (event === 'error' ? data : (0, body_ts_1.at)(data, 'response', 'error'));
}
async function ofFirstEvent(response) {
    const first = await response.firstEvent();
    if (first === undefined)
        return undefined;
    const error = errorIn(first.event, (0, body_ts_1.parsed)(first.data));
    if (typeof error !== 'object' || error === null)
        return undefined;
    if (isFinal(error))
        return { verdict: 'final' };
    const words = [(0, body_ts_1.textAt)(error, 'code'), (0, body_ts_1.textAt)(error, 'type')];
    if (words.some((word) => LIMITED.has(word))) {
        return { verdict: 'refused', waitMs: (0, told_wait_ts_1.waitInWords)((0, body_ts_1.textAt)(error, 'message')) };
    }
    return { verdict: words.includes('server_error') ? 'transient' : 'final' };
}
const judge = (response) => {
    if (response.status === 429) {
        return response.header('x-should-retry') === 'false' ? undefined : ofRefusal(response);
    }
    return response.status < 300 && (0, body_ts_1.isEventStream)(response) ? ofFirstEvent(response) : undefined;
};
const inspect = /* @__PURE__ */ (0, inspect_body_ts_1.inspectBody)(judge);
const classify = (0, statuses_ts_1.classifyBy)((status) => status === 408 || status === 409 || (0, classify_ts_1.isServerError)(status));
/**
 * For the API of OpenAI.
 *
 * - Retried: 408, 409, 429, every 5xx, broken connections, timeouts; and an error that is the first event of a stream: a
 *   limit as a refusal, `server_error` as transient.
 * - Final, although it is a 429: `insufficient_quota`, `credit_balance_exhausted`, the spend and usage limits of an
 *   organization or project, `billing_not_active`, and a request that is larger than the whole limit.
 * - POST again: yes, as the SDK does. Pass `repeatPosts: false` if calls have lasting effects, by tools or stored responses.
 * - Waits and quotas: `Retry-After`, `retry-after-ms`, and per request, token and project token `x-ratelimit-remaining-*`,
 *   `-reset-*` and `-limit-*`. With the tokens of a request as `cost` the wait for a quota is exact. The message ("try again
 *   in 20s") counts only if no header tells a wait. `x-should-retry` outranks the status.
 *
 * The body of a 200 is read only if it is an event stream, up to its first event.
 *
 * Source: openai 7.57.0 (`shouldRetry`, `retryRequest`, `Stream`); OpenAI, "Rate limits" and "Error codes".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { openai } from '@ebb/core/presets';
 *
 * const policy = createPolicy({ ...openai(), maxRetries: 4 });
 * ```
 */
function openai(options = {}) {
    return { classify, inspect, methods: (0, preset_options_ts_1.repeatsPosts)('openai', options, true) ? 'all' : 'idempotent' };
}
//# sourceMappingURL=openai.js.map