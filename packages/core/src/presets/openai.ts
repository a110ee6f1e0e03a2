import { isServerError } from '../http/classify.ts';
import type { InspectedResponse } from '../http/inspected.ts';
import type { Judgement } from '../http/outcome.ts';
import { serverFeedback } from '../http/server-feedback.ts';
import type { PolicyOptions } from '../loop/options.ts';
import type { Inspect } from '../parts/inspect/inspect-body.ts';
import { inspectBody } from '../parts/inspect/inspect-body.ts';
import { at, isEventStream, parsed, tellsWait, textAt, waitInWords } from './body.ts';
import { type PresetOptions, repeatsPosts } from './preset-options.ts';
import { classifyBy } from './statuses.ts';

/** No wait helps: the account has nothing left to spend. */
const SPENT: ReadonlySet<string | undefined> = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'project_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'billing_not_active',
]);

/** Codes and types of a limit that a wait helps with. */
const LIMITED: ReadonlySet<string | undefined> = new Set([
  'rate_limit_exceeded',
  'slow_down',
  'rate_limit_error',
  'requests',
  'tokens',
]);

const TOO_LARGE = /^Request too large\b.*\bLimit:? (\d+), Requested:? (\d+)/s;

/** True for a request that needs more than the whole limit. */
function neverFits(message: string | undefined): boolean {
  const [, limit, requested] = TOO_LARGE.exec(message ?? '') ?? [];
  return Number(requested) > Number(limit);
}

/** True if no wait helps. The code decides, and the type if the code says nothing. */
function isFinal(error: unknown): boolean {
  const code = textAt(error, 'code');
  if (SPENT.has(code)) return true;
  if (!LIMITED.has(code) && SPENT.has(textAt(error, 'type'))) return true;
  return neverFits(textAt(error, 'message'));
}

async function ofRefusal(response: InspectedResponse): Promise<Judgement | undefined> {
  const error = at(await response.json(), 'error');
  if (isFinal(error)) return { verdict: 'final' };
  if (tellsWait(response)) return undefined;
  const waitMs = waitInWords(textAt(error, 'message'));
  return waitMs === undefined ? undefined : { waitMs };
}

/** The error of an event: below `error`, or the event itself, or below the response that has failed. */
function errorIn(event: string, data: unknown): unknown {
  return at(data, 'error') ?? (event === 'error' ? data : at(data, 'response', 'error'));
}

async function ofFirstEvent(response: InspectedResponse): Promise<Judgement | undefined> {
  const first = await response.firstEvent();
  if (first === undefined) return undefined;
  const error = errorIn(first.event, parsed(first.data));
  if (typeof error !== 'object' || error === null) return undefined;
  if (isFinal(error)) return { verdict: 'final' };
  const words = [textAt(error, 'code'), textAt(error, 'type')];
  if (words.some((word) => LIMITED.has(word))) {
    return { verdict: 'refused', waitMs: waitInWords(textAt(error, 'message')) };
  }
  return { verdict: words.includes('server_error') ? 'transient' : 'final' };
}

const judge: Inspect = (response) => {
  if (response.status === 429) {
    return response.header('x-should-retry') === 'false' ? undefined : ofRefusal(response);
  }
  return response.status < 300 && isEventStream(response) ? ofFirstEvent(response) : undefined;
};

const inspect = /* @__PURE__ */ inspectBody(judge);

const classify = classifyBy((status) => status === 408 || status === 409 || isServerError(status));

/**
 * For the API of OpenAI.
 *
 * - Retried: 408, 409, 429, every 5xx, broken connections, timeouts; and an error that is the first event of a stream: a
 *   limit as a refusal, `server_error` as transient.
 * - Final, although it is a 429: `insufficient_quota`, `credit_balance_exhausted`, the spend and usage limits of an
 *   organization or project, `billing_not_active`, and a request that is larger than the whole limit.
 * - POST again: yes, as the SDK does. Pass `repeatPosts: false` if calls have lasting effects, by tools or stored responses.
 * - Waits and quotas: `Retry-After`, `retry-after-ms`, and per request, token and project token `x-ratelimit-remaining-*`,
 *   `-reset-*` and `-limit-*`. With the tokens of a request as `cost` the wait for a quota is exact. The message ("try again
 *   in 20s") counts only if no header tells a wait. `x-should-retry` outranks the status.
 *
 * The body of a 200 is read only if it is an event stream, up to its first event.
 *
 * Source: openai 7.57.0 (`shouldRetry`, `retryRequest`, `Stream`); OpenAI, "Rate limits" and "Error codes".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { openai } from '@ebb/core/presets';
 *
 * const policy = createPolicy({ ...openai(), maxRetries: 4 });
 * ```
 */
export function openai(options: PresetOptions = {}): PolicyOptions {
  return {
    classify,
    feedback: serverFeedback,
    inspect,
    methods: repeatsPosts('openai', options, true) ? 'all' : 'idempotent',
  };
}
