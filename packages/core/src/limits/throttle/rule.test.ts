import { describe, expect, test } from 'vitest';
import { type Occasion, ThrottleRule } from './rule.ts';

const FLOOR = 0.3;

function setUp() {
  const rule = new ThrottleRule();
  let nowMs = 1e6;
  const world = {
    rule,
    pass(ms: number) {
      nowMs += ms;
    },
    ask: (count = 1) => {
      for (let at = 0; at < count; at += 1) rule.ask();
    },
    fails(isRetry = false, lateness = 0): number {
      rule.learn(nowMs, true, isRetry, lateness);
      return rule.level;
    },
    /** @param lateness the latency as a share of the timeout */
    answers(lateness = 0, isRetry = false): number {
      rule.learn(nowMs, false, isRetry, lateness);
      return rule.level;
    },
    take: (occasion: Occasion = 'first') => rule.take(nowMs, occasion),
    giveBack: (occasion: Occasion) => rule.giveBack(nowMs, occasion),
    /** How many attempts can be had. */
    all(occasion: Occasion): number {
      let count = 0;
      while (count < 10_000 && rule.take(nowMs, occasion)) count += 1;
      return count;
    },
    /** How many of so many new requests are sent at once. */
    sent(requests: number): number {
      let count = 0;
      for (let at = 0; at < requests; at += 1) {
        rule.ask();
        if (rule.take(nowMs, 'first')) count += 1;
      }
      return count;
    },
    /** So many seconds with a failure at the end of each. */
    down(seconds: number) {
      for (let at = 0; at < seconds; at += 1) {
        nowMs += 1_000;
        world.fails();
      }
    },
  };
  return world;
}

describe('the share', () => {
  test('falls from the third failure in a row on, by the time that they take', () => {
    const { fails, pass } = setUp();
    expect([fails(), fails()]).toEqual([1, 1]);
    pass(1_000);
    expect(fails()).toBeCloseTo(0.7);
    pass(500);
    expect(fails()).toBeCloseTo(0.7 ** 1.5);
    // A second at most: what was not learned is not known.
    pass(40_000);
    expect(fails()).toBeCloseTo(0.7 ** 2.5);
    pass(1_000);
    expect(fails()).toBe(FLOOR);
  });

  test('does not fall by failures between answers', () => {
    const { answers, fails, pass, rule } = setUp();
    for (let at = 0; at < 100; at += 1) {
      for (const learn of [fails, fails, answers]) {
        pass(1_000);
        learn();
      }
    }
    expect([rule.level, rule.state]).toEqual([1, 'closed']);
  });

  test('falls by retries that fail as by others', () => {
    const { fails, pass } = setUp();
    fails();
    fails(true);
    pass(1_000);
    expect(fails(true)).toBeCloseTo(0.7);
  });

  test('rises in two seconds of prompt answers; then all that is above 1 takes five times as long', () => {
    const { answers, down, pass, rule } = setUp();
    down(10);
    expect([rule.level, rule.state]).toEqual([FLOOR, 'open']);
    pass(1_000);
    expect(answers()).toBeCloseTo(FLOOR + 0.5);
    pass(400);
    expect(answers()).toBe(1);
    pass(19_900);
    answers();
    expect([rule.level, rule.state]).toEqual([1, 'half-open']);
    pass(200);
    answers();
    expect([rule.level, rule.state]).toEqual([1, 'closed']);
  });

  test('falls by late answers in trouble: half of the timeout leaves it as it is', () => {
    const { answers, down, pass } = setUp();
    down(2);
    pass(1_000);
    down(1);
    const before = answers(0.5);
    pass(1_000);
    expect(answers(0.5)).toBeCloseTo(before);
    pass(500);
    expect(answers(0.75)).toBeCloseTo(before - 0.125);
    // What is later than the timeout is as late as the timeout.
    pass(100);
    expect(answers(7)).toBeCloseTo(before - 0.125 - 0.05);
  });

  test('an outcome after that is the first of its row', () => {
    const { down, fails, pass, rule } = setUp();
    down(10);
    pass(45_001);
    fails();
    expect([rule.level, rule.state]).toEqual([1, 'closed']);
  });

  test('a reset sends everything again', () => {
    const { down, fails, rule, sent } = setUp();
    down(10);
    rule.reset();
    expect([rule.level, rule.state, sent(100)]).toEqual([1, 'closed', 100]);
    expect([fails(), fails(), rule.state]).toEqual([1, 1, 'closed']);
  });

  test('holds for 45 s without an outcome', () => {
    const { down, pass, rule, sent } = setUp();
    down(10);
    pass(45_000);
    expect(sent(3)).toBe(0);
    pass(1);
    expect([sent(10), rule.level, rule.state]).toEqual([10, 1, 'closed']);
  });
});

