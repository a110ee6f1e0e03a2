import {
  type Inspect,
  type InspectedResponse,
  type InspectResult,
  inspectBody,
  type PolicyOptions,
  type RequestTraits,
  serverFeedback,
  type Verdict,
} from '@ebb/core';
import { isRepeatable, isServerError } from '@ebb/core/internal';

import { at, hasType, pathOf, textAt } from './body.ts';
import { classifyBy, type PresetOptions, repeatsPosts } from './options.ts';

/** The verdict on each error in a 200. Other errors are final. */
const VERDICT_OF_ERROR: Readonly<Record<string, Verdict>> = {
  ratelimited: 'refused',
  internal_error: 'transient',
  fatal_error: 'transient',
  service_unavailable: 'transient',
  request_timeout: 'transient',
};

/** The method of a call, such as `conversations.history`; `undefined` for another URL. */
function methodOf({ url }: RequestTraits): string | undefined {
  return /\/api\/([\w.]+)$/.exec(pathOf(url))?.[1];
}

/** The last word of a method that only reads. */
const READS = /\.(?:list|info|history|replies|members|get(?:[A-Z]\w*)?)$/;

/** Slack calls everything by POST, so the name of the method decides. */
function isRead(request: RequestTraits): boolean {
  const method = methodOf(request);
  return method === undefined ? isRepeatable(request) : READS.test(method);
}

async function ofAnswer(response: InspectedResponse): Promise<InspectResult | undefined> {
  const body = await response.json();
  if (at(body, 'ok') !== false) return undefined;
  return { verdict: VERDICT_OF_ERROR[textAt(body, 'error') ?? ''] ?? 'final' };
}

const judge: Inspect = (response) =>
  response.status === 200 && methodOf(response.request) !== undefined && hasType(response, 'json')
    ? ofAnswer(response)
    : undefined;

const inspect = /* @__PURE__ */ inspectBody(judge);

const classify = classifyBy(isServerError);

/** As the SDK, which repeats every status but 200. The other statuses do not change. */
const classifyAsSdk = classifyBy((status) => status === 408 || status === 409 || isServerError(status));

/**
 * For the Web API of Slack.
 *
 * - Retried: 429 as a refusal; every 5xx, broken connections, timeouts. In a 200 with `ok: false`: `ratelimited` as a refusal;
 *   `internal_error`, `fatal_error`, `service_unavailable` and `request_timeout` as transient. No page says of these errors
 *   that they pass.
 * - Final: every other error in a 200, which the caller gets unchanged, and every other status.
 * - POST again: methods that only read, because all methods are called by POST. Reads are those whose names end with `.list`,
 *   `.info`, `.history`, `.replies`, `.members`, or `.get` with or without another word, such as `conversations.history`.
 *   Any other only after a refusal. `repeatPosts: true` repeats every request, and a 408 and a 409, as the SDK does.
 * - Waits and quotas: `Retry-After`. Slack reports no quota. It limits each method by itself, while a bucket pauses for all
 *   of an origin: use a bucket per method to let others go on.
 *
 * The body is read of every 200 of a method that is JSON.
 *
 * Source: @slack/web-api 8.2.0; Slack, "Rate limits" and "Using the Slack Web API".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { slack } from '@ebb/providers';
 *
 * const policy = createPolicy({ ...slack(), maxRetries: 10 });
 * ```
 */
export function slack(options: PresetOptions = {}): PolicyOptions {
  const repeatsAll = repeatsPosts('slack', options, false);
  return repeatsAll
    ? { classify: classifyAsSdk, feedback: serverFeedback, inspect, methods: 'all' }
    : { classify, feedback: serverFeedback, inspect, methods: isRead };
}
