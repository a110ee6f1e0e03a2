"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.cloudflare = cloudflare;
const classify_ts_1 = require("../http/classify.js");
const preset_options_ts_1 = require("./preset-options.js");
const statuses_ts_1 = require("./statuses.js");
const classify = (0, statuses_ts_1.classifyBy)((status) => status === 408 || status === 409 || (0, classify_ts_1.isServerError)(status));
/**
 * For the API of Cloudflare.
 *
 * - Retried: 408, 409, 429, every 5xx, 520 to 524 of the edge included, broken connections, timeouts.
 * - Final: everything else.
 * - POST again: only after a refusal, because a second one makes a second zone. `repeatPosts: true` repeats every request, as
 *   the SDK does.
 * - Waits and quotas: `Retry-After`; `Ratelimit`, which comes with every response. `x-should-retry` outranks the status.
 *
 * No body is read.
 *
 * Source: cloudflare 7.3.0 (`shouldRetry`); Cloudflare, "Rate limits" of the API.
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { cloudflare } from '@ebb/core/presets';
 *
 * const policy = createPolicy({ ...cloudflare(), maxRetries: 2 });
 * ```
 */
function cloudflare(options = {}) {
    return { classify, methods: (0, preset_options_ts_1.repeatsPosts)('cloudflare', options, false) ? 'all' : 'idempotent' };
}
//# sourceMappingURL=cloudflare.js.map