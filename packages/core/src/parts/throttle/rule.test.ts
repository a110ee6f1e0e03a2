import { describe, expect, test } from 'vitest';
import { ThrottleRule } from './rule.ts';

const NUMBERS = { floor: 0.02, credit: 2.5, reserve: 3 };

function setUp(numbers: Partial<typeof NUMBERS> = {}) {
  const rule = new ThrottleRule({ ...NUMBERS, ...numbers });
  let nowMs = 1e6;
  const learn = (failed: boolean, tookMs = 50, isRetry = false): number => {
    rule.learn(nowMs, tookMs, failed, isRetry);
    return rule.share;
  };
  return {
    rule,
    ask: (count = 1) => Array.from({ length: count }, () => rule.ask(nowMs)),
    /** `count` good answers, 100 ms apart. */
    warmUp(count = 30) {
      for (let at = 0; at < count; at += 1) {
        nowMs += 100;
        learn(false);
      }
    },
    good: (tookMs?: number) => learn(false, tookMs),
    bad: (isRetry = false) => learn(true, 50, isRetry),
    learn,
    pass(ms: number) {
      nowMs += ms;
    },
    take: (isRetry = false, draw = 0) => rule.take(nowMs, isRetry, () => draw),
    giveBack: (isRetry: boolean) => rule.giveBack(nowMs, isRetry),
    /** How many of so many chances of new requests are used. */
    used: (chances: number, draw = 0) =>
      Array.from({ length: chances }, () => rule.take(nowMs, false, () => draw)).filter(Boolean).length,
    /** How many retries can be had. */
    retries() {
      let count = 0;
      while (count < 10_000 && rule.take(nowMs, true, () => 0)) count += 1;
      return count;
    },
  };
}

describe('the share of new requests', () => {
  test('falls from the third bad outcome in a row on, by the time that they take', () => {
    const { warmUp, bad, pass } = setUp();
    warmUp();
    expect([bad(), bad()]).toEqual([1, 1]);
    pass(1_000);
    expect(bad()).toBeCloseTo(0.3);
    pass(500);
    expect(bad()).toBeCloseTo(0.3 ** 1.5);
    pass(60_000);
    // A second at most: what was not learned is not known.
    expect(bad()).toBeCloseTo(0.3 ** 2.5);
  });

  test('does not fall by many bad outcomes at once', () => {
    const { warmUp, bad, pass } = setUp();
    warmUp();
    pass(10);
    for (let at = 0; at < 1_000; at += 1) bad();
    expect(bad()).toBe(1);
  });

  test('does not fall by bad outcomes between good ones', () => {
    const { warmUp, bad, good, pass, rule } = setUp();
    warmUp();
    for (let at = 0; at < 100; at += 1) {
      for (const learn of [bad, bad, good]) {
        pass(1_000);
        learn();
      }
    }
    expect(rule.share).toBe(1);
  });

  test('never falls below the floor', () => {
    const { bad, pass, rule } = setUp({ floor: 0.1 });
    for (let at = 0; at < 100; at += 1) {
      pass(1_000);
      bad();
    }
    expect(rule.share).toBe(0.1);
  });

  test('rises to all in four seconds of good answers', () => {
    const { warmUp, bad, good, pass, rule } = setUp();
    warmUp();
    for (let at = 0; at < 10; at += 1) {
      pass(1_000);
      bad();
    }
    expect(rule.share).toBe(0.02);
    pass(1_000);
    expect(good()).toBeCloseTo(0.27);
    pass(3_000);
    expect(good()).toBe(1);
  });

  test('does not change by a retry that fails, and rises by one that is answered', () => {
    const { warmUp, bad, learn, pass, rule } = setUp();
    warmUp();
    for (let at = 0; at < 10; at += 1) {
      pass(1_000);
      bad(true);
    }
    expect(rule.share).toBe(1);
    for (let at = 0; at < 4; at += 1) {
      pass(1_000);
      bad();
    }
    pass(2_000);
    const before = rule.share;
    expect(learn(false, 50, true)).toBeCloseTo(before + 0.5);
  });

  test.each([1, 0.5, 0.1, 0.02])('of %d is that of the chances which are used, evenly', (floor) => {
    const { bad, pass, used } = setUp({ floor });
    for (let at = 0; at < 10; at += 1) {
      pass(1_000);
      bad();
    }
    for (let at = 0; at < 5; at += 1) expect(used(100)).toBe(floor * 100);
  });

  test('begins at a random point, so that clients do not send at the same chance', () => {
    const first = (draw: number): number => {
      const { bad, pass, take } = setUp({ floor: 0.1 });
      for (let at = 0; at < 10; at += 1) {
        pass(1_000);
        bad();
      }
      for (let chance = 1; ; chance += 1) if (take(false, draw)) return chance;
    };
    expect([0, 0.35, 0.85, 0.95].map(first)).toEqual([10, 7, 2, 1]);
  });

  test('holds for 45 s: after that all new requests are sent', () => {
    const { bad, pass, used } = setUp();
    for (let at = 0; at < 10; at += 1) {
      pass(1_000);
      bad();
    }
    pass(45_000);
    expect(used(10)).toBe(0);
    pass(1);
    expect(used(10)).toBe(10);
  });

  test('a chance that was given back is the next that is used', () => {
    const { bad, pass, used, take, giveBack } = setUp();
    for (let at = 0; at < 10; at += 1) {
      pass(1_000);
      bad();
    }
    expect(used(50)).toBe(1);
    giveBack(false);
    expect([take(), take()]).toEqual([true, false]);
  });
});

