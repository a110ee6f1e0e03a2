import type { PolicyOptions } from '../policy/options.ts';
import { type PresetOptions } from './preset-options.ts';
/**
 * For the API of Anthropic.
 *
 * - Retried: 408, 409, 429, every 5xx, broken connections, timeouts; and an `error` that is the first event of a stream,
 *   after pings: `overloaded_error` and `rate_limit_error` as a refusal, `api_error` and `timeout_error` as transient. A 529
 *   is a refusal, too, but of the load of all users: it does not lower the rate of an adaptive bucket.
 * - Final, although it is a 429: `error.details.error_code` with a spend limit (`enforced_spend_limit_reached`,
 *   `contract_spend_limit_reached`, `linked_organization_spend_limit_reached`) or `organization_on_hold`.
 * - POST again: yes, as the SDK does. Pass `repeatPosts: false` if calls have lasting effects.
 * - Waits and quotas: `Retry-After`, and per request, token, input and output token `anthropic-ratelimit-*-remaining`,
 *   `-reset` and `-limit`. `x-should-retry` outranks the status.
 *
 * The body of a 200 is read only if it is an event stream, up to its first event.
 *
 * Source: @anthropic-ai/sdk 1.12.0 (`shouldRetry`, `resources/shared`); Anthropic, "Rate limits" and "Errors".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { anthropic } from '@ebb/core/presets';
 *
 * const policy = createPolicy({ ...anthropic(), totalTimeoutMs: 120_000 });
 * ```
 */
export declare function anthropic(options?: PresetOptions): PolicyOptions;
//# sourceMappingURL=anthropic.d.ts.map