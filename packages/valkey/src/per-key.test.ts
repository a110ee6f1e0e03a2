import { createPolicy, type Outcome, perKey, type RequestTraits } from '@ebb/core';
import { Call } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { judge, prepare } from '../../core/test/steps.ts';
import { ModelStore } from '../test/model-store.ts';
import { valkeyBucket } from './index.ts';

function to(host: string): RequestTraits {
  return { method: 'GET', url: `https://${host}.test/`, replayable: true, header: () => undefined };
}

const slowDown: Outcome = {
  type: 'response',
  status: 429,
  header: (name) => (name === 'retry-after' ? '30' : undefined),
};

test('a pause applies though the request took longer than idleMs', async () => {
  const clock = virtualClock({ startMs: 0 });
  const store = new ModelStore(clock);
  const make = (key: string) =>
    valkeyBucket({ client: store, key, refillPerSecond: 100, capacity: 20, clock, random: () => 0 });
  const per = perKey(make, { clock, idleMs: 60_000 });
  const session = new Call(createPolicy({ clock, bucket: per, maxRetries: 0 }), to('slow'));
  await Promise.all([prepare(session), clock.advance(100_000)]);
  for (let visit = 0; visit < 4; visit += 1) per.for(to('other'));
  expect(per.size).toBe(2);
  judge(session, slowDown);
  expect(per.for(to('slow')).stats().pausedMs).toBe(30_000);
  const ended = ['slow', 'other'].map((host) => per.for(to(host)).close());
  await Promise.all([...ended, clock.advance(1_000)]);
});
