import type { BackoffStrategy, Outcome, PolicyOptions, ReadFeedback } from '@ebb/core';
import { serverFeedback } from '@ebb/core';
import { askedWaitMs, flag, IN_MILLISECONDS, type OptionTable, readOptions } from '@ebb/core/internal';
import { aws } from '../aws.ts';
import type { PresetOptions } from '../options.ts';
import { awsRetryQuota, isThrottling } from './retry-quota.ts';

/** In milliseconds. */
const THROTTLING_BASE = 1_000;
const BASE = 50;
const DYNAMODB_BASE = 25;
const CAP = 20_000;
/** A wait that the server asks for may be so much longer than the delay of the backoff. */
const MOST_LONGER = 5_000;

/** Options of {@link awsStandard}. */
export interface AwsStandardOptions extends PresetOptions {
  /**
   * True for DynamoDB and DynamoDB Streams: three retries, the first after up to 25 ms.
   * @default false: two retries, the first after up to 50 ms
   */
  readonly dynamodb?: boolean | undefined;
}

const OPTIONS: OptionTable<AwsStandardOptions> = {
  repeatPosts: { check: flag, default: false },
  dynamodb: { check: flag, default: false },
};

/** The wait that the server asks for; a date counts from the `Date` of the response. */
function askedMs(outcome: Outcome | undefined): number {
  return (outcome?.type === 'response' && askedWaitMs(outcome, 0, IN_MILLISECONDS)) || 0;
}

function backoff(baseMs: number): BackoffStrategy {
  return ({ retry, random, outcome }) => {
    const base = isThrottling(outcome) ? THROTTLING_BASE : baseMs;
    const delayMs = Math.floor(random() * Math.min(CAP, base * 2 ** (retry - 1)));
    return Math.max(delayMs, Math.min(askedMs(outcome), delayMs + MOST_LONGER));
  };
}

/** The backoff has the wait that is asked for already. A bucket of the policy still pauses. */
const feedback: ReadFeedback = (outcome, nowMs, cost) => {
  const said = serverFeedback(outcome, nowMs, cost);
  return said && { ...said, waitMs: 0 };
};

/**
 * AWS's standard retries of 2026, which its SDKs have with `AWS_NEW_RETRIES_2026=true`, and by default from November 2026 on.
 *
 * - As {@link aws}: what is throttling, transient and final, and POST.
 * - Three attempts. The delay is random × min(50 ms · 2ⁿ, 20 s), n from 0; after throttling 1 s in place of 50 ms. DynamoDB: four attempts, 25 ms.
 * - `x-amz-retry-after` (milliseconds) and `Retry-After` lengthen the delay, by 5 s at most.
 * - {@link awsRetryQuota} for all calls of the policy. A policy with other `limits` lists it there, too.
 *
 * Before 2026 the SDK for JavaScript had a base of 100 ms for all errors, and a retry after a transient error took 10 tokens.
 *
 * Source: aws-sdk-js-v3, issue 8037; @smithy/core 3.41.1 (`DefaultRetryBackoffStrategy`, `StandardRetryStrategy`).
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { awsStandard } from '@ebb/providers';
 *
 * const policy = createPolicy(awsStandard({ dynamodb: true, repeatPosts: true }));
 * ```
 */
export function awsStandard(options: AwsStandardOptions = {}): PolicyOptions {
  const { dynamodb, repeatPosts } = readOptions('awsStandard', options, OPTIONS);
  return {
    ...aws({ repeatPosts }),
    backoff: backoff(dynamodb ? DYNAMODB_BASE : BASE),
    feedback,
    limits: [awsRetryQuota()],
    maxRetries: dynamodb ? 3 : 2,
  };
}
