import { describe, expect, test } from 'vitest';
import { responds } from '../../test/asks.ts';
import { REQUEST } from '../../test/call-with-limits.ts';
import { constant } from '../backoff/curves.ts';
import { decide } from '../call/decide.ts';
import type { ReadFeedback } from '../http/outcome.ts';
import { serverFeedback } from '../http/server-feedback.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import { perKey } from '../limits/per-key/per-key.ts';
import type { Policy, PolicyOptions } from './options.ts';
import { createPolicy, overridePolicy } from './policy.ts';

/** The delay that a policy chooses after a 429 with a field, in milliseconds; 0 if it asks for none, or why there is no retry. */
function delayOf(policy: Policy, header: Readonly<Record<string, string>>): number | string {
  const progress = {
    request: REQUEST,
    attempt: 1,
    previousBackoffMs: undefined,
    startedAtMs: 0,
    budget: undefined,
  };
  const decision = decide(policy, progress, responds(429, header), 0);
  return decision.retry ? decision.delayMs : decision.reason;
}

const FIELDS: readonly [field: Record<string, string>, alone: number | string, all: number | string][] = [
  [{ 'retry-after': '3' }, 3_000, 3_000],
  [{ 'retry-after': '3', 'retry-after-ms': '2500' }, 2_500, 2_500],
  [{ 'retry-after-ms': '2500' }, 2_500, 2_500],
  [{ 'x-ms-retry-after-ms': '2500' }, 0, 2_500],
  [{ 'x-amz-retry-after': '2500' }, 0, 2_500],
  [{ 'x-should-retry': 'false' }, 0, 'final'],
  [{ 'stripe-should-retry': 'false' }, 0, 'final'],
  [{ ratelimit: '"burst";r=0;t=4' }, 0, 4_000],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4' }, 0, 4_000],
  [{ 'x-github-request-id': 'a' }, 0, 60_000],
];

const base: PolicyOptions = { backoff: constant(0), random: () => 0, methods: 'all' };
const rate = { refillPerSecond: 10 };
const reading = { ...rate, feedback: serverFeedback };
const eachKey = (feedback: ReadFeedback | false): PolicyOptions['bucket'] => {
  const bucket = perKey(() => tokenBucket({ ...rate, feedback }));
  // A response comes after its request was given tokens.
  bucket.for(REQUEST);
  return bucket;
};
const plain = createPolicy(base);
const withBucket = createPolicy({ ...base, bucket: tokenBucket(reading) });

describe('all fields are read by a policy', () => {
  test.each<[what: string, policy: Policy]>([
    ['with a bucket that reads them', withBucket],
    ['with a bucket per key', createPolicy({ ...base, bucket: eachKey(serverFeedback) })],
    ['that asks for it', createPolicy({ ...base, feedback: serverFeedback })],
    [
      'that asks for it, beside a bucket that does not',
      createPolicy({ ...base, feedback: serverFeedback, bucket: tokenBucket({ ...rate, feedback: false }) }),
    ],
    ['that is a copy, with a bucket', createPolicy({ ...plain, bucket: tokenBucket(reading) })],
    ['whose request has a bucket', overridePolicy(plain, { bucket: tokenBucket(reading) })],
    ['whose request asks for it', overridePolicy(plain, { feedback: serverFeedback })],
    ['with a bucket, whose request changes another option', overridePolicy(withBucket, { maxRetries: 1 })],
  ])('%s', (_, policy) => {
    for (const [field, , all] of FIELDS) expect(delayOf(policy, field), JSON.stringify(field)).toBe(all);
  });
});

describe('Retry-After and retry-after-ms alone are read by a policy', () => {
  test.each<[what: string, policy: Policy]>([
    ['without more', plain],
    ['with a bucket', createPolicy({ ...base, bucket: tokenBucket(rate) })],
    [
      'with a bucket that reads nothing',
      createPolicy({ ...base, bucket: tokenBucket({ ...rate, feedback: false }) }),
    ],
    ['with buckets per key that read nothing', createPolicy({ ...base, bucket: eachKey(false) })],
  ])('%s', (_, policy) => {
    for (const [field, alone] of FIELDS) expect(delayOf(policy, field), JSON.stringify(field)).toBe(alone);
  });
});

const waiting: ReadFeedback = () => ({ pauseMs: 7, remaining: undefined, tooFast: true });

test.each<[what: string, policy: Policy, delayMs: number]>([
  ['of the policy', createPolicy({ ...base, feedback: waiting, bucket: tokenBucket(rate) }), 7],
  ['of the bucket', createPolicy({ ...base, bucket: tokenBucket({ ...rate, feedback: waiting }) }), 7],
  ['of the request', overridePolicy(withBucket, { feedback: waiting }), 7],
  ['false', createPolicy({ ...base, feedback: false, bucket: tokenBucket(rate) }), 0],
  ['false, of the request', overridePolicy(withBucket, { feedback: false }), 0],
])('a feedback of one’s own: %s', (_, policy, delayMs) => {
  expect(delayOf(policy, { 'retry-after': '3' })).toBe(delayMs);
});
