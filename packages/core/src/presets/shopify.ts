import type { InspectedResponse } from '../http/inspected.ts';
import type { Judgement } from '../http/outcome.ts';
import { serverFeedback } from '../http/server-feedback.ts';
import type { PolicyOptions } from '../loop/options.ts';
import type { Inspect } from '../parts/inspect/inspect-body.ts';
import { inspectBody } from '../parts/inspect/inspect-body.ts';
import { at, listAt, pathOf, textAt } from './body.ts';
import { repeatsQueries } from './graphql.ts';
import { type PresetOptions, repeatsPosts } from './preset-options.ts';
import { classifyBy, refusingBusy } from './statuses.ts';

const FINAL: readonly string[] = ['MAX_COST_EXCEEDED', 'ACCESS_DENIED', 'SHOP_INACTIVE'];

/** The time until the points of a query are there, in milliseconds; `undefined` if the body does not tell. */
function waitFor(body: unknown): number | undefined {
  const cost = at(body, 'extensions', 'cost');
  const available = at(cost, 'throttleStatus', 'currentlyAvailable');
  const perSecond = at(cost, 'throttleStatus', 'restoreRate');
  const missing = Number(at(cost, 'requestedQueryCost')) - Number(available);
  const waitMs = Math.ceil((Math.max(0, missing) / Number(perSecond)) * 1_000);
  return Number.isFinite(waitMs) && waitMs > 0 ? waitMs : undefined;
}

async function ofGraphQL(response: InspectedResponse): Promise<Judgement | undefined> {
  const body = await response.json();
  const codes = listAt(body, 'errors').map((error) => textAt(error, 'extensions', 'code') ?? '');
  if (codes.includes('THROTTLED')) return { verdict: 'refused', waitMs: waitFor(body) };
  if (codes.some((code) => FINAL.includes(code))) return { verdict: 'final' };
  return codes.includes('INTERNAL_SERVER_ERROR') ? { verdict: 'transient' } : undefined;
}

const judge: Inspect = (response) =>
  response.status === 200 && pathOf(response.request.url).endsWith('/graphql.json')
    ? ofGraphQL(response)
    : undefined;

const inspect = /* @__PURE__ */ inspectBody(judge);

/** The own client of Shopify treats a 503 as a 429: it waits for `Retry-After`, and repeats mutations too. */
const classify = refusingBusy(classifyBy((status) => [500, 502, 503, 504].includes(status)));

const methods = /* @__PURE__ */ repeatsQueries('/graphql.json');

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
export function shopify(options: PresetOptions = {}): PolicyOptions {
  return {
    classify,
    feedback: serverFeedback,
    inspect,
    methods: repeatsPosts('shopify', options, false) ? 'all' : methods,
  };
}
