import type { PolicyOptions } from '../policy/options.ts';
import { type PresetOptions } from './preset-options.ts';
/**
 * For the Web API of Slack.
 *
 * - Retried: 429 as a refusal; every 5xx, broken connections, timeouts. In a 200 with `ok: false`: `ratelimited` as a refusal;
 *   `internal_error`, `fatal_error`, `service_unavailable` and `request_timeout` as transient. No page says of these errors
 *   that they pass.
 * - Final: every other error in a 200, which the caller gets unchanged, and every other status.
 * - POST again: methods that only read, because all methods are called by POST. Reads are those whose names end with `.list`,
 *   `.info`, `.history`, `.replies`, `.members`, or `.get` with or without another word, such as `conversations.history`.
 *   Any other only after a refusal. `repeatPosts: true` repeats every request, and a 408 and a 409, as the SDK does.
 * - Waits and quotas: `Retry-After`. Slack reports no quota. It limits each method by itself, while a bucket pauses for all
 *   of an origin: use a bucket per method to let others go on.
 *
 * The body is read of every 200 of a method that is JSON.
 *
 * Source: @slack/web-api 8.2.0; Slack, "Rate limits" and "Using the Slack Web API".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { slack } from '@ebb/core/presets';
 *
 * const policy = createPolicy({ ...slack(), maxRetries: 10 });
 * ```
 */
export declare function slack(options?: PresetOptions): PolicyOptions;
//# sourceMappingURL=slack.d.ts.map