import { expect, test } from 'vitest';
import { BusyFleet, StoreWorld } from '../test/busy-fleet.ts';
import type { StoreEvent } from './index.ts';
import { lossReason } from './loss-reason.ts';
import { StoreCounts } from './store-counts.ts';
import { ForgetfulStoreError, InvalidReply, noReply } from './store-error.ts';

const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code });

const GLIDE = 'An error was signalled by the server: - ResponseError: ';

test.each<[reason: string, error: unknown]>([
  ['timeout', noReply(250, undefined)],
  ['timeout', new Error('timed out')],
  ['connection', noReply(250, new Error('the client has no connection yet'))],
  ['connection', coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1')],
  ['connection', new Error('Connection is closed.')],
  ['connection', new Error('The client is closed')],
  ['refused', new Error('NOPERM this user has no permissions')],
  ['refused', new Error('An error was signalled by the server: - PermissionDenied: no')],
  ['refused', new Error(`${GLIDE}ACL failure in script: User x has no permissions to run 'time'`)],
  ['refused', new Error(`${GLIDE}The user executing the script can't run this command or subcommand`)],
  ['refused', new Error('LOADING the dataset is in memory')],
  ['refused', noReply(250, new Error('WRONGPASS invalid username-password pair'))],
  ['data', new ForgetfulStoreError(5)],
  ['reply', new InvalidReply('<html>')],
  ['other', new Error('something else')],
])('a loss by reason %s: %s', (reason, error) => {
  expect(lossReason(error)).toBe(reason);
});

test('stats count losses by reason, recoveries, calls and their time, and the event has the reason', async () => {
  const world = new StoreWorld();
  const fleet = new BusyFleet(world, 1, { refillPerSecond: 50, capacity: 10 });
  const [bucket] = fleet.buckets;
  await world.clock.advance(2_000);
  const { calls = 0, callMs = 0 } = bucket?.stats() ?? {};
  // A quarter of a millisecond there, and back.
  expect(callMs / calls).toBeCloseTo(0.5, 1);
  for (const health of ['refusing', 'silent', 'refusing'] as const) {
    world.store.health = health;
    await world.clock.advance(2_000);
    world.store.health = 'up';
    await world.clock.advance(10_000);
  }
  expect(bucket?.stats()).toMatchObject({
    losses: { timeout: 1, connection: 2, refused: 0, data: 0, reply: 0, other: 0 },
    ...{ recoveries: 3, mode: 'shared' },
  });
  const lost = world.events.filter((event): event is StoreEvent & { type: 'lost' } => event.type === 'lost');
  expect(lost.map(({ reason }) => reason)).toEqual(['connection', 'timeout', 'connection']);
  await fleet.end();
});

test('a loss that is told again counts once', () => {
  const counts = new StoreCounts();
  const lost = { type: 'lost', error: new Error('timed out'), mode: 'closed', share: 0 } as const;
  counts.count(lost);
  counts.count({ type: 'step', byMs: 5 });
  counts.count({ ...lost, mode: 'local', share: 0.5 });
  counts.count({ type: 'back', outageMs: 5 });
  counts.count(lost);
  expect(counts.losses.timeout).toBe(2);
  expect(counts.recoveries).toBe(1);
});
