import {
  type Costs,
  type Inspect,
  type InspectedResponse,
  type InspectResult,
  inspectBody,
  type PolicyOptions,
  quotaBucket,
  type RequestTraits,
  type ServerEvent,
  serverFeedback,
} from '@ebb/core';
import type { WaitingBucketOptions } from '@ebb/core/bucket';
import { isObject, isServerError, oneOf, readOptions } from '@ebb/core/internal';
import {
  at,
  bytesIn,
  countIn,
  isEventStream,
  jsonIn,
  numberAt,
  parseJson,
  tellsWait,
  textAt,
  waitInWords,
} from './body.ts';
import { costFromResponse } from './cost/cost-from-response.ts';
import {
  ACCOUNT_NUMBER,
  aMinute,
  classifyBy,
  limitsTable,
  type PresetOptions,
  type ProviderLimits,
  repeatsPosts,
} from './options.ts';

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

async function ofRefusal(response: InspectedResponse): Promise<InspectResult | undefined> {
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

async function ofFirstEvent(response: InspectedResponse): Promise<InspectResult | undefined> {
  const first = await response.firstEvent();
  if (first === undefined) return undefined;
  const error = errorIn(first.event, parseJson(first.data));
  if (!isObject(error)) return undefined;
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
 * import { openai } from '@ebb/providers';
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

/** Options of {@link openaiLimits}: the numbers of the account, with those of a bucket. */
export interface OpenaiLimitsOptions extends WaitingBucketOptions {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  /**
   * The tokens that a request counts as: the larger of its bound and its input, as at OpenAI; or both together, as at Azure OpenAI and
   * Cerebras.
   * @default 'larger'
   */
  readonly counts?: 'larger' | 'sum' | undefined;
}

/** The fields of chat completions, present and former, and that of responses. */
const MOST_TOKENS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'];

/** The tokens that are counted at the beginning: the most output, and an estimate of the input, one token for four bytes. */
function costOf({ body }: RequestTraits, counts: 'larger' | 'sum'): Costs {
  const json = jsonIn(body);
  const most = MOST_TOKENS.map((name) => numberAt(json, name)).find((tokens) => tokens !== undefined) ?? 0;
  const output = most * (numberAt(json, 'n') ?? 1);
  const input = Math.ceil(bytesIn(body) / 4);
  const tokens = counts === 'sum' ? input + output : Math.max(input, output);
  return tokens > 0 ? { requests: 1, tokens } : { requests: 1 };
}

/** The tokens that were counted at the beginning stay counted. A refusal counts as a request alone. */
function actualOf({ status }: InspectedResponse): Costs | undefined {
  return status === 429 ? { tokens: 0 } : undefined;
}

/** By unit, the fields that say what is left of it: a project may have less than its account. */
const LEFT: Readonly<Record<string, readonly string[]>> = {
  requests: ['requests'],
  tokens: ['tokens', 'project-tokens'],
};

function leftOf(response: InspectedResponse): Costs {
  const left: Record<string, number> = {};
  for (const [unit, fields] of Object.entries(LEFT)) {
    const said = fields.map((field) => countIn(response, `x-ratelimit-remaining-${field}`));
    const least = Math.min(...said.map((count) => count ?? Infinity));
    if (least < Infinity) left[unit] = least;
  }
  return left;
}

/**
 * The limits of an account at OpenAI, for one model: requests and tokens per minute. To spread beside the preset `openai()`. With
 * `counts: 'sum'` also for Azure OpenAI and Cerebras.
 *
 * - A request counts at its beginning as `max_completion_tokens` (`max_tokens`, `max_output_tokens`), times `n`; or as a quarter of
 *   its characters if that is more. So it takes that: with less it would be answered with a 429. Nothing goes back
 *   when it has used less, as nothing does at OpenAI.
 * - A refused request counts as a request alone.
 * - The `x-ratelimit-remaining-*` of each answer lower what is left here, if others use the same account.
 *
 * The numbers are on the page "Limits" of the platform; none is built in. A request that needs more than a minute of tokens never fits,
 * and fails with a `HookError`.
 *
 * Source: OpenAI, "Rate limits" (the maximum of `max_tokens` and the estimate from the characters; unsuccessful requests count);
 * Azure OpenAI, "Manage quota"; Cerebras, "Rate limits".
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { openai, openaiLimits } from '@ebb/providers';
 *
 * const limits = openaiLimits({ requestsPerMinute: 500, tokensPerMinute: 200_000 });
 * const policy = createPolicy({ ...openai(), ...limits });
 * ```
 */
export function openaiLimits(options: OpenaiLimitsOptions): ProviderLimits {
  const { counts } = readOptions(
    'openaiLimits',
    options,
    limitsTable<OpenaiLimitsOptions>({
      requestsPerMinute: ACCOUNT_NUMBER,
      tokensPerMinute: ACCOUNT_NUMBER,
      counts: { check: oneOf('larger', 'sum'), default: 'larger' },
    }),
  );
  const { requestsPerMinute, tokensPerMinute, counts: _, ...waiting } = options;
  const bucket = quotaBucket({
    ...waiting,
    limits: { requests: aMinute(requestsPerMinute), tokens: aMinute(tokensPerMinute) },
  });
  const cost = (request: RequestTraits): Costs => costOf(request, counts);
  return { bucket, cost, actualCost: costFromResponse(actualOf, { remaining: leftOf }) };
}

// A stream that a proxy cuts short looks complete, also to the SDK. So `isLast` of `resumable` asks for the last event of a stream. An error
// is the last event as well: no event follows an error.

/** The types of the events of OpenAI's Responses API after which there are no more. */
const ENDS: ReadonlySet<string | undefined> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

/**
 * True for the last event of a stream of OpenAI: `[DONE]` of chat completions, `response.completed`, `response.incomplete` and
 * `response.failed` of responses, and errors.
 *
 * Source: openai 7.57.0 (`Stream`, `ResponseStreamEvent`).
 *
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { openai, openaiIsLast } from '@ebb/providers';
 * import { createFetch } from '@ebb/fetch';
 * import { resumable } from '@ebb/resume/fetch';
 *
 * const policy = createPolicy(openai());
 * const fetch = resumable(createFetch(policy), { policy, isLast: openaiIsLast });
 * ```
 */
export function openaiIsLast({ event, data }: ServerEvent): boolean {
  if (data.startsWith('[DONE]') || ENDS.has(event)) return true;
  // Most events are deltas, and are not parsed.
  if (!/"(?:error|type)"/.test(data)) return false;
  const json = parseJson(data);
  return ENDS.has(textAt(json, 'type')) || isObject(at(json, 'error'));
}
