import { oneOf } from '../base/check.ts';
import { type OptionTable, readOptions } from '../base/options.ts';
import type { InspectedResponse } from '../http/inspected.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { Costs } from '../loop/costs.ts';
import type { WaitingBucketOptions } from '../parts/bucket/options.ts';
import { quotaBucket } from '../parts/bucket/quota-bucket.ts';
import { readCost } from '../parts/cost/read-cost.ts';
import { bytesIn, countIn, jsonIn, numberAt } from './body.ts';
import { ACCOUNT_NUMBER, aMinute, limitsTable, type ProviderLimits } from './limits-options.ts';

/** Options of {@link openaiLimits}: the numbers of the account, with those of a bucket. */
export interface OpenaiLimitsOptions extends WaitingBucketOptions {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  /**
   * What a request counts as: the larger of its bound and its input, as at OpenAI; or both together, as at Azure OpenAI and Cerebras.
   * @default 'larger'
   */
  readonly counts?: 'larger' | 'sum' | undefined;
}

const OPTIONS: OptionTable<OpenaiLimitsOptions> = /* @__PURE__ */ limitsTable<OpenaiLimitsOptions>({
  requestsPerMinute: ACCOUNT_NUMBER,
  tokensPerMinute: ACCOUNT_NUMBER,
  counts: { check: oneOf('larger', 'sum'), default: 'larger' },
});

/** The fields of chat completions, present and former, and that of responses. */
const MOST_TOKENS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'];

/** What is counted at the beginning: the most that may be written, and the tokens that the characters look like. */
function costOf({ body }: RequestTraits, counts: 'larger' | 'sum'): Costs {
  const json = jsonIn(body);
  const most = MOST_TOKENS.map((name) => numberAt(json, name)).find((tokens) => tokens !== undefined) ?? 0;
  const output = most * (numberAt(json, 'n') ?? 1);
  const input = Math.ceil(bytesIn(body) / 4);
  const tokens = counts === 'sum' ? input + output : Math.max(input, output);
  return tokens > 0 ? { requests: 1, tokens } : { requests: 1 };
}

/** What was counted stays counted. A refusal counts as a request. */
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
    const least = Math.min(...said.map((count) => count ?? Number.POSITIVE_INFINITY));
    if (least < Number.POSITIVE_INFINITY) left[unit] = least;
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
 * import { openai, openaiLimits } from '@ebb/core/presets';
 *
 * const limits = openaiLimits({ requestsPerMinute: 500, tokensPerMinute: 200_000 });
 * const policy = createPolicy({ ...openai(), ...limits });
 * ```
 */
export function openaiLimits(options: OpenaiLimitsOptions): ProviderLimits {
  const { counts } = readOptions('openaiLimits', options, OPTIONS);
  const { requestsPerMinute, tokensPerMinute, counts: _, ...waiting } = options;
  const bucket = quotaBucket({
    ...waiting,
    limits: { requests: aMinute(requestsPerMinute), tokens: aMinute(tokensPerMinute) },
  });
  const cost = (request: RequestTraits): Costs => costOf(request, counts);
  return { bucket, cost, actualCost: readCost(actualOf, { remaining: leftOf }) };
}
