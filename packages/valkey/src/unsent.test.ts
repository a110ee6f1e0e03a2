import { createPolicy, type Outcome, type RequestTraits } from '@ebb/core';
import { Call } from '@ebb/core/adapter';
import { expect, test } from 'vitest';
import { judge, prepare } from '../../core/test/steps.ts';
import { StoreWorld } from '../test/busy-fleet.ts';

const request: RequestTraits = { method: 'GET', url: '/', replayable: true, header: () => undefined };
const error = new Error('no connection');

test.each<[what: string, outcome: Outcome, fate: object]>([
  [
    'was never sent go back to the fleet, and another process can take them',
    { type: 'failure', kind: 'connect', error, redirected: false },
    { cost: 5 },
  ],
  ['may have been sent stay spent', { type: 'failure', kind: 'network', error }, { reason: 'wait-too-long' }],
])('the tokens of an attempt that %s', async (_, outcome, fate) => {
  const world = new StoreWorld();
  const { clock } = world;
  const limit = { refillPerSecond: 1e-3, capacity: 5 };
  const [bucket, other] = [world.bucket(limit), world.bucket(limit)];
  const call = new Call(createPolicy({ clock, bucket, cost: 5, backoff: () => 1e6 }), request);
  await Promise.all([prepare(call), clock.advance(10)]);
  expect(judge(call, outcome).retry).toBe(true);
  await clock.advance(2_000);
  expect(await world.fateOf(other.acquire({ cost: 5, maxWaitMs: 100 }), 100)).toMatchObject(fate);
  await world.run(Promise.all([bucket.close(), other.close()]));
});
