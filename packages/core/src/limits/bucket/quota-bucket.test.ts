import { describe, expect, test } from 'vitest';
import { asked, responds, taken, to } from '../../../test/asks.ts';
import { type QuotaBucketOptions, type QuotaLimit, quotaBucket } from './quota-bucket.ts';

const perMinute = (capacity: number, more: Partial<QuotaLimit> = {}): QuotaLimit => {
  return { refillPerSecond: capacity / 60, capacity, ...more };
};

/** Ten requests a second with five at once, and 60 tokens a minute by default. */
function setUp(options: Partial<QuotaBucketOptions> = {}) {
  const limits = { requests: { refillPerSecond: 10, capacity: 5 }, tokens: perMinute(60) };
  const set = asked((clock) => quotaBucket({ limits, clock, random: () => 0, ...options }));
  const left = (): Record<string, number> => {
    const units = Object.entries(set.bucket.stats().units ?? {});
    return Object.fromEntries(units.map(([unit, { tokens }]) => [unit, Math.round(tokens * 1e3) / 1e3]));
  };
  return { ...set, left };
}

describe('a request takes from all units or from none', () => {
  test('a unit that is not named costs nothing', () => {
    const { bucket, left } = setUp();
    expect(taken(bucket.tryAcquire({ requests: 1, tokens: 50 })).cost).toEqual({ requests: 1, tokens: 50 });
    expect(left()).toEqual({ requests: 4, tokens: 10 });
    expect(bucket.tryAcquire({ requests: 1, tokens: 20 })).toBeUndefined();
    expect(left()).toEqual({ requests: 4, tokens: 10 });
    expect(taken(bucket.tryAcquire({ requests: 1 })).cost).toEqual({ requests: 1, tokens: 0 });
    expect(left()).toEqual({ requests: 3, tokens: 10 });
  });

  test('a unit of which it takes nothing may be in debt', () => {
    const { bucket } = setUp();
    taken(bucket.tryAcquire({ tokens: 60 })).settle({ tokens: 100 });
    expect(bucket.tryAcquire({ requests: 1 })).toBeDefined();
    expect(bucket.tryAcquire({ tokens: 1 })).toBeUndefined();
  });

  test('a grant that was waited for names the unit that was lacking', async () => {
    const { bucket, clock } = setUp();
    bucket.tryAcquire({ requests: 5, tokens: 60 });
    const first = bucket.acquire({ cost: { requests: 1 } });
    const second = bucket.acquire({ cost: { requests: 1, tokens: 30 } });
    await clock.advance(60_000);
    expect((await first).unit).toBe('requests');
    expect((await second).unit).toBe('tokens');
    expect(taken(bucket.tryAcquire()).unit).toBeUndefined();
  });
});

describe('ten a second with five at once, and twelve a day', () => {
  const limits = {
    second: { refillPerSecond: 10, capacity: 5 },
    day: { refillPerSecond: 12 / 86_400, capacity: 12 },
  };

  test('a pause empties the one that fills fastest', async () => {
    const { bucket, clock, lines, ask, left } = setUp({ limits });
    bucket.pauseFor(1_000);
    expect(bucket.tryAcquire()).toBeUndefined();
    expect(bucket.stats().pausedMs).toBe(1_000);
    expect(left()).toEqual({ second: 0, day: 12 });
    for (const name of ['a', 'b']) ask(name);
    await clock.advance(2_000);
    expect(lines).toEqual(['a 1100', 'b 1200']);
    bucket.pauseFor(10_000);
    bucket.resume();
    expect(bucket.stats().pausedMs).toBe(0);
  });
});

describe('settle', () => {
  test('a unit that is not named stays as it was taken', () => {
    const { bucket, left } = setUp();
    taken(bucket.tryAcquire({ requests: 1, tokens: 50 })).settle({ tokens: 20 });
    expect(left()).toEqual({ requests: 4, tokens: 40 });
  });
});

test('wrong costs are errors that name the function, and take and settle nothing', async () => {
  const { bucket, left } = setUp();
  const wrong = { token: 1 };
  expect(() => bucket.tryAcquire(wrong)).toThrow('tryAcquire: cost has no option "token"');
  await expect(bucket.acquire({ cost: wrong })).rejects.toThrow('acquire: cost has no option "token"');
  const grant = taken(bucket.tryAcquire({ tokens: 5 }));
  expect(() => grant.settle({ tokens: -1 })).toThrow('settle: actualCost.tokens must be a finite number ≥ 0');
  expect(() => bucket.atMost(wrong)).toThrow('atMost: left has no option "token"');
  expect(() => bucket.waitMs(wrong)).toThrow('waitMs: cost has no option "token"');
  grant.settle(0);
  expect(left()).toEqual({ requests: 5, tokens: 60 });
});

