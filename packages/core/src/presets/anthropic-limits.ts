import { type OptionTable, readOptions } from '../base/options.ts';
import { MOST_READ_BYTES } from '../http/ceilings.ts';
import type { InspectedResponse } from '../http/inspected.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { Costs } from '../loop/costs.ts';
import type { WaitingBucketOptions } from '../parts/bucket/options.ts';
import { quotaBucket } from '../parts/bucket/quota-bucket.ts';
import { LEARNED_COST_OPTIONS, type LearnedCostOptions, learnedCost } from '../parts/cost/learned-cost.ts';
import { readCost } from '../parts/cost/read-cost.ts';
import { at, bytesIn, countIn, jsonIn, numberAt, textAt } from './body.ts';
import { ACCOUNT_NUMBER, aMinute, limitsTable, type ProviderLimits } from './limits-options.ts';

/** Options of {@link anthropicLimits}: the numbers of the account, with those of a bucket. */
export interface AnthropicLimitsOptions extends WaitingBucketOptions, LearnedCostOptions {
  readonly requestsPerMinute: number;
  /** Tokens of input that are not read from the cache. */
  readonly inputTokensPerMinute: number;
  readonly outputTokensPerMinute: number;
}

const OPTIONS: OptionTable<AnthropicLimitsOptions> = /* @__PURE__ */ limitsTable<AnthropicLimitsOptions>({
  requestsPerMinute: ACCOUNT_NUMBER,
  inputTokensPerMinute: ACCOUNT_NUMBER,
  outputTokensPerMinute: ACCOUNT_NUMBER,
  ...LEARNED_COST_OPTIONS,
});

/** The most that a request can cost. A token has a byte or more. One whose body is not known costs a request. */
function boundOf({ body }: RequestTraits): Costs {
  const outputTokens = numberAt(jsonIn(body), 'max_tokens');
  if (outputTokens === undefined) return { requests: 1 };
  return { requests: 1, inputTokens: bytesIn(body), outputTokens };
}

const modelOf = ({ body }: RequestTraits): string => textAt(jsonIn(body), 'model') ?? '';

/** What a `usage` says. Tokens that are read from the cache cost nothing. */
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

/** What is left in tokens is rounded, so there may be as much more. Source: Anthropic, "Rate limits". */
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
 * - Output is charged as it is written. So a request reserves what requests to the same model have used, and not its
 *   `max_tokens`: see {@link learnedCost}. What it reserves is held back, and charged when it has ended.
 * - Input is charged at the beginning, and corrected. Tokens that are read from the cache are free.
 * - A refused request counts as a request alone.
 * - The `anthropic-ratelimit-*-remaining` of each answer lower what is left here, if others use the same account. Give each of several
 *   processes its part of the numbers: of what is left of the whole, as `anthropic-ratelimit-*-limit` says it, it takes that part.
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
 * import { anthropic, anthropicLimits } from '@ebb/core/presets';
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
  readOptions('anthropicLimits', options, OPTIONS);
  const { requestsPerMinute, inputTokensPerMinute, outputTokensPerMinute, ...others } = options;
  const { quantile, first, keyOf = modelOf, ...waiting } = others;
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
      outputTokens: { ...aMinute(outputTokensPerMinute), settled: true },
    },
  });
  const learned = learnedCost(boundOf, { quantile, first, keyOf });
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
    actualCost: readCost(actualOf, {
      remaining: (response) => leftOf(response, most),
      maxBytes: MOST_READ_BYTES,
    }),
  };
}
