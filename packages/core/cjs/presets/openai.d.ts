import type { PolicyOptions } from '../policy/options.ts';
import { type PresetOptions } from './preset-options.ts';
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
export declare function openai(options?: PresetOptions): PolicyOptions;
//# sourceMappingURL=openai.d.ts.map