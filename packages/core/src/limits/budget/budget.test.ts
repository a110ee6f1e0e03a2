import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import type { RetryBudget } from '../../policy/limit-options.ts';
import { createPolicy } from '../../policy/policy.ts';
import { virtualClock } from '../../testing.ts';
import { type RetryBudgetOptions, retryBudget } from './budget.ts';

type Refundable = RetryBudget & { refund(): void; readonly isIdle: boolean };

function setUp(options: RetryBudgetOptions = {}) {
  const clock = virtualClock({ startMs: 1e9 });
  const budget = retryBudget({ clock, ...options }) as Refundable;
  const deposit = (count: number): void => {
    for (let time = 0; time < count; time += 1) budget.deposit();
  };
  const withdrawAll = (): number => {
    let count = 0;
    // An endless budget stops at 1,000.
    while (count < 1_000 && budget.withdraw()) count += 1;
    return count;
  };
  return { clock, budget, deposit, withdrawAll };
}

test('a client that has sent nothing yet has the reserve', () => {
  const { budget, withdrawAll } = setUp();
  expect(budget.balance).toBe(3);
  expect(withdrawAll()).toBe(3);
  expect(budget.balance).toBe(0);
  expect(budget.withdraw()).toBe(false);
});

test('successes count for the length of the window', () => {
  const { clock, budget, deposit } = setUp({ reserve: 1, ratio: 0.5 });
  deposit(10);
  clock.tick(9_000);
  deposit(4);
  expect(budget.balance).toBe(8);
  clock.tick(1_000);
  expect(budget.balance).toBe(3);
  clock.tick(9_000);
  expect(budget.balance).toBe(1);
});

test('after six windows without use it is as good as new', () => {
  const { clock, budget, withdrawAll } = setUp();
  withdrawAll();
  clock.tick(59_999);
  expect(budget.balance).toBe(0);
  clock.tick(1);
  expect(budget.balance).toBe(3);
});

test.each<[story: string, isIdle: boolean, use: (set: ReturnType<typeof setUp>) => void, ratio?: number]>([
  ['new', true, () => undefined],
  ['with a success that earns nothing', false, ({ deposit }) => deposit(1), 0],
  ['after the window of its last success', true, ({ deposit, clock }) => [deposit(1), clock.tick(10_000)]],
  ['with a retry spent', false, ({ withdrawAll }) => void withdrawAll()],
  ['a minute after that', true, ({ withdrawAll, clock }) => [withdrawAll(), clock.tick(60_000)]],
])('a budget that is %s: idle is %s', (_, isIdle, use, ratio = 0.2) => {
  const set = setUp({ ratio });
  use(set);
  expect(set.budget.isIdle).toBe(isIdle);
});

test('a policy with another clock is refused', () => {
  const { budget } = setUp();
  expect(() => createPolicy({ budget, clock: virtualClock() })).toThrow(
    'The clock of a retry budget differs from that of its policy',
  );
});

test('a clock that is set back neither creates retries nor blocks them forever', () => {
  let nowMs = 1e9;
  const clock = { now: () => nowMs, schedule: () => () => {} };
  const budget = retryBudget({ clock });
  expect([1, 2, 3, 4].map(() => budget.withdraw())).toEqual([true, true, true, false]);
  nowMs -= 3_600_000;
  expect(budget.withdraw()).toBe(false);
  for (let time = 0; time < 5; time += 1) budget.deposit();
  expect(budget.withdraw()).toBe(true);
  nowMs += 7_200_000;
  expect(budget.balance).toBe(3);
});

test('retries never exceed the reserve plus the share of the successes, in the window and in total', () => {
  const step = fc.record({
    deposits: fc.nat(20),
    // At least one, so that no rest is long enough to restore the reserve.
    tries: fc.integer({ min: 1, max: 20 }),
    ms: fc.oneof(fc.nat(300), fc.nat(5_000)),
  });
  const options = fc.record({ ratio: fc.double({ min: 0, max: 2, noNaN: true }), reserve: fc.nat(10) });
  fc.assert(
    fc.property(options, fc.array(step, { maxLength: 60, size: 'max' }), (options, steps) => {
      const { clock, budget } = setUp({ ...options, windowMs: 1_000 });
      const earned: { at: number; count: number }[] = [];
      let spent = 0;
      for (const { deposits, tries, ms } of steps) {
        const slot = Math.floor(clock.now() / 100);
        for (let time = 0; time < deposits; time += 1) budget.deposit();
        earned.push({ at: slot, count: deposits });
        const inWindow = earned.reduce((sum, { at, count }) => sum + (at > slot - 10 ? count : 0), 0);
        expect(budget.balance).toBeLessThanOrEqual(options.reserve + options.ratio * inWindow + 1e-6);
        for (let time = 0; time < tries; time += 1) if (budget.withdraw()) spent += 1;
        clock.tick(ms);
      }
      const all = earned.reduce((sum, { count }) => sum + count, 0);
      expect(spent).toBeLessThanOrEqual(options.ratio * all + options.reserve + 1e-6);
    }),
    { numRuns: runs(500) },
  );
});

