import { type LikeAxiosRetryOptions, likeAxiosRetry, likeFetchRetry, likePRetry } from '@ebb/compat';
import { createPolicy, type Policy, retry } from '@ebb/core';

const options: LikeAxiosRetryOptions = { retries: 5, retryCondition: likeAxiosRetry.isRetryableError };
export const policy: Policy = createPolicy({ ...likeAxiosRetry(options), totalTimeoutMs: 5_000 });
export const other: Policy = createPolicy(likeFetchRetry({ retries: 2, retryOn: [429, 503] }));
export const text: Promise<string> = retry(() => 'text', likePRetry({ minTimeout: 100 }));
// @ts-expect-error: no such option
likePRetry({ minTimeoutMs: 100 });
