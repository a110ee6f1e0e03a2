import type { Outcome, RequestTraits } from '@ebb/core';
import { expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ValkeyBucket } from './index.ts';

const to = (url: string): RequestTraits => {
  return { method: 'GET', url, replayable: true, header: () => undefined };
};
const ill = to('https://ill.test/a');
const well = to('https://well.test/');
const slowDown: Outcome = {
  type: 'response',
  status: 429,
  header: (name) => (name === 'retry-after' ? '30' : undefined),
};

test.each([
  ['origin', ['ill of another process', 'well']],
  ['bucket', []],
] as const)(
  "after a pause that an origin asks for, with feedbackScope '%s', go on: %j",
  async (feedbackScope, goOn) => {
    const world = new StoreWorld();
    const options = { refillPerSecond: 100, capacity: 20, feedbackScope } as const;
    const [one, other] = [world.bucket(options), world.bucket(options)];
    const grant = await world.run(one.acquire({ request: ill }), 50);
    one.observe?.(slowDown, grant, ill);
    const sent: string[] = [];
    const send = (name: string, bucket: ValkeyBucket, request: RequestTraits): Promise<unknown> =>
      bucket.acquire({ request }).then(() => sent.push(name));
    const waits = [
      send('ill', one, ill),
      send('ill of another process', other, ill),
      send('well', one, well),
    ];
    await world.clock.advance(1_000);
    expect(sent.sort()).toEqual(goOn);
    expect(one.stats().pausedMs).toBeGreaterThan(28_000);
    await world.clock.advance(31_000);
    await Promise.all(waits);
    expect(one.stats()).toMatchObject({ waiting: 0, pausedMs: 0 });
    await world.run(Promise.all([one.close(), other.close()]));
  },
);

test('a request that waits for a paused origin is refused when the bucket is closed', async () => {
  const world = new StoreWorld();
  const bucket = world.bucket();
  const grant = await world.run(bucket.acquire({ request: ill }), 50);
  bucket.observe?.(slowDown, grant, ill);
  const waits = bucket.acquire({ request: ill });
  await world.clock.advance(10);
  void bucket.close();
  expect(await world.fateOf(waits, 50)).toMatchObject({ reason: 'closed' });
  expect(world.clock.pending).toBe(0);
});
