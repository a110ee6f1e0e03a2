import { expect, test, vi } from 'vitest';
import { to } from '../../../test/asks.ts';
import { throwing } from '../../../test/throwing.ts';
import { HookError } from '../../base/errors.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from '../bucket/token-bucket.ts';
import { type PerKeyOptions, perKey } from './per-key.ts';

function setUp(options: PerKeyOptions = {}) {
  const clock = virtualClock({ startMs: 0 });
  const buckets = perKey(() => tokenBucket({ refillPerSecond: 1, capacity: 5, clock }), {
    clock,
    idleMs: 1_000,
    ...options,
  });
  return { clock, buckets };
}

test('a lookup does not look at all keys', () => {
  const clock = virtualClock({ startMs: 0 });
  let looks = 0;
  const stats = () => {
    looks += 1;
    return { idle: false };
  };
  const limits = perKey(() => ({ stats }), { clock, idleMs: 1_000 });
  for (let key = 0; key < 100; key += 1) limits.for(to('/'), String(key));
  clock.tick(1_000);
  for (let lookups = 0; lookups < 1_000; lookups += 1) limits.for(to('/'), '0');
  expect(looks).toBe(99);
});

test('`idleMs` begins anew with each use', () => {
  const { clock, buckets } = setUp();
  const used = buckets.for(to('/'), 'used');
  for (let times = 0; times < 5; times += 1) {
    clock.tick(600);
    // It is full, so it would be evicted if it were old.
    buckets.for(to('/'), 'other');
    expect(buckets.for(to('/'), 'used')).toBe(used);
  }
});

test.each([0, 1_000])('the key that is looked up now is never evicted, with idleMs %i', (idleMs) => {
  const { clock, buckets } = setUp({ idleMs });
  const asked = to('https://asked.test/');
  buckets.for(asked);
  clock.tick(5_000);
  // The round inspects it at one of these lookups.
  for (let time = 0; time < 5; time += 1) expect(buckets.for(asked)).toBe(buckets.for(asked));
  expect(buckets.for(asked).tryAcquire(5)).toBeDefined();
  expect(buckets.for(asked).tryAcquire()).toBeUndefined();
});

test('beyond maxKeys many new keys do not search the whole map each time', () => {
  const { clock, buckets } = setUp({ maxKeys: 100 });
  for (let host = 0; host < 100; host += 1) buckets.for(to(`https://h${host}.test/`)).tryAcquire();
  const stats = vi.spyOn(Object.getPrototypeOf(buckets.for(to('https://h0.test/'))), 'stats');
  for (let host = 0; host < 50; host += 1) {
    buckets.for(to(`https://more${host}.test/`)).tryAcquire();
    clock.tick(1);
  }
  expect(stats.mock.calls.length).toBeLessThanOrEqual(101);
  stats.mockRestore();
});

const boom = throwing();

const keyedBy = (keyOf: () => string): unknown => setUp({ keyOf }).buckets.for(to('x:'));

test.each<[story: string, use: () => unknown, message: string]>([
  ['keyOf throws', () => keyedBy(boom), 'keyOf failed: boom'],
  ['keyOf returns no string', () => keyedBy(() => 5 as never), 'must be a string, got 5'],
  ['make throws', () => perKey(boom).for(to('x:')), 'make failed: boom'],
  ...[undefined, 'tokenBucket', null].map((made): [string, () => unknown, string] => [
    `make returns ${made}`,
    () => perKey((() => made) as never).for(to('x:')),
    'make failed: its result must be a limit',
  ]),
])('%s: the hook is named', (_, use, message) => {
  expect(use).toThrow(HookError);
  expect(use).toThrow(message);
});