describe('a slow answer', () => {
  const slowAt = (usualMs: number, tookMs: number, answers = 30): boolean => {
    const { good, pass, rule } = setUp();
    for (let at = 0; at < answers; at += 1) {
      pass(100);
      good(usualMs);
    }
    expect(rule.share).toBe(1);
    for (let at = 0; at < 3; at += 1) {
      pass(1_000);
      good(tookMs);
    }
    return rule.share < 1;
  };

  test.each<[usualMs: number, tookMs: number, isSlow: boolean]>([
    [50, 100, false],
    [50, 150, true],
    [1_000, 2_000, false],
    [1_000, 3_000, true],
    [0, 40, false],
    [0, 80, true],
  ])('after answers that took %d ms one of %d ms: %s', (usualMs, tookMs, isSlow) => {
    expect(slowAt(usualMs, tookMs)).toBe(isSlow);
  });

  test.each<[answers: number, tookMs: number, isSlow: boolean]>([
    [0, 60_000, false],
    [1, 550, false],
    [1, 700, true],
    [5, 190, false],
    [20, 250, true],
  ])('after %d answers of 50 ms three of %d ms: %s', (answers, tookMs, isSlow) => {
    expect(slowAt(50, tookMs, answers)).toBe(isSlow);
  });

  test.each<[fromMs: number, toMs: number, gapMs: number, atMostMs: number]>([
    [5, 50, 100, 20_000],
    [50, 500, 100, 40_000],
    [200, 1_000, 100, 40_000],
    [50, 500, 5_000, 300_000],
  ])(
    'a service that takes %d ms and from then on %d ms is not taken for one in trouble for long',
    (fromMs, toMs, gapMs, atMostMs) => {
      const { good, pass, take, rule } = setUp();
      for (let at = 0; at < 200; at += 1) {
        pass(gapMs);
        good(fromMs);
      }
      let lostMs = 0;
      for (let passedMs = 0; passedMs < 1_800_000; passedMs += gapMs) {
        pass(gapMs);
        if (take()) good(toMs);
        else lostMs += gapMs;
      }
      expect(rule.share).toBe(1);
      expect(lostMs).toBeLessThan(atMostMs);
    },
  );
});

describe('the credit of retries', () => {
  test.each<[what: string, asked: number, numbers: Partial<typeof NUMBERS>, retries: number]>([
    ['a client that is alone has its reserve', 1, {}, 3],
    ['which may be none', 1, { reserve: 0 }, 0],
    ['or less than one, which is none', 1, { reserve: 0.3 }, 0],
    ['200 requests at once may be retried twice each, and half of them again', 201, {}, 500],
    ['a credit of nothing leaves the reserve', 201, { credit: 0 }, 3],
  ])('%s', (_, asked, numbers, retries) => {
    const { ask, retries: all } = setUp(numbers);
    ask(asked);
    expect(all()).toBe(retries);
  });

  test('does not come back with time', () => {
    const { ask, retries, pass } = setUp();
    ask();
    retries();
    pass(3_600_000);
    expect(retries()).toBe(0);
  });

  test.each<[what: string, answers: number, isRetry: boolean, retries: number]>([
    ['one retry for five answers', 5, false, 1],
    ['none for four', 4, false, 0],
    ['one for an answered retry', 1, true, 1],
    ['no more than all', 100, true, 3],
  ])('comes back with answers: %s', (_, answers, isRetry, count) => {
    const { ask, retries, learn } = setUp();
    ask();
    retries();
    for (let at = 0; at < answers; at += 1) learn(false, 50, isRetry);
    expect(retries()).toBe(count);
  });

  test('comes back from a retry that was not sent', () => {
    const { ask, retries, giveBack } = setUp();
    ask();
    retries();
    giveBack(true);
    expect(retries()).toBe(1);
  });

  test('counts the requests of about ten seconds', () => {
    const { ask, retries, pass } = setUp();
    ask(100);
    pass(10_000);
    const left = retries();
    expect(left).toBeGreaterThan(80);
    expect(left).toBeLessThan(100);
    pass(60_000);
    expect(retries()).toBe(0);
  });
});

test('a reset sends everything again', () => {
  const { bad, pass, rule, used } = setUp();
  for (let at = 0; at < 10; at += 1) {
    pass(1_000);
    bad();
  }
  rule.reset();
  expect([rule.share, used(100)]).toEqual([1, 100]);
  expect([bad(), bad()]).toEqual([1, 1]);
});
