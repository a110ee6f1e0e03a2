import {
  type Classify,
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
  type Verdict,
} from '@ebb/core';
import type { WaitingBucketOptions } from '@ebb/core/bucket';
import { isServerError, MOST_READ_BYTES, readOptions } from '@ebb/core/internal';
import { at, bytesIn, countIn, isEventStream, jsonIn, numberAt, parseJson, textAt } from './body.ts';
import { costFromResponse } from './cost/cost-from-response.ts';
import { ESTIMATED_COST_OPTIONS, type EstimatedCostOptions, estimatedCost } from './cost/estimated-cost.ts';
import {
  ACCOUNT_NUMBER,
  aMinute,
  classifyBy,
  limitsTable,
  type PresetOptions,
  type ProviderLimits,
  repeatsPosts,
} from './options.ts';

/** No wait of a request helps: these last until the month ends, or until someone acts. */
const SPENT: ReadonlySet<string | undefined> = new Set([
  'enforced_spend_limit_reached',
  'contract_spend_limit_reached',
  'linked_organization_spend_limit_reached',
  'organization_on_hold',
]);

/** The verdict on each type of error in a stream. Other types are final. */
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

async function ofRefusal(response: InspectedResponse): Promise<InspectResult | undefined> {
  return isSpent(at(await response.json(), 'error')) ? { verdict: 'final' } : undefined;
}

