"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.google = google;
const classify_ts_1 = require("../http/classify.js");
const inspect_body_ts_1 = require("../http/inspect-body.js");
const quota_fields_ts_1 = require("../http/quota-fields.js");
const body_ts_1 = require("./body.js");
const path_ts_1 = require("./path.js");
const preset_options_ts_1 = require("./preset-options.js");
const statuses_ts_1 = require("./statuses.js");
/** Besides 429. */
const TRANSIENT = new Set([408, 500, 502, 503, 504]);
const RATE_REASONS = new Set(['rateLimitExceeded', 'userRateLimitExceeded']);
const MODEL_CALL = /:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|countTokens)$/;
/** True for a call that computes something from its body, and changes nothing. */
function isModelCall({ url }) {
    return MODEL_CALL.test((0, path_ts_1.pathOf)(url));
}
function isRepeatableCall(request) {
    return isModelCall(request) || (0, classify_ts_1.isRepeatable)(request);
}
/** The error of a body. A stream that is no event stream is a list of chunks, of which the first is the error. */
function errorOf(body) {
    return (0, body_ts_1.at)(Array.isArray(body) ? body[0] : body, 'error');
}
/** A quota per day, or one of nothing at all. The message of a quota per minute has the same words, so they prove nothing. */
function isHopeless(violation) {
    return (0, body_ts_1.textAt)(violation, 'quotaId')?.includes('PerDay') === true || (0, body_ts_1.at)(violation, 'quotaValue') === '0';
}
function ofLimit(error) {
    const details = (0, body_ts_1.listAt)(error, 'details');
    const violations = details.flatMap((detail) => (0, body_ts_1.listAt)(detail, 'violations'));
    if (violations.some(isHopeless) || (0, body_ts_1.at)(error, 'code') === 'quota_exceeded')
        return { verdict: 'final' };
    const delays = details.map((detail) => (0, quota_fields_ts_1.durationMs)((0, body_ts_1.textAt)(detail, 'retryDelay') ?? ''));
    return { verdict: 'refused', waitMs: delays.find((delay) => delay !== undefined) };
}
async function ofRefusal(response) {
    return ofLimit(errorOf(await response.json()));
}
async function ofForbidden(response) {
    const errors = (0, body_ts_1.listAt)(errorOf(await response.json()), 'errors');
    return errors.some((error) => RATE_REASONS.has((0, body_ts_1.textAt)(error, 'reason')))
        ? { verdict: 'refused' }
        : undefined;
}
async function ofUnavailable(response) {
    const status = (0, body_ts_1.at)(errorOf(await response.json()), 'status');
    return status === 'UNAVAILABLE' ? { verdict: 'refused' } : undefined;
}
async function ofFirstEvent(response) {
    const first = await response.firstEvent();
    const error = first === undefined ? undefined : errorOf((0, body_ts_1.parsed)(first.data));
    if (typeof error !== 'object' || error === null)
        return undefined;
    const code = (0, body_ts_1.at)(error, 'code');
    if (code === 429 || code === 'rate_limit_exceeded')
        return ofLimit(error);
    return { verdict: TRANSIENT.has(code) ? 'transient' : 'final' };
}
const judge = (response) => {
    const { status, request } = response;
    if (status === 429)
        return ofRefusal(response);
    if (status === 403)
        return ofForbidden(response);
    if (status === 503)
        return isModelCall(request) ? ofUnavailable(response) : undefined;
    return status < 300 && (0, body_ts_1.isEventStream)(response) ? ofFirstEvent(response) : undefined;
};
const inspect = /* @__PURE__ */ (0, inspect_body_ts_1.inspectBody)(judge);
const classify = (0, statuses_ts_1.classifyBy)((status) => TRANSIENT.has(status));
/**
 * For Gemini and the JSON APIs of Google Cloud.
 *
 * - Retried: 408, 429, 500, 502, 503, 504, broken connections, timeouts; a 403 with the reason `rateLimitExceeded` or
 *   `userRateLimitExceeded`, as a refusal; and an error that is the first event of an event stream (`alt=sse`).
 * - Final, although it is a 429: a quota per day (`quotaId` with `PerDay`), a quota of 0, and `quota_exceeded`. The message
 *   is not read: it says the same of a quota per minute. Final, too: every other 403, and every other 5xx.
 * - POST again: the calls of a model, which change nothing: `:generateContent`, `:streamGenerateContent`, `:embedContent`,
 *   `:batchEmbedContents`, `:countTokens`. Other requests if their method is idempotent. `repeatPosts: false` ends the
 *   exception for models. A model that is `UNAVAILABLE` has refused.
 * - Waits and quotas: `RetryInfo.retryDelay` in the body; Google reports no quota in headers.
 *
 * The body of a 200 is read only if it is an event stream, up to its first event.
 *
 * Source: @google/genai 3.1.0 (statuses, streams); @google-cloud/common 8.2.0 (`shouldRetryRequest`); Google, "Gemini API
 * rate limits" and "Troubleshooting"; Google Cloud Storage, "Retry strategy"; google.rpc `QuotaFailure` and `RetryInfo`.
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { google } from '@ebb/core/presets';
 *
 * const policy = createPolicy({ ...google(), maxRetries: 4 });
 * ```
 */
function google(options = {}) {
    return {
        classify,
        inspect,
        methods: (0, preset_options_ts_1.repeatsPosts)('google', options, true) ? isRepeatableCall : 'idempotent',
    };
}
//# sourceMappingURL=google.js.map