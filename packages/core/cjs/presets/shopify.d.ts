import type { PolicyOptions } from '../policy/options.ts';
import { type PresetOptions } from './preset-options.ts';
/**
 * For the Admin API of Shopify, GraphQL and REST.
 *
 * - Retried: 429 as a refusal, and a 503 that says when to come back; 503, and as in ebb's default 500, 502 and 504; broken connections, timeouts. In a 200 of
 *   GraphQL: `THROTTLED` as a refusal, of which nothing ran, and `INTERNAL_SERVER_ERROR` as transient.
 * - Final: in a 200 of GraphQL `MAX_COST_EXCEEDED`, `ACCESS_DENIED` and `SHOP_INACTIVE`, which the caller gets unchanged; 402,
 *   423, and everything else.
 * - POST again: queries of GraphQL, by the operation in the body that `operationName` chooses, and batches of queries. Anything
 *   else only after a refusal, such as a mutation, a persisted document, and a body that is a stream. `repeatPosts: true`
 *   repeats every request.
 * - Waits and quotas: `Retry-After`, with fractions; for `THROTTLED` the time until the points of the query are restored, from
 *   `extensions.cost`. `x-shopify-shop-api-call-limit` is not read.
 *
 * The body is read of every 200 of `/graphql.json`.
 *
 * Source: @shopify/graphql-client 2.0.0 (retries of 429 and 503, read 2026-11-22) and shopify-api 15.0.0; Shopify, "API limits", "GraphQL Admin API rate limits",
 * "Status and error codes".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { shopify } from '@ebb/core/presets';
 *
 * const policy = createPolicy({ ...shopify(), maxRetries: 3 });
 * ```
 */
export declare function shopify(options?: PresetOptions): PolicyOptions;
//# sourceMappingURL=shopify.d.ts.map