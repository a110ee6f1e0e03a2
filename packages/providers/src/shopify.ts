import {
  type Costs,
  type Inspect,
  type InspectedResponse,
  type InspectResult,
  inspectBody,
  type PolicyOptions,
  quotaBucket,
  type RequestTraits,
  serverFeedback,
} from '@ebb/core';
import type { WaitingBucketOptions } from '@ebb/core/bucket';
import { MOST_READ_BYTES, positive, readOptions } from '@ebb/core/internal';
import { at, listAt, numberAt, pathOf, textAt } from './body.ts';
import { costFromResponse } from './cost/cost-from-response.ts';
import { CostMemory, queryIn, repeatsQueries } from './graphql.ts';
import {
  ACCOUNT_NUMBER,
  classifyBy,
  limitsTable,
  type PresetOptions,
  type ProviderLimits,
  refusingBusy,
  repeatsPosts,
} from './options.ts';

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

async function ofGraphQL(response: InspectedResponse): Promise<InspectResult | undefined> {
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
 * import { shopify } from '@ebb/providers';
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

/** Options of {@link shopifyLimits}: the numbers of the plan, with those of a bucket. */
export interface ShopifyLimitsOptions extends WaitingBucketOptions {
  /** `restoreRate` in `extensions.cost.throttleStatus`. */
  readonly pointsPerSecond: number;
  /** `maximumAvailable` there. */
  readonly maximumPoints: number;
  /**
   * The points of a query that has not been sent before.
   * @default 10
   */
  readonly firstCost?: number | undefined;
}

async function leftOf(response: InspectedResponse): Promise<Costs | undefined> {
  if (response.status !== 200) return undefined;
  const points = numberAt(
    await response.json(),
    'extensions',
    'cost',
    'throttleStatus',
    'currentlyAvailable',
  );
  return points === undefined ? undefined : { points };
}

/**
 * The limit of an app in a shop of Shopify, for the GraphQL Admin API: points. To spread beside the preset `shopify()`. Each shop needs its
 * own limit: see `perKey`.
 *
 * - A query is admitted by its `requestedQueryCost`, and what it has not used goes back at once. So it takes what the same text was
 *   admitted by before; the 1,000 texts that were sent last are remembered.
 * - A query that was refused (`THROTTLED`, 429) costs nothing.
 * - `currentlyAvailable` of each answer lowers what is left here, if others use the same app.
 *
 * The numbers depend on the plan of the shop; none is built in.
 *
 * Source: Shopify, "API limits" and "GraphQL Admin API rate limits" (requested and actual cost, restore rate).
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { shopify, shopifyLimits } from '@ebb/providers';
 *
 * const policy = createPolicy({
 *   ...shopify(),
 *   ...shopifyLimits({ pointsPerSecond: 100, maximumPoints: 2_000 }),
 * });
 * ```
 */
export function shopifyLimits(options: ShopifyLimitsOptions): ProviderLimits {
  const { firstCost } = readOptions(
    'shopifyLimits',
    options,
    limitsTable<ShopifyLimitsOptions>({
      pointsPerSecond: ACCOUNT_NUMBER,
      maximumPoints: ACCOUNT_NUMBER,
      firstCost: { check: positive, default: 10 },
    }),
  );
  const { pointsPerSecond, maximumPoints, firstCost: _, ...waiting } = options;
  const remembered = new CostMemory();
  const bucket = quotaBucket({
    ...waiting,
    limits: { points: { refillPerSecond: pointsPerSecond, capacity: maximumPoints } },
  });
  const cost = ({ body }: RequestTraits): Costs => ({
    points: Math.min(maximumPoints, remembered.get(queryIn(body)) ?? firstCost),
  });
  const actualOf = async (response: InspectedResponse): Promise<Costs | undefined> => {
    const { status, request } = response;
    if (status !== 200) return status >= 400 && status < 500 ? { points: 0 } : undefined;
    const said = at(await response.json(), 'extensions', 'cost');
    const requested = numberAt(said, 'requestedQueryCost');
    // Nothing at all is taken for a query that costs nothing.
    if (requested !== undefined && requested > 0) remembered.set(queryIn(request.body), requested);
    const points = numberAt(said, 'actualQueryCost');
    if (points !== undefined) return { points };
    // It was not carried out.
    return requested === undefined ? undefined : { points: 0 };
  };
  return {
    bucket,
    cost,
    actualCost: costFromResponse(actualOf, { remaining: leftOf, maxBytes: MOST_READ_BYTES }),
  };
}