test('any name is one like others', () => {
  const limits = JSON.parse(
    '{"__proto__":{"refillPerSecond":1,"capacity":5},"constructor":{"refillPerSecond":1,"capacity":9}}',
  );
  const { bucket } = setUp({ limits });
  const cost = JSON.parse('{"__proto__":2}');
  const grant = taken(bucket.tryAcquire(cost));
  bucket.tryAcquire({ constructor: 4 } as never);
  const { units = {} } = bucket.stats();
  expect(Object.keys(units)).toEqual(['__proto__', 'constructor']);
  expect(Object.values(units).map(({ tokens }) => tokens)).toEqual([3, 5]);
  expect(Object.entries(grant.cost)).toEqual([
    ['__proto__', 2],
    ['constructor', 0],
  ]);
  grant.settle(JSON.parse('{"__proto__":0}'));
  bucket.setRate('__proto__', 1, 3);
  expect(bucket.stats()).toMatchObject({ tokens: 5, capacity: 9 });
});

test.each<[options: unknown, message: string]>([
  [{}, 'quotaBucket: limits must be an object with a limit for each unit'],
  [{ limits: {} }, 'quotaBucket: limits must be a limit or more'],
  [{ limits: { a: 5 } }, 'quotaBucket: limits.a must be an object'],
  [{ limits: { a: { refillPerSecond: 5 } } }, 'limits.a.capacity must be a number from 1e-9 to 1e9'],
  [{ limits: { a: { ...perMinute(5), initialTokens: 6 } } }, 'limits.a.initialTokens must be at most the'],
  [
    { limits: { a: { ...perMinute(5), chargeOn: 1 } } },
    "limits.a.chargeOn must be one of 'grant', 'completion', got 1",
  ],
  [{ limits: { a: perMinute(5) }, refillPerSecond: 5 }, 'quotaBucket has no option "refillPerSecond"'],
])('%j is refused', (options, message) => {
  expect(() => quotaBucket(options as QuotaBucketOptions)).toThrow(message);
});

describe('stats', () => {
  test('those of the unit that has least of its capacity, and of each', () => {
    const { bucket } = setUp();
    bucket.tryAcquire({ requests: 1, tokens: 50 });
    void bucket.acquire({ cost: { requests: 2, tokens: 30 } });
    expect(bucket.stats()).toMatchObject({
      tokens: 10,
      capacity: 60,
      refillPerSecond: 1,
      waiting: 1,
      waitingCost: 30,
      units: {
        requests: { tokens: 4, capacity: 5, refillPerSecond: 10 },
        tokens: { tokens: 10, capacity: 60, refillPerSecond: 1 },
      },
    });
  });

  test('idle: all units are full, at the rates that they were made with, and nothing is in flight', () => {
    const { bucket, clock } = setUp({
      limits: { a: perMinute(60), b: perMinute(60, { chargeOn: 'completion' }) },
    });
    const idle = (): boolean => bucket.stats().idle;
    expect(idle()).toBe(true);
    const grant = taken(bucket.tryAcquire());
    clock.tick(1_000);
    expect(idle()).toBe(false);
    grant.settle(0);
    expect(idle()).toBe(true);
    bucket.setRate('a', 5);
    expect(idle()).toBe(false);
    bucket.setRate('a', 1);
    expect(idle()).toBe(true);
  });
});

describe('setRate', () => {
  test('refuses what costs more than the new capacity, wherever it waits', async () => {
    const { bucket, clock, lines, ask } = setUp();
    bucket.tryAcquire({ requests: 5, tokens: 60 });
    ask('a', { cost: { requests: 5 } });
    ask('b', { cost: { tokens: 11 } });
    ask('c', { cost: { tokens: 10 } });
    bucket.setRate('tokens', 1, 10);
    await clock.advance(20_000);
    expect(lines).toEqual(['b capacity-lowered 0', 'a 500', 'c 10000']);
  });

  test('of an unknown unit is an error', () => {
    const { bucket } = setUp();
    expect(() => bucket.setRate('token', 1)).toThrow('setRate: unit has no option "token"');
    expect(() => bucket.setRate('tokens', 0)).toThrow('setRate: refillPerSecond must be');
  });
});

test('a pause of one origin lets its requests through one by one, by the unit that fills fastest', async () => {
  const { bucket, clock } = setUp();
  const [request, other] = [to('https://one.test/'), to('https://other.test/')];
  const refused = responds(429, { 'retry-after': '1' });
  bucket.observe?.(refused, taken(bucket.tryAcquire({ requests: 1, tokens: 1 })), request);
  expect(bucket.tryAcquire({ requests: 1, tokens: 1 }, undefined, request)).toBeUndefined();
  expect(bucket.tryAcquire({ requests: 1, tokens: 1 }, undefined, other)).toBeDefined();
  const granted = bucket.acquire({ cost: { requests: 1, tokens: 30 }, request });
  await clock.advance(1_100);
  expect((await granted).waitedMs).toBeCloseTo(1_100, 3);
  expect(bucket.tryAcquire({ requests: 1 }, undefined, request)).toBeUndefined();
  // Costs nothing of the unit of the pause.
  expect(bucket.tryAcquire({ tokens: 20 }, undefined, request)).toBeDefined();
});
