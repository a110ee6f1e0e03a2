import { positive } from '../base/check.ts';
import { type OptionTable, readOptions } from '../base/options.ts';
import { MOST_READ_BYTES } from '../http/ceilings.ts';
import type { InspectedResponse } from '../http/inspected.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { Costs } from '../loop/costs.ts';
import type { WaitingBucketOptions } from '../parts/bucket/options.ts';
import { quotaBucket } from '../parts/bucket/quota-bucket.ts';
import { readCost } from '../parts/cost/read-cost.ts';
import { at, numberAt } from './body.ts';
import { ACCOUNT_NUMBER, limitsTable, type ProviderLimits } from './limits-options.ts';
import { queryIn, Remembered } from './remembered.ts';

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

const OPTIONS: OptionTable<ShopifyLimitsOptions> = /* @__PURE__ */ limitsTable<ShopifyLimitsOptions>({
  pointsPerSecond: ACCOUNT_NUMBER,
  maximumPoints: ACCOUNT_NUMBER,
  firstCost: { check: positive, default: 10 },
});

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
 * The limit of an app in a shop of Shopify, for the GraphQL Admin API: points. To spread beside the preset `shopify()`. One for each
 * shop: see `perKey`.
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
 * import { shopify, shopifyLimits } from '@ebb/core/presets';
 *
 * const policy = createPolicy({
 *   ...shopify(),
 *   ...shopifyLimits({ pointsPerSecond: 100, maximumPoints: 2_000 }),
 * });
 * ```
 */
export function shopifyLimits(options: ShopifyLimitsOptions): ProviderLimits {
  const { firstCost } = readOptions('shopifyLimits', options, OPTIONS);
  const { pointsPerSecond, maximumPoints, firstCost: _, ...waiting } = options;
  const remembered = new Remembered();
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
  return { bucket, cost, actualCost: readCost(actualOf, { remaining: leftOf, maxBytes: MOST_READ_BYTES }) };
}
