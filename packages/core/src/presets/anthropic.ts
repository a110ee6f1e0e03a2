import { type Classify, isServerError } from '../http/classify.ts';
import type { InspectedResponse } from '../http/inspected.ts';
import type { Judgement, Verdict } from '../http/outcome.ts';
import { serverFeedback } from '../http/server-feedback.ts';
import type { PolicyOptions } from '../loop/options.ts';
import type { Inspect } from '../parts/inspect/inspect-body.ts';
import { inspectBody } from '../parts/inspect/inspect-body.ts';
import { at, isEventStream, parsed, textAt } from './body.ts';
import { type PresetOptions, repeatsPosts } from './preset-options.ts';
import { classifyBy } from './statuses.ts';

/** No wait of a request helps: these last until the month ends, or until someone acts. */
const SPENT: ReadonlySet<string | undefined> = new Set([
  'enforced_spend_limit_reached',
  'contract_spend_limit_reached',
  'linked_organization_spend_limit_reached',
  'organization_on_hold',
]);

/** What the type of an error in a stream means. Other types are final. */
const VERDICT_OF_TYPE: Readonly<Record<string, Verdict>> = {
  rate_limit_error: 'refused',
  overloaded_error: 'refused',
  api_error: 'transient',
  timeout_error: 'transient',
  conflict_error: 'transient',
};

function isSpent(error: unknown): boolean {
  return SPENT.has(textAt(error, 'details', 'error_code'));
}

async function ofRefusal(response: InspectedResponse): Promise<Judgement | undefined> {
  return isSpent(at(await response.json(), 'error')) ? { verdict: 'final' } : undefined;
}

async function ofFirstEvent(response: InspectedResponse): Promise<Judgement | undefined> {
  const first = await response.firstEvent();
  if (first?.event !== 'error') return undefined;
  const error = at(parsed(first.data), 'error');
  if (isSpent(error)) return { verdict: 'final' };
  return { verdict: VERDICT_OF_TYPE[textAt(error, 'type') ?? ''] ?? 'final' };
}

const judge: Inspect = (response) => {
  if (response.status === 429) {
    return response.header('x-should-retry') === 'false' ? undefined : ofRefusal(response);
  }
  return response.status < 300 && isEventStream(response) ? ofFirstEvent(response) : undefined;
};

const inspect = /* @__PURE__ */ inspectBody(judge);

const byStatus = classifyBy((status) => status === 408 || status === 409 || isServerError(status));

/** 529 is the load of all users: the request was turned away, and the own rate is not the reason. */
const classify: Classify = (outcome, request, attempt) =>
  outcome.type === 'response' && outcome.status === 529 ? 'refused' : byStatus(outcome, request, attempt);

/**
 * For the API of Anthropic.
 *
 * - Retried: 408, 409, 429, every 5xx, broken connections, timeouts; and an `error` that is the first event of a stream,
 *   after pings: `overloaded_error` and `rate_limit_error` as a refusal, `api_error` and `timeout_error` as transient. A 529
 *   is a refusal, too, but of the load of all users: it does not lower the rate of an adaptive bucket.
 * - Final, although it is a 429: `error.details.error_code` with a spend limit (`enforced_spend_limit_reached`,
 *   `contract_spend_limit_reached`, `linked_organization_spend_limit_reached`) or `organization_on_hold`.
 * - POST again: yes, as the SDK does. Pass `repeatPosts: false` if calls have lasting effects.
 * - Waits and quotas: `Retry-After`, and per request, token, input and output token `anthropic-ratelimit-*-remaining`,
 *   `-reset` and `-limit`. `x-should-retry` outranks the status.
 *
 * The body of a 200 is read only if it is an event stream, up to its first event.
 *
 * Source: @anthropic-ai/sdk 1.12.0 (`shouldRetry`, `resources/shared`); Anthropic, "Rate limits" and "Errors".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { anthropic } from '@ebb/core/presets';
 *
 * const policy = createPolicy({ ...anthropic(), totalTimeoutMs: 120_000 });
 * ```
 */
export function anthropic(options: PresetOptions = {}): PolicyOptions {
  return {
    classify,
    feedback: serverFeedback,
    inspect,
    methods: repeatsPosts('anthropic', options, true) ? 'all' : 'idempotent',
  };
}