describe('a reserve of less than one', () => {
  test('gives a retry to each client that draws low, once; the balance is the probability', () => {
    const draws = [0.29, 0.3, 0];
    const { budget } = setUp({ reserve: 0.3, random: () => draws.shift() ?? 0 });
    expect(budget.balance).toBe(0.3);
    expect(budget.withdraw()).toBe(true);
    expect(budget.balance).toBe(0);
    expect(budget.withdraw()).toBe(false);
    expect(draws).toEqual([0.3, 0]);
    const other = setUp({ reserve: 0.3, random: () => 0.3 });
    expect([other.budget.withdraw(), other.budget.balance]).toEqual([false, 0]);
  });

  test('adds to the deposits: a quiet client need not save up a whole retry', () => {
    const { budget, clock, deposit } = setUp({ reserve: 0.1, random: () => 0.9 });
    // Two successes in a window and then a failure, less than six windows apart.
    const chances = Array.from({ length: 4 }, () => {
      deposit(2);
      const { balance } = budget;
      expect(budget.withdraw()).toBe(false);
      clock.tick(30_000);
      return balance;
    });
    expect(chances).toEqual([0.5, 0.4, 0.4, 0.4]);
  });

  test('does not grow by refunds', () => {
    const { budget } = setUp({ reserve: 0.3, random: () => 0 });
    for (let time = 0; time < 3; time += 1) {
      expect(budget.withdraw()).toBe(true);
      budget.refund();
      expect(budget.balance).toBe(0.3);
    }
  });

  test('of 0 is not random', () => {
    const { budget, deposit } = setUp({ reserve: 0, random: () => 0 });
    deposit(4);
    expect([budget.balance, budget.withdraw()]).toEqual([0, false]);
    deposit(1);
    expect([budget.balance, budget.withdraw()]).toEqual([1, true]);
  });
});

test('a refunded retry leaves the budget as if it had never been withdrawn', () => {
  const options = fc.record({
    ratio: fc.double({ min: 0, max: 2, noNaN: true }),
    // Below one, retries are drawn at random, and are right on average only.
    reserve: fc.double({ min: 1, max: 5, noNaN: true }),
  });
  const step = fc.record({
    // At least one, so that no rest is long enough to restore the reserve.
    deposits: fc.integer({ min: 1, max: 8 }),
    tries: fc.nat(8),
    ms: fc.oneof(fc.nat(300), fc.nat(2_000)),
  });
  const steps = fc.array(step, { maxLength: 20, size: 'max' });
  fc.assert(
    fc.property(options, steps, steps, fc.nat(3), (options, before, between, retries) => {
      const asked = setUp({ ...options, windowMs: 1_000 });
      const other = setUp({ ...options, windowMs: 1_000 });
      const play = (steps: typeof before, withdrawing: boolean): void => {
        for (const { deposits, tries, ms } of steps) {
          for (const { budget, clock, deposit } of [asked, other]) {
            deposit(deposits);
            for (let time = 0; withdrawing && time < tries; time += 1) budget.withdraw();
            clock.tick(ms);
          }
        }
      };
      play(before, true);
      let withdrawn = 0;
      for (let retry = 0; retry < retries; retry += 1) if (asked.budget.withdraw()) withdrawn += 1;
      play(between, false);
      for (let retry = 0; retry < withdrawn; retry += 1) asked.budget.refund();
      expect(asked.budget.balance).toBe(other.budget.balance);
      expect(asked.withdrawAll()).toBe(other.withdrawAll());
    }),
    { numRuns: runs(500) },
  );
});

test.each<[options: unknown, message: string]>([
  [{ ratio: -1 }, 'retryBudget: ratio must be a finite number ≥ 0, got -1'],
  [{ windowMs: 0 }, 'retryBudget: windowMs must be'],
  [{ reserve: -0.1 }, 'retryBudget: reserve must be a finite number ≥ 0, got -0.1'],
  [{ random: 0.5 }, 'retryBudget: random must be a function, got 0.5'],
  [{ percent: 5 }, 'retryBudget has no option "percent"'],
])('%j is refused', (options, message) => {
  expect(() => retryBudget(options as RetryBudgetOptions)).toThrow(message);
});
