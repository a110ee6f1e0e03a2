import { prose } from '#prose';
import { must } from '../base/option-error.ts';
import { type OptionTable, readOptions } from '../base/options.ts';
import { MOST_READ_BYTES } from '../http/ceilings.ts';
import type { InspectedResponse } from '../http/inspected.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { Costs } from '../loop/costs.ts';
import type { WaitingBucketOptions } from '../parts/bucket/options.ts';
import { quotaBucket } from '../parts/bucket/quota-bucket.ts';
import { readCost } from '../parts/cost/read-cost.ts';
import { countIn, numberAt, pathOf } from './body.ts';
import { isQuery } from './graphql.ts';
import { ACCOUNT_NUMBER, limitsTable, type ProviderLimits } from './limits-options.ts';
import { queryIn, Remembered } from './remembered.ts';

/** Options of {@link githubLimits}: the numbers of the account, with those of a bucket. */
export interface GithubLimitsOptions extends WaitingBucketOptions {
  /** The primary limit of the resource: requests, or points for `graphql`. */
  readonly pointsPerHour: number;
  /** The secondary limit. */
  readonly pointsPerMinute: number;
  /**
   * The quota that is meant, as `x-ratelimit-resource` names it. Each has its own.
   * @default 'graphql'
   */
  readonly resource?: string | undefined;
}

const OPTIONS: OptionTable<GithubLimitsOptions> = /* @__PURE__ */ limitsTable<GithubLimitsOptions>({
  pointsPerHour: ACCOUNT_NUMBER,
  pointsPerMinute: ACCOUNT_NUMBER,
  resource: {
    check: (name, value) => must(name, prose('a string'), value, typeof value === 'string'),
    default: 'graphql',
  },
});

/** The points of the secondary limit: reading costs 1, anything else 5. */
const READS = /^(GET|HEAD|OPTIONS)$/;
const WRITE = 5;

function isGraphQL({ url }: RequestTraits): boolean {
  return pathOf(url).endsWith('/graphql');
}

function costInMinute(request: RequestTraits): number {
  const reads = isGraphQL(request) ? isQuery(request.body) : READS.test(request.method);
  return reads ? 1 : WRITE;
}

/**
 * The limits of an account at GitHub, for one resource: points per hour, and per minute those of the secondary limit. To spread
 * beside the preset `github()`.
 *
 * - Of the hour a REST request costs 1, and nothing if the answer is a 304. A query of GraphQL costs what `rateLimit { cost }` in its
 *   answer says: ask for it. The same text then takes as much; the 1,000 texts that were sent last are remembered.
 * - Of the minute a query or a GET costs 1, a mutation or any other method 5. No answer says what is left of it. So a tenth of it can
 *   be taken at once, and nine tenths come back over a minute: no minute has more than all.
 * - `x-ratelimit-remaining` of each answer of the resource lowers what is left of the hour.
 *
 * The numbers depend on the account; none is built in.
 *
 * Source: GitHub, "Rate limits for the REST API", and "Rate limits and query limits for the GraphQL API".
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { github, githubLimits } from '@ebb/core/presets';
 *
 * const policy = createPolicy({
 *   ...github(),
 *   ...githubLimits({ pointsPerHour: 5_000, pointsPerMinute: 2_000 }),
 * });
 * ```
 */
export function githubLimits(options: GithubLimitsOptions): ProviderLimits {
  const { resource } = readOptions('githubLimits', options, OPTIONS);
  const { pointsPerHour, pointsPerMinute, resource: _, ...waiting } = options;
  const remembered = new Remembered();
  const bucket = quotaBucket({
    ...waiting,
    limits: {
      hour: { refillPerSecond: pointsPerHour / 3_600, capacity: pointsPerHour },
      minute: {
        refillPerSecond: (pointsPerMinute * 0.9) / 60,
        capacity: Math.max(WRITE, pointsPerMinute / 10),
      },
    },
  });
  const cost = (request: RequestTraits): Costs => ({
    hour: Math.min(pointsPerHour, remembered.get(queryIn(request.body)) ?? 1),
    minute: costInMinute(request),
  });
  const actualOf = async (response: InspectedResponse): Promise<Costs | undefined> => {
    const { status, request } = response;
    if (status === 304) return { hour: 0 };
    if (status !== 200 || !isGraphQL(request)) return undefined;
    const hour = numberAt(await response.json(), 'data', 'rateLimit', 'cost');
    if (hour === undefined) return undefined;
    if (hour > 0) remembered.set(queryIn(request.body), hour);
    return { hour };
  };
  const leftOf = (response: InspectedResponse): Costs | undefined => {
    const hour = countIn(response, 'x-ratelimit-remaining');
    const isMeant = response.header('x-ratelimit-resource') === resource;
    return isMeant && hour !== undefined ? { hour } : undefined;
  };
  return { bucket, cost, actualCost: readCost(actualOf, { remaining: leftOf, maxBytes: MOST_READ_BYTES }) };
}
