import { describe, expect, test } from 'vitest';
import { judge, prepare } from '../../../test/steps.ts';
import { Call } from '../../call/call.ts';
import type { Feedback, Outcome, ReadFeedback, RequestTraits } from '../../http/outcome.ts';
import { createPolicy } from '../../policy/policy.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from './token-bucket.ts';

const request: RequestTraits = {
  method: 'GET',
  url: 'https://upstream.test/',
  replayable: true,
  header: () => undefined,
};

const asks: Outcome = {
  type: 'response',
  status: 429,
  header: (name) => (name === 'retry-after' ? '5' : undefined),
};

function pausing(pauseMs: number): ReadFeedback {
  return (): Feedback => ({ pauseMs, remaining: undefined, tooFast: true });
}

type Reads = ReadFeedback | false | undefined;

describe('how a bucket reads a response', () => {
  test.each<[story: string, ofPolicy: Reads, ofBucket: Reads, pausedMs: number]>([
    ['as a bucket does by default', undefined, undefined, 5_000],
    ['as its policy does', pausing(2_000), undefined, 2_000],
    ['not at all, as its policy', false, undefined, 0],
    ['in its own way', undefined, pausing(1_000), 1_000],
    ['as its policy does, although it has a way of its own', pausing(2_000), pausing(1_000), 2_000],
    ['not at all, as its policy, although it has a way of its own', false, pausing(1_000), 0],
    ['not at all, although its policy does', pausing(2_000), false, 0],
  ])('%s', (_, ofPolicy, ofBucket, pausedMs) => {
    const clock = virtualClock({ startMs: 0 });
    const options = { refillPerSecond: 10, clock, random: () => 0, feedbackScope: 'bucket' as const };
    const bucket = tokenBucket({ ...options, feedback: ofBucket });
    const session = new Call(createPolicy({ clock, bucket, feedback: ofPolicy, maxRetries: 0 }), request);
    prepare(session);
    judge(session, asks);
    expect(bucket.stats().pausedMs).toBe(pausedMs);
  });
});
