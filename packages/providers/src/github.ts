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
import { devText, isServerError, MOST_READ_BYTES, must, readOptions } from '@ebb/core/internal';
import { countIn, listAt, numberAt, pathOf, tellsWait, textAt } from './body.ts';
import { costFromResponse } from './cost/cost-from-response.ts';
import { CostMemory, isQuery, queryIn, repeatsQueries } from './graphql.ts';
import {
  ACCOUNT_NUMBER,
  classifyBy,
  limitsTable,
  type PresetOptions,
  type ProviderLimits,
  repeatsPosts,
} from './options.ts';

/** The least wait for a secondary limit without a time; after that "exponentially more". */
const SECONDARY_MS = 60_000;

/** Two years are long enough, and a finite number. */
const MOST_DOUBLINGS = 20;

const SECONDARY = /\bsecondary rate\b/i;

/** A wait that the headers tell: `Retry-After`, or the reset of a quota that is used up. */
function tellsTime(response: InspectedResponse): boolean {
  return tellsWait(response) || (isUsedUp(response) && response.header('x-ratelimit-reset') !== undefined);
}

function isUsedUp(response: InspectedResponse): boolean {
  return response.header('x-ratelimit-remaining')?.trim() === '0';
}

function secondaryMs(attempt: number): number {
  return SECONDARY_MS * 2 ** Math.min(attempt - 1, MOST_DOUBLINGS);
}

/** A refusal by a limit. Core reads the wait that the headers tell. */
function refuseByLimit(response: InspectedResponse): InspectResult {
  const waitMs = tellsTime(response) ? undefined : secondaryMs(response.attempt);
  return { verdict: 'refused', waitMs };
}

async function ofForbidden(response: InspectedResponse): Promise<InspectResult | undefined> {
  const message = textAt(await response.json(), 'message') ?? '';
  return SECONDARY.test(message) ? refuseByLimit(response) : undefined;
}

async function ofGraphQL(response: InspectedResponse): Promise<InspectResult | undefined> {
  const errors = listAt(await response.json(), 'errors');
  const messages = errors.map((error) => textAt(error, 'message') ?? '');
  const isLimited = errors.some((error) => textAt(error, 'type') === 'RATE_LIMITED');
  if (isLimited || messages.some((message) => SECONDARY.test(message))) return refuseByLimit(response);
  const hasFailed = messages.some((message) =>
    message.startsWith('Something went wrong while executing your query'),
  );
  return hasFailed ? { verdict: 'transient' } : undefined;
}

const judge: Inspect = (response) => {
  const { status, request } = response;
  if (status === 429) return refuseByLimit(response);
  if (status === 403) {
    return tellsWait(response) || isUsedUp(response) ? refuseByLimit(response) : ofForbidden(response);
  }
  return status === 200 && pathOf(request.url).endsWith('/graphql') ? ofGraphQL(response) : undefined;
};

const inspect = /* @__PURE__ */ inspectBody(judge);

const classify = classifyBy((status) => status === 408 || isServerError(status));

const methods = /* @__PURE__ */ repeatsQueries('/graphql');

/** As octokit: a conflict may be with a request of its own that is still under way. */
const classifyAsOctokit = classifyBy((status) => status === 408 || status === 409 || isServerError(status));

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
 *   minute, then two, then four. A reset that is further away than `retryAfter.maxMs` ends the retries.
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
 * import { github } from '@ebb/providers';
 *
 * // Waits until the hour is over, if it must.
 * const policy = createPolicy({ ...github(), retryAfter: { maxMs: 3_700_000 } });
 * ```
 */
export function github(options: PresetOptions = {}): PolicyOptions {
  const repeatsAll = repeatsPosts('github', options, false);
  return repeatsAll
    ? { classify: classifyAsOctokit, feedback: serverFeedback, inspect, methods: 'all' }
    : { classify, feedback: serverFeedback, inspect, methods };
}

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
 * - A REST request costs 1 point of the hour, and nothing if the answer is a 304. A query of GraphQL costs the `rateLimit { cost }` of its
 *   answer: ask for this field. The same text then takes as much; the 1,000 texts that were sent last are remembered.
 * - A query or a GET costs 1 point of the minute, a mutation or any other method 5. No answer reports the points that are left. So a tenth
 *   of the points can be taken at once, and nine tenths come back over a minute: no minute has more than all points.
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
 * import { github, githubLimits } from '@ebb/providers';
 *
 * const policy = createPolicy({
 *   ...github(),
 *   ...githubLimits({ pointsPerHour: 5_000, pointsPerMinute: 2_000 }),
 * });
 * ```
 */
export function githubLimits(options: GithubLimitsOptions): ProviderLimits {
  const { resource } = readOptions(
    'githubLimits',
    options,
    limitsTable<GithubLimitsOptions>({
      pointsPerHour: ACCOUNT_NUMBER,
      pointsPerMinute: ACCOUNT_NUMBER,
      resource: {
        check: (name, value) => must(name, devText('a string'), value, typeof value === 'string'),
        default: 'graphql',
      },
    }),
  );
  const { pointsPerHour, pointsPerMinute, resource: _, ...waiting } = options;
  const remembered = new CostMemory();
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
  return {
    bucket,
    cost,
    actualCost: costFromResponse(actualOf, { remaining: leftOf, maxBytes: MOST_READ_BYTES }),
  };
}
