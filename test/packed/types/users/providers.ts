import { createPolicy, type Policy, tokenBucket } from '@ebb/core';
import { costFromResponse, estimatedCost, openai, openaiLimits, type PresetOptions } from '@ebb/providers';

const careful: PresetOptions = { repeatPosts: false };
export const preset: Policy = createPolicy({ ...openai(careful), maxRetries: 1 });
export const limited: Policy = createPolicy({
  ...openaiLimits({ requestsPerMinute: 500, tokensPerMinute: 200_000 }),
  maxRetries: 1,
});
export const counted: Policy = createPolicy({
  bucket: tokenBucket({ capacity: 1_000, refillPerSecond: 100 }),
  cost: estimatedCost(() => 100),
  actualCost: costFromResponse(({ status }) => (status === 200 ? 5 : undefined)),
});
// @ts-expect-error: a word for a boolean
openai({ repeatPosts: 'no' });