test('it is prompt after an answer or a failure in less than half of the timeout', () => {
  const { answers, fails, rule } = setUp();
  expect(rule.isPrompt).toBe(true);
  const isPrompt = (learn: () => unknown): boolean => {
    learn();
    return rule.isPrompt;
  };
  const seen = [
    ...[() => answers(0.49), () => answers(0.5), () => answers()],
    ...[() => fails(false, 1), () => fails(), () => fails(true, 0.5), () => fails(true, 0.49)],
  ];
  expect(seen.map(isPrompt)).toEqual([true, false, true, false, true, false, true]);
});

describe('the retry balance, in trouble', () => {
  test('is empty at first, and each new request pays the share', () => {
    const { answers, down, rule, sent, take } = setUp();
    for (let at = 0; at < 1_000; at += 1) answers();
    down(10);
    expect(rule.level).toBe(FLOOR);
    expect(take()).toBe(false);
    expect(sent(100)).toBe(30);
  });

  test.each<[lateness: number, sent: number]>([
    [0, 100],
    [0.5, 50],
    [0.6, 40],
    // The floor.
    [0.95, 30],
  ])(
    'a new request pays less after a late answer: %d of the timeout, %d of 100 are sent',
    (lateness, count) => {
      const { answers, fails, rule, sent } = setUp();
      // At once: the share does not change.
      for (let at = 0; at < 3; at += 1) fails();
      answers(lateness);
      expect([rule.level, rule.state, sent(100)]).toEqual([1, 'half-open', count]);
    },
  );

  test('pays for retries after timeouts, twice as much, and for no others', () => {
    const { ask, down, take } = setUp();
    down(10);
    ask(5);
    expect(take('after-timeout')).toBe(false);
    ask(5);
    expect([take('after-timeout'), take()]).toEqual([true, false]);
    expect(take('after-failure')).toBe(true);
  });

  test('an answer pays what is above 1, for requests that were put off', () => {
    const { all, answers, down, pass } = setUp();
    down(10);
    pass(1_600);
    answers();
    pass(5_000);
    answers();
    all('first');
    // At 1.5 now.
    answers();
    expect(all('first')).toBe(0);
    answers();
    expect(all('first')).toBe(1);
    // Half of it, if it took half of the timeout.
    for (let at = 0; at < 3; at += 1) answers(0.5);
    expect(all('first')).toBe(0);
    answers(0.5);
    expect(all('first')).toBe(1);
  });

  test.each<[Occasion, number]>([
    ['first', 2],
    ['after-timeout', 1],
  ])('what was not sent goes back: %s', (occasion, count) => {
    const { all, ask, down, giveBack, take } = setUp();
    down(10);
    ask(100);
    expect(take(occasion)).toBe(true);
    giveBack(occasion);
    expect(all(occasion)).toBe(count);
  });
});

describe('while all is calm', () => {
  test('first attempts are free, and a scheduled attempt of them has nothing to give back', () => {
    const { all, giveBack, sent } = setUp();
    expect(sent(100)).toBe(100);
    giveBack('first');
    expect(all('after-timeout')).toBe(0);
  });

  test.each<[answers: number, retries: number]>([
    [0, 0],
    [99, 0],
    [100, 1],
    // Two attempts at most, and one costs both.
    [10_000, 1],
  ])('after %d answers %d retries after timeouts can be had', (count, retries) => {
    const { all, answers } = setUp();
    for (let at = 0; at < count; at += 1) answers();
    expect(all('after-timeout')).toBe(retries);
  });
});

describe('the reserve of other retries', () => {
  test.each<[what: string, failed: number, isRetry: boolean, retries: number]>([
    ['a client that is alone has one', 1, false, 1],
    ['200 requests at once may be retried twice each, and half of them again', 201, false, 500],
    ['retries that fail do not count', 100, true, 1],
  ])('%s', (_, failed, isRetry, retries) => {
    const { all, fails } = setUp();
    for (let at = 0; at < failed; at += 1) fails(isRetry);
    expect(all('after-failure')).toBe(retries);
  });

  test.each([
    ['one for an answered retry', 1],
    ['no more than all', 100],
  ])('comes back with answers: %s', (_, answers) => {
    const { all, answers: answer, fails } = setUp();
    fails();
    all('after-failure');
    for (let at = 0; at < answers; at += 1) answer(0, true);
    expect(all('after-failure')).toBe(1);
  });

  test('the answer to a first attempt pays a fifth of a retry', () => {
    const { all, answers, fails, pass } = setUp();
    fails();
    all('after-failure');
    for (let at = 0; at < 4; at += 1) {
      pass(10_000);
      answers();
      expect(all('after-failure')).toBe(0);
    }
    pass(10_000);
    answers();
    expect(all('after-failure')).toBe(1);
  });

  test('counts the requests of ten seconds', () => {
    const { all, fails, pass } = setUp();
    for (let at = 0; at < 101; at += 1) fails();
    pass(5_000);
    expect(all('after-failure')).toBe(123);
    pass(5_000);
    expect(all('after-failure')).toBe(0);
  });
});

test('a late failure makes new requests pay no less', () => {
  const { fails, rule, sent } = setUp();
  // At once: the share does not change.
  for (let at = 0; at < 3; at += 1) fails(false, 1);
  expect([rule.state, sent(100)]).toEqual(['half-open', 100]);
});
