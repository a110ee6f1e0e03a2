import { describe, expect, test, vi } from 'vitest';
import { HookError } from '../../base/errors.ts';
import { originOf, type RequestTraits } from '../../http/outcome.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from '../bucket/token-bucket.ts';
import { concurrencyLimit } from '../concurrency/concurrency.ts';
import { type PerKeyOptions, perKey } from './per-key.ts';

function to(url: string, headers: Record<string, string> = {}): RequestTraits {
  return { url, method: 'GET', replayable: true, header: (name) => headers[name] };
}

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

test('a sweep leaves the keys that were used less than `idleMs` ago', () => {
  const { clock, buckets } = setUp();
  buckets.for(to('/'), 'old');
  clock.tick(999);
  buckets.for(to('/'), 'young');
  clock.tick(1);
  buckets.for(to('/'), 'third');
  expect(buckets.size).toBe(2);
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

test.each([
  ['https://a.test/x?y#z', 'https://a.test'],
  ['https://A.test:443/', 'https://a.test'],
  ['https://user:secret@a.test:8443/', 'https://a.test:8443'],
  ['http://a.test', 'http://a.test'],
  ['/relative', '/relative'],
])('the origin of %s is %s', (url, origin) => {
  expect(originOf(to(url))).toBe(origin);
});

test('one bucket per origin', () => {
  const { buckets } = setUp();
  const one = buckets.for(to('https://a.test/1'));
  expect(buckets.for(to('https://a.test/2'))).toBe(one);
  expect(buckets.for(to('https://b.test/2'))).not.toBe(one);
  expect(buckets.size).toBe(2);
});

test('a bucket per key, of the request or given', () => {
  const { buckets } = setUp({ keyOf: (request) => request.header('authorization') ?? 'nobody' });
  const mine = buckets.for(to('https://a.test/', { authorization: 'me' }));
  expect(buckets.for(to('https://b.test/', { authorization: 'me' }))).toBe(mine);
  expect(buckets.for(to('https://a.test/'))).not.toBe(mine);
  expect(buckets.for(to('https://a.test/'), 'me')).toBe(mine);
});

test('each key may have its own options', () => {
  const clock = virtualClock({ startMs: 0 });
  const limits: Record<string, number> = { 'https://slow.test': 1, 'https://fast.test': 100 };
  const buckets = perKey((key) => tokenBucket({ refillPerSecond: limits[key] ?? 10, clock }), { clock });
  expect(buckets.for(to('https://slow.test/')).stats().refillPerSecond).toBe(1);
  expect(buckets.for(to('https://fast.test/')).stats().refillPerSecond).toBe(100);
});

describe('an evicted bucket', () => {
  test('is idle and as good as new', () => {
    const { clock, buckets } = setUp();
    const used = buckets.for(to('https://used.test/'));
    used.tryAcquire(3);
    const paused = buckets.for(to('https://paused.test/'));
    paused.pauseFor(10_000);
    const set = buckets.for(to('https://set.test/'));
    set.setRate(2);
    buckets.for(to('https://idle.test/'));
    const visit = () => {
      for (let time = 0; time < 20; time += 1) buckets.for(to('https://here.test/'));
    };
    visit();
    expect(buckets.size).toBe(5);
    clock.tick(1_000);
    visit();
    expect(buckets.size).toBe(4);
    expect(buckets.for(to('https://used.test/'))).toBe(used);
    clock.tick(20_000);
    visit();
    expect(buckets.size).toBe(2);
    expect(buckets.for(to('https://set.test/'))).toBe(set);
  });

  test.each([0, 1_000])('is never the one that is looked up now, with idleMs %i', (idleMs) => {
    const { clock, buckets } = setUp({ idleMs });
    const asked = to('https://asked.test/');
    buckets.for(asked);
    clock.tick(5_000);
    // The round inspects it at one of these lookups.
    for (let time = 0; time < 5; time += 1) expect(buckets.for(asked)).toBe(buckets.for(asked));
    expect(buckets.for(asked).tryAcquire(5)).toBeDefined();
    expect(buckets.for(asked).tryAcquire()).toBeUndefined();
  });

  test('is never a limit whose slot is acquired now', () => {
    const clock = virtualClock({ startMs: 0 });
    const limits = perKey(() => concurrencyLimit({ maxConcurrent: 1, clock }), { clock, idleMs: 1_000 });
    const asked = to('https://asked.test/');
    const slots = [limits.for(asked), limits.for(asked)].map((limit) => limit.tryAcquire());
    slots[0]?.release();
    for (let round = 0; round < 10; round += 1) {
      clock.tick(5_000);
      const slot = limits.for(asked).tryAcquire();
      expect(slot).toBeDefined();
      expect(limits.for(asked).tryAcquire()).toBeUndefined();
      slot?.release();
    }
  });

  test('is never one with a queue', async () => {
    const { clock, buckets } = setUp();
    const busy = buckets.for(to('https://busy.test/'));
    busy.tryAcquire(5);
    const waiting = busy.acquire({ cost: 5 });
    clock.tick(4_000);
    for (let time = 0; time < 20; time += 1) buckets.for(to('https://here.test/'));
    expect(buckets.for(to('https://busy.test/'))).toBe(busy);
    clock.tick(1_000);
    await waiting;
  });

  test('needs no timer', () => {
    const { clock, buckets } = setUp();
    for (let host = 0; host < 1_000; host += 1) buckets.for(to(`https://h${host}.test/`)).tryAcquire();
    expect(clock.pending).toBe(0);
  });

  test('leaves few buckets, however many keys there were', () => {
    const { clock, buckets } = setUp();
    let most = 0;
    for (let host = 0; host < 10_000; host += 1) {
      buckets.for(to(`https://h${host}.test/`)).tryAcquire();
      clock.tick(10);
      most = Math.max(most, buckets.size);
    }
    // A hundred keys come while one is not idle yet, and as many until the round inspects each.
    expect(most).toBeLessThanOrEqual(400);
  });
});

describe('with maxKeys keys', () => {
  test('idle ones are evicted at once', () => {
    const { buckets } = setUp({ maxKeys: 10 });
    for (let host = 0; host < 100; host += 1) buckets.for(to(`https://h${host}.test/`));
    expect(buckets.size).toBeLessThanOrEqual(10);
  });

  test('if none is idle, all stay until some are', () => {
    const { clock, buckets } = setUp({ maxKeys: 3 });
    for (const host of ['a', 'b', 'c', 'd']) buckets.for(to(`https://${host}.test/`)).tryAcquire(5);
    expect(buckets.size).toBe(4);
    expect(buckets.for(to('https://a.test/')).tryAcquire()).toBeUndefined();
    clock.tick(5_000);
    expect(buckets.for(to('https://e.test/')).tryAcquire(5)).toBeDefined();
    expect(buckets.size).toBeLessThanOrEqual(3);
  });

  test('many new keys do not search the whole map each time', () => {
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
});

test.each<[story: string, make: () => unknown, message: string]>([
  ['no keys', () => setUp({ maxKeys: 0 }), 'perKey: maxKeys must be a whole number ≥ 1'],
  [
    'a key that is no function',
    () => setUp({ keyOf: 'origin' as never }),
    'perKey: keyOf must be a function',
  ],
  ['an unknown option', () => setUp({ max: 5 } as never), 'perKey has no option "max"'],
])('%s is refused', (_, make, message) => {
  expect(make).toThrow(message);
});

test.each<[story: string, make: () => unknown, message: string]>([
  [
    'keyOf throws',
    () =>
      setUp({
        keyOf: () => {
          throw new Error('boom');
        },
      }).buckets.for(to('x:')),
    'keyOf failed: boom',
  ],
  [
    'keyOf returns no string',
    () => setUp({ keyOf: () => 5 as never }).buckets.for(to('x:')),
    'must be a string, got 5',
  ],
  [
    'make throws',
    () =>
      perKey(() => {
        throw new Error('boom');
      }).for(to('x:')),
    'make failed: boom',
  ],
])('%s: the hook is named', (_, use, message) => {
  expect(use).toThrow(HookError);
  expect(use).toThrow(message);
});