async function ofFirstEvent(response: InspectedResponse): Promise<InspectResult | undefined> {
  const first = await response.firstEvent();
  if (first?.event !== 'error') return undefined;
  const error = at(parseJson(first.data), 'error');
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
 * import { anthropic } from '@ebb/providers';
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

/** Options of {@link anthropicLimits}: the numbers of the account, with those of a bucket. */
export interface AnthropicLimitsOptions extends WaitingBucketOptions, EstimatedCostOptions {
  readonly requestsPerMinute: number;
  /** Tokens of input that are not read from the cache. */
  readonly inputTokensPerMinute: number;
  readonly outputTokensPerMinute: number;
  /**
   * As of {@link estimatedCost}. Less than 1: the headers of each answer tell what is left.
   * @default 0.1
   */
  readonly first?: number | undefined;
}

/** The most that a request can cost. A token has a byte or more. A request whose body is not known costs one request and no tokens. */
function boundOf({ body }: RequestTraits): Costs {
  const outputTokens = numberAt(jsonIn(body), 'max_tokens');
  if (outputTokens === undefined) return { requests: 1 };
  return { requests: 1, inputTokens: bytesIn(body), outputTokens };
}

const modelOf = ({ body }: RequestTraits): string => textAt(jsonIn(body), 'model') ?? '';

/** The tokens in a `usage`. Tokens that are read from the cache cost nothing. */
function usedIn(usage: unknown): Costs {
  const input = numberAt(usage, 'input_tokens');
  const outputTokens = numberAt(usage, 'output_tokens');
  const inputTokens =
    input === undefined ? undefined : input + (numberAt(usage, 'cache_creation_input_tokens') ?? 0);
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

async function actualOf(response: InspectedResponse): Promise<Costs | undefined> {
  const { status } = response;
  // Nothing was read or written. The request counts.
  if ((status >= 400 && status < 500) || status === 529) return { inputTokens: 0, outputTokens: 0 };
  if (status >= 300) return undefined;
  const body = await response.json();
  // The beginning of a stream knows the input, and not yet the output.
  const { inputTokens } = usedIn(at(body, 'message', 'usage'));
  return inputTokens === undefined ? usedIn(at(body, 'usage')) : { inputTokens };
}

/** The remaining tokens are rounded to multiples of this number, so up to as many more may be left. Source: Anthropic, "Rate limits". */
const TOKENS_ROUNDED_TO = 1_000;

/** The remaining quota, scaled down to `most` if the account has a higher limit: other processes use the rest. */
function leftOf(response: InspectedResponse, most: Costs): Costs {
  const left: Record<string, number> = {};
  const numberOf = (field: string): number | undefined => countIn(response, `anthropic-ratelimit-${field}`);
  const read = (unit: string, field: string, rounding = 0): void => {
    const remaining = numberOf(`${field}-remaining`);
    if (remaining === undefined) return;
    const limit = numberOf(`${field}-limit`) ?? 0;
    const own = most[unit] as number;
    const isRounded = remaining > 0 && remaining % rounding === 0;
    if (limit > own) left[unit] = Math.ceil((remaining * own) / limit);
    else left[unit] = isRounded ? remaining + rounding : remaining;
  };
  read('requests', 'requests');
  read('inputTokens', 'input-tokens', TOKENS_ROUNDED_TO);
  read('outputTokens', 'output-tokens', TOKENS_ROUNDED_TO);
  return left;
}

/**
 * The limits of an account at Anthropic, for one class of models: requests, input tokens and output tokens per minute. To spread
 * beside the preset `anthropic()`.
 *
 * - Output is charged as it is written. So a request reserves the output that requests to the same model have used, and not its
 *   `max_tokens`: see {@link estimatedCost}. The reserved tokens are held back, and charged when the request has ended.
 * - Input is charged at the beginning, and corrected. Tokens that are read from the cache are free.
 * - A refused request counts as a request alone.
 * - The `anthropic-ratelimit-*-remaining` of each answer lower what is left here, if others use the same account. Give each of several
 *   processes its part of the numbers: each process takes the same part of the remaining quota, by `anthropic-ratelimit-*-limit`.
 *
 * The numbers are on the page "Limits" of the console; none is built in. A request that is a stream is counted as a request, and
 * its tokens when its answer tells them.
 *
 * Source: Anthropic, "Rate limits" (token buckets; cache reads; `max_tokens` does not count).
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { anthropic, anthropicLimits } from '@ebb/providers';
 *
 * const limits = anthropicLimits({
 *   requestsPerMinute: 50,
 *   inputTokensPerMinute: 30_000,
 *   outputTokensPerMinute: 8_000,
 * });
 * const policy = createPolicy({ ...anthropic(), ...limits });
 * ```
 */
export function anthropicLimits(options: AnthropicLimitsOptions): ProviderLimits {
  readOptions(
    'anthropicLimits',
    options,
    limitsTable<AnthropicLimitsOptions>({
      requestsPerMinute: ACCOUNT_NUMBER,
      inputTokensPerMinute: ACCOUNT_NUMBER,
      outputTokensPerMinute: ACCOUNT_NUMBER,
      ...ESTIMATED_COST_OPTIONS,
    }),
  );
  const { requestsPerMinute, inputTokensPerMinute, outputTokensPerMinute, ...others } = options;
  const { quantile, first = 0.1, keyOf = modelOf, ...waiting } = others;
  const most: Costs = {
    requests: requestsPerMinute,
    inputTokens: inputTokensPerMinute,
    outputTokens: outputTokensPerMinute,
  };
  const bucket = quotaBucket({
    ...waiting,
    limits: {
      requests: aMinute(requestsPerMinute),
      inputTokens: aMinute(inputTokensPerMinute),
      outputTokens: { ...aMinute(outputTokensPerMinute), chargeOn: 'completion' },
    },
  });
  const learned = estimatedCost(boundOf, { quantile, first, keyOf });
  // The bound of a request may be more than there ever is: it is not what the request will use.
  const within = (costs: number | Costs): Costs =>
    Object.fromEntries(
      Object.entries(costs as Costs).map(([unit, cost]) => [unit, Math.min(cost, most[unit] as number)]),
    );
  return {
    bucket,
    cost: Object.assign((request: RequestTraits) => within(learned(request)), {
      learnerFor: learned.learnerFor,
    }),
    actualCost: costFromResponse(actualOf, {
      remaining: (response) => leftOf(response, most),
      maxBytes: MOST_READ_BYTES,
    }),
  };
}

/**
 * True for the last event of a stream of Anthropic: `message_stop`, and errors.
 *
 * Source: @anthropic-ai/sdk 1.12.0 (`Stream`, `MessageStream`).
 */
export function anthropicIsLast({ event, data }: ServerEvent): boolean {
  // Some gateways leave the names of events out.
  const type = event === 'message' ? textAt(parseJson(data), 'type') : event;
  return type === 'message_stop' || type === 'error';
}
