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

  test('a number is the cost in each unit, and 1 the default', () => {
    const { bucket, left } = setUp();
    bucket.tryAcquire(3);
    bucket.tryAcquire();
    expect(left()).toEqual({ requests: 1, tokens: 56 });
  });

  test('a unit of which it takes nothing may be in debt', () => {
    const { bucket } = setUp();
    taken(bucket.tryAcquire({ tokens: 60 })).settle({ tokens: 100 });
    expect(bucket.tryAcquire({ requests: 1 })).toBeDefined();
    expect(bucket.tryAcquire({ tokens: 1 })).toBeUndefined();
  });

  test('it waits for the slowest, first come, first served, by one timer', async () => {
    const { clock, lines, ask } = setUp();
    ask('a', { cost: { tokens: 60 } });
    ask('b', { cost: { requests: 1, tokens: 1 } });
    // Does not overtake, though its tokens are there.
    ask('c', { cost: { requests: 5 } });
    ask('d', { cost: { requests: 1, tokens: 2 } });
    expect(clock.pending).toBe(1);
    await clock.advance(10_000);
    expect(lines).toEqual(['a 0', 'b 1000', 'c 1100', 'd 3000']);
    expect(clock.pending).toBe(0);
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

  test('a deadline counts what is ahead in each unit', async () => {
    const { bucket, clock, lines, ask } = setUp();
    bucket.tryAcquire({ tokens: 60 });
    ask('a', { cost: { tokens: 30 } });
    ask('b', { cost: { requests: 1, tokens: 30 }, maxWaitMs: 59_000 });
    ask('c', { cost: { requests: 1, tokens: 29 }, maxWaitMs: 59_000 });
    await clock.advance(60_000);
    expect(lines).toEqual(['b wait-too-long 0', 'a 30000', 'c 59000']);
  });
});

describe('ten a second with five at once, and twelve a day', () => {
  const limits = {
    second: { refillPerSecond: 10, capacity: 5 },
    day: { refillPerSecond: 12 / 86_400, capacity: 12 },
  };

  test('are two units with cost 1', () => {
    const { bucket, clock, left } = setUp({ limits });
    let granted = 0;
    for (let time = 0; time < 100; time += 1) {
      if (bucket.tryAcquire()) granted += 1;
      clock.tick(100);
    }
    expect(granted).toBe(12);
    // The refusal by the limit of a day took nothing from that of a second.
    expect(left().second).toBe(5);
    clock.tick(86_400_000);
    expect(bucket.tryAcquire(5)).toBeDefined();
    expect(bucket.tryAcquire(1)).toBeUndefined();
  });

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

  test('more than was taken is a debt, also in a unit that was not named', () => {
    const { bucket, left } = setUp();
    taken(bucket.tryAcquire({ requests: 1 })).settle({ tokens: 100 });
    expect(left()).toEqual({ requests: 4, tokens: -40 });
  });
});

describe('atMost', () => {
  test('lowers the units that are named, and raises none', () => {
    const { bucket, left } = setUp();
    bucket.atMost({ tokens: 10 });
    expect(left()).toEqual({ requests: 5, tokens: 10 });
    bucket.atMost({ tokens: 30, requests: 2 });
    expect(left()).toEqual({ requests: 2, tokens: 10 });
    bucket.atMost(1);
    expect(left()).toEqual({ requests: 1, tokens: 1 });
  });
});

