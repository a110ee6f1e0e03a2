import type { PolicyOptions } from '../policy/options.ts';
import { type PresetOptions } from './preset-options.ts';
/**
 * For the REST and GraphQL APIs of GitHub.
 *
 * - Retried: 429; a 403 with `Retry-After`, with a quota that is used up, or with a message of a secondary rate limit, as
 *   refusals; 408, every 5xx, broken connections, timeouts. In a 200 of GraphQL: `RATE_LIMITED` and a secondary limit as
 *   refusals, "Something went wrong while executing your query" as transient.
 * - Final: every other 403, and everything else.
 * - POST again: queries of GraphQL, by the operation in the body that `operationName` chooses, and batches of queries. Anything
 *   else only after a refusal, because a second one makes a second issue: mutations, persisted documents, bodies that are
 *   streams. `repeatPosts: true` repeats every request, and a 409, as octokit does.
 * - Waits and quotas: `Retry-After`; `x-ratelimit-remaining` and `x-ratelimit-reset`. A limit without a time waits for a
 *   minute, then two, then four. A reset that is further away than `maxRetryAfterMs` ends the retries.
 *
 * The body is read of a 403 that says no more in its headers, and of every 200 of `/graphql`.
 *
 * Source: @octokit/plugin-retry 8.1.1 and plugin-throttling 11.0.5; GitHub, "Rate limits for the REST API", and "Rate limits
 * and query limits for the GraphQL API".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { github } from '@ebb/core/presets';
 *
 * // Waits until the hour is over, if it must.
 * const policy = createPolicy({ ...github(), maxRetryAfterMs: 3_700_000 });
 * ```
 */
export declare function github(options?: PresetOptions): PolicyOptions;
//# sourceMappingURL=github.d.ts.map