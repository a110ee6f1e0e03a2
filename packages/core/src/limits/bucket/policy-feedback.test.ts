import { describe, expect, test } from 'vitest';
import { responds, to } from '../../../test/asks.ts';
import { judge, prepare } from '../../../test/steps.ts';
import { Call } from '../../call/call.ts';
import type { Feedback, ReadFeedback } from '../../http/outcome.ts';
import { createPolicy } from '../../policy/policy.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from './token-bucket.ts';

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
    const session = new Call(
      createPolicy({ clock, bucket, feedback: ofPolicy, maxRetries: 0 }),
      to('https://upstream.test/'),
    );
    prepare(session);
    judge(session, responds(429, { 'retry-after': '5' }));
    expect(bucket.stats().pausedMs).toBe(pausedMs);
  });
});