describe('wrong costs', () => {
  test.each<[cost: unknown, message: string, type: unknown]>([
    [{ token: 1 }, 'cost has no option "token"', TypeError],
    [{}, 'cost must be above 0 in a unit', RangeError],
    [{ tokens: 0 }, 'cost must be above 0 in a unit', RangeError],
    [0, 'cost must be above 0 in a unit', RangeError],
    [{ tokens: -1 }, 'cost.tokens must be a finite number ≥ 0, got -1', RangeError],
    [{ tokens: Number.NaN }, 'cost.tokens must be a finite number ≥ 0, got NaN', RangeError],
    [{ tokens: '5' }, 'cost.tokens must be a finite number ≥ 0, got "5"', TypeError],
    [{ tokens: undefined }, 'cost.tokens must be a finite number ≥ 0, got undefined', TypeError],
    [{ requests: 1, tokens: 61 }, 'cost.tokens must be at most the capacity, 60, got 61', RangeError],
    [6, 'cost.requests must be at most the capacity, 5, got 6', RangeError],
    ['5', 'cost must be a number, or an object with a number for each unit, got "5"', TypeError],
    [null, 'cost must be a number, or an object with a number for each unit, got null', TypeError],
    [[5], 'cost must be a number, or an object with a number for each unit', TypeError],
    [{ constructor: 1 }, 'cost has no option "constructor"', TypeError],
    [JSON.parse('{"__proto__":1}'), 'cost has no option "__proto__"', TypeError],
  ])('%j', async (cost, message, type) => {
    const { bucket, left } = setUp();
    expect(() => bucket.tryAcquire(cost as number)).toThrow(`tryAcquire: ${message}`);
    expect(() => bucket.tryAcquire(cost as number)).toThrow(type as ErrorConstructor);
    await expect(bucket.acquire({ cost: cost as number })).rejects.toThrow(`acquire: ${message}`);
    expect(left()).toEqual({ requests: 5, tokens: 60 });
  });

  test('of settle, atMost and waitMs', () => {
    const { bucket, left } = setUp();
    const grant = taken(bucket.tryAcquire({ tokens: 5 }));
    expect(() => grant.settle({ token: 1 })).toThrow('settle: actualCost has no option "token"');
    expect(() => grant.settle({ tokens: -1 })).toThrow(
      'settle: actualCost.tokens must be a finite number ≥ 0',
    );
    expect(() => grant.settle(-1)).toThrow('settle: actualCost must be a finite number ≥ 0');
    expect(() => bucket.atMost({ token: 1 })).toThrow('atMost: left has no option "token"');
    expect(() => bucket.atMost({ tokens: Number.NaN })).toThrow('atMost: left.tokens must be');
    expect(() => bucket.waitMs({ token: 1 })).toThrow('waitMs: cost has no option "token"');
    // The errors have settled nothing.
    grant.settle(0);
    expect(left()).toEqual({ requests: 5, tokens: 60 });
  });
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
  [{ limits: [] }, 'quotaBucket: limits must be an object with a limit for each unit'],
  [{ limits: { a: 5 } }, 'quotaBucket: limits.a must be an object'],
  [{ limits: { a: { capacity: 5 } } }, 'limits.a.refillPerSecond must be a number from 1e-9 to 1e9'],
  [{ limits: { a: { refillPerSecond: 5 } } }, 'limits.a.capacity must be a number from 1e-9 to 1e9'],
  [{ limits: { a: { ...perMinute(5), initialTokens: 6 } } }, 'limits.a.initialTokens must be at most the'],
  [
    { limits: { a: { ...perMinute(5), chargeOn: 1 } } },
    "limits.a.chargeOn must be one of 'grant', 'completion', got 1",
  ],
  [{ limits: { a: { ...perMinute(5), burst: 1 } } }, 'limits.a has no option "burst"'],
  [{ limits: { a: { refillPerSecond: 1e-12, capacity: 2 } } }, 'limits.a.refillPerSecond must be'],
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
  test('changes one unit', async () => {
    const { bucket, clock, lines, ask } = setUp();
    bucket.tryAcquire({ requests: 5, tokens: 60 });
    ask('a', { cost: { requests: 1, tokens: 20 } });
    bucket.setRate('tokens', 10);
    await clock.advance(5_000);
    expect(lines).toEqual(['a 2000']);
  });

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

test('waitMs is that of the slowest unit', () => {
  const { bucket } = setUp();
  bucket.tryAcquire({ requests: 5, tokens: 60 });
  expect(bucket.waitMs()).toBeCloseTo(1_000, 6);
  expect(bucket.waitMs({ requests: 1 })).toBeCloseTo(100, 6);
  expect(bucket.waitMs({ requests: 10, tokens: 90 })).toBeCloseTo(90_000, 6);
});

test.each(['mark', 'reject'] as const)('nonConforming: %s', async (nonConforming) => {
  const { bucket, left } = setUp({ nonConforming });
  bucket.tryAcquire({ tokens: 60 });
  const second = bucket.acquire({ cost: { requests: 1, tokens: 5 } });
  if (nonConforming === 'reject') await expect(second).rejects.toMatchObject({ reason: 'not-conforming' });
  else {
    const grant = await second;
    expect(grant).toMatchObject({ conforming: false, cost: { requests: 1, tokens: 5 } });
    grant.settle({ tokens: 50 });
  }
  expect(left()).toEqual({ requests: 5, tokens: 0 });
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
