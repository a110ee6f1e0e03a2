import { isServerError } from '../http/classify.ts';
import type { InspectedResponse } from '../http/inspected.ts';
import type { Judgement } from '../http/outcome.ts';
import { serverFeedback } from '../http/server-feedback.ts';
import type { PolicyOptions } from '../loop/options.ts';
import type { Inspect } from '../parts/inspect/inspect-body.ts';
import { inspectBody } from '../parts/inspect/inspect-body.ts';
import { listAt, pathOf, tellsWait, textAt } from './body.ts';
import { repeatsQueries } from './graphql.ts';
import { type PresetOptions, repeatsPosts } from './preset-options.ts';
import { classifyBy } from './statuses.ts';

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
function limited(response: InspectedResponse): Judgement {
  const waitMs = tellsTime(response) ? undefined : secondaryMs(response.attempt);
  return { verdict: 'refused', waitMs };
}

async function ofForbidden(response: InspectedResponse): Promise<Judgement | undefined> {
  const message = textAt(await response.json(), 'message') ?? '';
  return SECONDARY.test(message) ? limited(response) : undefined;
}

async function ofGraphQL(response: InspectedResponse): Promise<Judgement | undefined> {
  const errors = listAt(await response.json(), 'errors');
  const messages = errors.map((error) => textAt(error, 'message') ?? '');
  const isLimited = errors.some((error) => textAt(error, 'type') === 'RATE_LIMITED');
  if (isLimited || messages.some((message) => SECONDARY.test(message))) return limited(response);
  const hasFailed = messages.some((message) =>
    message.startsWith('Something went wrong while executing your query'),
  );
  return hasFailed ? { verdict: 'transient' } : undefined;
}

const judge: Inspect = (response) => {
  const { status, request } = response;
  if (status === 429) return limited(response);
  if (status === 403) {
    return tellsWait(response) || isUsedUp(response) ? limited(response) : ofForbidden(response);
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
export function github(options: PresetOptions = {}): PolicyOptions {
  const repeatsAll = repeatsPosts('github', options, false);
  return repeatsAll
    ? { classify: classifyAsOctokit, feedback: serverFeedback, inspect, methods: 'all' }
    : { classify, feedback: serverFeedback, inspect, methods };
}
