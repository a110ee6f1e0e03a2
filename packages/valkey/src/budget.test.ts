import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { budgetFleet, times } from '../test/budget-fleet.ts';
import type { ValkeyBudget } from './budget.ts';

describe('requests', () => {
  test('a failure may be retried after the first reply of the store, not before', async () => {
    const { clock, process } = budgetFleet();
    const earlier = process();
    earlier.begin();
    expect(earlier.withdraw()).toBe(false);
    await clock.advance(10_000);
    const budget = process();
    budget.begin();
    expect(budget.withdraw()).toBe(false);
    await clock.advance(1);
    expect(budget.stats()).toMatchObject({ mode: 'shared', leased: 1, processes: 2, calls: 1 });
    expect([budget.balance, budget.withdraw(), budget.withdraw()]).toEqual([1, true, false]);
  });

  test('a success in a quiet process costs two calls and leaves no lease and no timer', async () => {
    const { clock, process } = budgetFleet();
    const budget = process();
    await clock.advance(10_000);
    budget.begin();
    await clock.advance(20);
    budget.deposit();
    budget.end();
    await clock.advance(500);
    expect(budget.stats()).toMatchObject({ leased: 0, calls: 2 });
    expect(clock.pending).toBe(0);
    await clock.advance(3_600_000);
    expect(budget.store.calls.length).toBe(2);
  });
});

describe('the fleet', () => {
  test.each([1, 2, 3, 4])('never retries more than reserve + ratio · successes (trace %i)', async (seed) => {
    const random = seededRandom(seed);
    const upTo = (most: number): number => Math.floor(random() * (most + 1));
    const [ratio, reserve, windowMs] = [0.2, 5, 1_000];
    const { clock, process } = budgetFleet({ ratio, reserve, windowMs, lease: { aheadMs: 20 } });
    const fleet = Array.from({ length: 1 + upTo(7) }, () => process());
    const spent: { atMs: number; count: number }[] = [];
    const earned: { atMs: number; count: number }[] = [];
    const sum = (list: typeof spent, fromMs: number, toMs: number): number =>
      list.reduce((total, { atMs, count }) => total + (atMs > fromMs && atMs <= toMs ? count : 0), 0);
    for (let step = 0; step < 400; step += 1) {
      const budget = fleet[upTo(fleet.length - 1)] as ValkeyBudget;
      const atMs = clock.now();
      // Half of the processes report begin and end.
      const reports = fleet.indexOf(budget as (typeof fleet)[0]) % 2 === 0;
      const [deposits, asks] = random() < 0.3 ? [0, upTo(20)] : [upTo(12), upTo(3)];
      if (reports) times(deposits + asks, () => budget.begin());
      await clock.advance(upTo(3));
      times(deposits, () => budget.deposit());
      let count = 0;
      times(asks, () => {
        if (!budget.withdraw()) return;
        count += 1;
        if (random() > 0.1) return;
        budget.refund();
        count -= 1;
      });
      if (reports) times(deposits + asks, () => budget.end());
      earned.push({ atMs, count: deposits });
      spent.push({ atMs: clock.now(), count });
      await clock.advance(random() < 0.05 ? upTo(1_500) : upTo(40));
      const nowMs = clock.now();
      expect(sum(spent, 0, nowMs)).toBeLessThanOrEqual(reserve + ratio * sum(earned, 0, nowMs));
      // A success of one window is leased in the next, and spent in the one after that.
      const window = sum(spent, nowMs - windowMs, nowMs);
      expect(window).toBeLessThanOrEqual(reserve + ratio * sum(earned, nowMs - 3.1 * windowMs, nowMs));
    }
    expect(sum(spent, 0, clock.now())).toBeGreaterThan(0.3 * ratio * sum(earned, 0, clock.now()));
  });
});
