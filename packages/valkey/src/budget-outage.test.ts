import { describe, expect, test } from 'vitest';
import { budgetFleet, times, withdrawAll } from '../test/budget-fleet.ts';
import type { ValkeyBudget } from './budget.ts';

describe('a store that loses the budget', () => {
  test('grants at most one reserve per window, however often it loses the key', async () => {
    const { clock, keys, process } = budgetFleet({ reserve: 10 });
    const startMs = clock.now();
    let retries = 0;
    for (let round = 0; round < 300; round += 1) {
      if (round % 37 === 0) keys.clear();
      // New processes start all the time. They do not know the lost state.
      const budget = process();
      budget.begin();
      await clock.advance(100);
      retries += withdrawAll(budget);
      budget.end();
      await Promise.all([budget.close(), clock.advance(1)]);
    }
    const windows = (clock.now() - startMs) / 10_000;
    expect(retries).toBeLessThanOrEqual(10 * windows);
    expect(retries).toBeGreaterThan(10);
  });

  test('does not lower the count of processes at once', async () => {
    const { clock, keys, process } = budgetFleet({ reserve: 10 });
    const fleet = Array.from({ length: 5 }, () => process());
    for (const budget of fleet) budget.deposit();
    await clock.advance(1_000);
    keys.clear();
    const [first] = fleet;
    first?.deposit();
    await clock.advance(2_000);
    const last = fleet[4] as ValkeyBudget;
    expect(last.stats().processes).toBe(5);
    last.deposit();
    await clock.advance(1_000);
    expect(last.stats().processes).toBe(5);
  });
});

describe.each(['refusing', 'silent', 'frozen'] as const)('a store that is %s', (health) => {
  test('leaves each process its part of the reserve, and the ratio of its successes', async () => {
    const { clock, events, process } = budgetFleet({ reserve: 12 });
    const fleet = Array.from({ length: 4 }, () => process());
    for (const budget of fleet) budget.deposit();
    await clock.advance(1_000);
    for (const budget of fleet) {
      budget.deposit();
      budget.store.health = health;
    }
    await clock.advance(1_000);
    expect(events.map(({ type }) => type)).toEqual(['lost', 'lost', 'lost', 'lost']);
    // The last process: those that were counted earlier know a lower count.
    const last = fleet[3] as ValkeyBudget;
    const leased = last.stats().leased;
    expect(last.stats()).toMatchObject({ mode: 'local', processes: 4 });
    expect(withdrawAll(last) - leased).toBe(3);
    times(10, () => last.deposit());
    await clock.advance(10);
    expect(withdrawAll(last)).toBe(2);
    expect(clock.pending).toBeLessThanOrEqual(health === 'refusing' ? 0 : 4);
  });

  test('repeatedly brings no new reserve each time', async () => {
    const { clock, process } = budgetFleet({ reserve: 5, ratio: 0 });
    const budget = process();
    budget.deposit();
    await clock.advance(1_000);
    const startMs = clock.now();
    let retries = 0;
    for (let round = 0; round < 30; round += 1) {
      budget.store.health = round % 2 === 0 ? health : 'up';
      times(3, () => {
        if (budget.withdraw()) retries += 1;
      });
      await clock.advance(1_000);
    }
    const windows = Math.ceil((clock.now() - startMs) / 10_000);
    // Its local reserve and the one in the store.
    expect(retries).toBeLessThanOrEqual(5 * (windows + 1) + 5);
    expect(retries).toBeGreaterThan(5);
  });

  test('is called again by the next request, and the budget is shared again', async () => {
    const { clock, events, process } = budgetFleet();
    const budget = process();
    budget.begin();
    await clock.advance(1_000);
    budget.store.health = health;
    budget.withdraw();
    await clock.advance(5_000);
    budget.store.health = 'up';
    const { calls } = budget.stats();
    await clock.advance(5_000);
    expect(budget.stats().calls).toBe(calls);
    budget.begin();
    await clock.advance(1_000);
    expect(events.map(({ type }) => type)).toEqual(['lost', 'back']);
    expect(budget.stats().mode).toBe('shared');
  });
});
