import { expect, test } from 'vitest';
import { REQUEST } from '../../test/call-with-limits.ts';
import { prepare } from '../../test/steps.ts';
import { Call } from '../call/call.ts';
import { createPolicy, fairQueue, type PolicyOptions, perKey, tokenBucket } from '../index.ts';
import { virtualClock } from '../testing.ts';

const clock = virtualClock();
const bucket = () => tokenBucket({ refillPerSecond: 1, capacity: 10, queue: fairQueue(), clock });

/** What a user's function returns is checked with the first request, while nothing has to wait. */
test.each<[name: string, make: () => PolicyOptions, message: string]>([
  [
    'fairKey',
    () => ({ bucket: bucket(), fairKey: () => undefined as never }),
    'fairKey failed: its result must be a string',
  ],
  ['cost', () => ({ bucket: bucket(), cost: () => 'two' as never }), 'cost failed'],
  [
    'keyOf',
    () => ({ bucket: perKey(bucket, { keyOf: () => undefined as never, clock }) }),
    'keyOf failed: its result must be a string',
  ],
])('a wrong result of %s fails the first request', async (_, make, message) => {
  const call = new Call(createPolicy({ clock, ...make() }), REQUEST);
  await expect(
    (async () => {
      await prepare(call);
    })(),
  ).rejects.toThrow(message);
});
