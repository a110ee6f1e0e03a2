import { expect, test } from 'vitest';
import { responds, to } from '../../../test/asks.ts';
import { judge, prepare } from '../../../test/steps.ts';
import { Call } from '../../call/call.ts';
import { createPolicy } from '../../policy/policy.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from '../bucket/token-bucket.ts';
import { perKey } from './per-key.ts';

const requestTo = (host: string) => to(`https://${host}.test/`);

const IDLE_MS = 60_000;

function setUp(feedbackScope: 'origin' | 'bucket' = 'origin') {
  const clock = virtualClock({ startMs: 0 });
  const options = { refillPerSecond: 1, capacity: 5, clock, feedbackScope, random: () => 0 };
  const bucket = perKey(() => tokenBucket(options), { clock, idleMs: IDLE_MS });
  /** Time passes, and another key is used, so that idle ones are evicted. */
  const rest = (): void => {
    bucket.for(requestTo('other'));
    clock.tick(IDLE_MS);
    for (let visit = 0; visit < 4; visit += 1) bucket.for(requestTo('other'));
  };
  return { clock, bucket, rest, policy: createPolicy({ bucket, clock, maxRetries: 0 }) };
}

test.each(['origin', 'bucket'] as const)(
  'a request takes longer than idleMs, and the pause that its answer asks for applies: %s',
  async (scope) => {
    const { clock, bucket, rest, policy } = setUp(scope);
    const call = new Call(policy, requestTo('asked'));
    await prepare(call);
    rest();
    judge(call, responds(429, { 'retry-after': '30' }));
    expect(bucket.for(requestTo('asked')).stats().pausedMs).toBe(30_000);
    const later = new Call(createPolicy({ bucket, clock, maxWaitMs: 1_000 }), requestTo('asked'));
    await expect(prepare(later)).rejects.toMatchObject({ name: 'NotSentError' });
  },
);
