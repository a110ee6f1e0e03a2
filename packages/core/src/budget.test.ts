import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budgetPerKey, type RetryBudgetOptions, retryBudget } from './budget.ts';
import type { RequestTraits } from './outcome.ts';
import { virtualClock } from './testing.ts';

function setUp(options: RetryBudgetOptions = {}) {
  const clock = virtualClock({ startMs: 1e9 });
  const budget = retryBudget({ clock, ...options });
  const deposit = (count: number): void => {
    for (let time = 0; time < count; time += 1) budget.deposit();
  };
  const withdrawAll = (): number => {
    let count = 0;
    while (budget.withdraw()) count += 1;
    return count;
  };
  return { clock, budget, deposit, withdrawAll };
}

test('a client that has sent nothing yet has the floor', () => {
  const { budget, withdrawAll } = setUp();
  expect(budget.balance).toBe(10);
  expect(withdrawAll()).toBe(10);
  expect(budget.balance).toBe(0);
  expect(budget.withdraw()).toBe(false);
});

test('a fifth of what went well may be sent again', () => {
  const { deposit, withdrawAll } = setUp({ minPerSecond: 0 });
  deposit(104);
  expect(withdrawAll()).toBe(20);
});

test('what went well counts for the window, and so does what was sent again', () => {
  const { clock, budget, deposit, withdrawAll } = setUp({ minPerSecond: 0, ratio: 0.5 });
  deposit(10);
  clock.tick(9_000);
  deposit(10);
  expect(withdrawAll()).toBe(10);
  // The first ten have left, and the retries are charged to the others yet.
  clock.tick(1_000);
  expect(budget.balance).toBe(0);
  deposit(12);
  expect(budget.balance).toBe(1);
  clock.tick(9_000);
  expect(budget.balance).toBe(6);
  clock.tick(1_000);
  expect(budget.balance).toBe(0);
});

test('in an outage the floor alone is left', () => {
  const { clock, deposit, withdrawAll } = setUp({ ratio: 0.2, minPerSecond: 1 });
  for (let second = 0; second < 60; second += 1) {
    deposit(100);
    clock.tick(1_000);
  }
  let retries = 0;
  for (let second = 0; second < 60; second += 1) {
    retries += withdrawAll();
    clock.tick(1_000);
  }
  // What was earned in the last window, once, and one for each second.
  expect(retries).toBeGreaterThanOrEqual(60);
  expect(retries).toBeLessThanOrEqual(200 + 70);
});

test('a budget of nothing allows no retry', () => {
  const { budget, deposit } = setUp({ ratio: 0, minPerSecond: 0 });
  deposit(1_000);
  expect(budget.withdraw()).toBe(false);
});

test('a clock that is set back neither mints nor blocks for ever', () => {
  let nowMs = 1e9;
  const clock = { now: () => nowMs, schedule: () => () => {} };
  const budget = retryBudget({ clock, ratio: 0, minPerSecond: 1 });
  while (budget.withdraw());
  nowMs -= 3_600_000;
  expect(budget.withdraw()).toBe(false);
  nowMs += 10_000;
  expect(budget.balance).toBe(10);
});

test('with any retry those of the window are at most the floor and a share of the successes in it', () => {
  const step = fc.record({
    deposits: fc.nat(20),
    tries: fc.nat(20),
    ms: fc.oneof(fc.nat(300), fc.nat(20_000)),
  });
  const options = fc.record({ ratio: fc.double({ min: 0, max: 2, noNaN: true }), minPerSecond: fc.nat(5) });
  fc.assert(
    fc.property(options, fc.array(step, { maxLength: 60, size: 'max' }), (options, steps) => {
      const { clock, budget } = setUp({ ...options, windowMs: 1_000 });
      const slots: { at: number; earned: number; spent: number }[] = [];
      for (const { deposits, tries, ms } of steps) {
        const slot = { at: Math.floor(clock.now() / 100), earned: 0, spent: 0 };
        slots.push(slot);
        for (let time = 0; time < deposits; time += 1) budget.deposit();
        slot.earned = deposits;
        for (let time = 0; time < tries; time += 1) if (budget.withdraw()) slot.spent += 1;
        const window = slots.filter(({ at }) => at > slot.at - 10);
        const sum = (key: 'earned' | 'spent') => window.reduce((total, one) => total + one[key], 0);
        const most = options.minPerSecond + options.ratio * sum('earned');
        if (slot.spent > 0) expect(sum('spent')).toBeLessThanOrEqual(most + 1e-6);
        // And what is left can be had.
        expect(budget.balance).toBe(Math.max(0, Math.floor(most - sum('spent') + 1e-9)));
        clock.tick(ms);
      }
      // No success pays twice.
      const total = (key: 'earned' | 'spent') => slots.reduce((sum, one) => sum + one[key], 0);
      const seconds = 1 + Math.ceil((clock.now() - 1e9) / 1_000);
      expect(total('spent')).toBeLessThanOrEqual(
        options.ratio * total('earned') + options.minPerSecond * seconds,
      );
    }),
    { numRuns: 500 },
  );
});

describe('for each key', () => {
  const request = (url: string): RequestTraits => {
    return { url, method: 'GET', replayable: true, header: () => undefined };
  };

  test('one outage does not spend what belongs to another', () => {
    const clock = virtualClock();
    const budgets = budgetPerKey({ clock, minPerSecond: 0.1 }, { clock });
    const ill = budgets.for(request('https://ill.test/a'));
    expect([ill.withdraw(), ill.withdraw()]).toEqual([true, false]);
    expect(budgets.for(request('https://ill.test/b'))).toBe(ill);
    expect(budgets.for(request('https://well.test/')).withdraw()).toBe(true);
    expect(budgets.for(request('https://other.test/'), 'https://ill.test')).toBe(ill);
  });

  test('one that counts nothing any more is let go', () => {
    const clock = virtualClock();
    const budgets = budgetPerKey({ clock }, { clock, idleMs: 1_000 });
    for (let host = 0; host < 100; host += 1) budgets.for(request(`https://h${host}.test/`)).deposit();
    clock.tick(5_000);
    for (let visit = 0; visit < 200; visit += 1) budgets.for(request('https://h0.test/'));
    expect(budgets.size).toBe(100);
    clock.tick(10_000);
    for (let visit = 0; visit < 200; visit += 1) budgets.for(request('https://h0.test/'));
    expect(budgets.size).toBe(1);
  });
});

test.each<[options: unknown, message: string]>([
  [{ ratio: -1 }, 'retryBudget: ratio takes a finite number from 0, and was given -1'],
  [{ ratio: Number.NaN }, 'retryBudget: ratio takes'],
  [{ minPerSecond: Number.POSITIVE_INFINITY }, 'retryBudget: minPerSecond takes'],
  [{ windowMs: 0 }, 'retryBudget: windowMs takes'],
  [{ percent: 5 }, 'retryBudget has no option "percent"'],
])('%j is refused', (options, message) => {
  expect(() => retryBudget(options as RetryBudgetOptions)).toThrow(message);
  expect(() => budgetPerKey(options as RetryBudgetOptions)).toThrow(message);
});
