import type { PolicyOptions } from '../policy/options.ts';
import { type PresetOptions } from './preset-options.ts';
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
export declare function google(options?: PresetOptions): PolicyOptions;
//# sourceMappingURL=google.d.ts.map