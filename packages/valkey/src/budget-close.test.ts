import { describe, expect, test } from 'vitest';
import { budgetFleet, times } from '../test/budget-fleet.ts';

describe('a budget that closes', () => {
  test.each([
    ['a call leases that is under way', 0.1],
    ['it has leased, if nothing else is to be reported', 500],
  ])('has given back what %s, before close resolves', async (_, afterMs) => {
    const { clock, process } = budgetFleet({ reserve: 8 });
    const [one, other] = [process(), process()];
    other.deposit();
    await clock.advance(20_000);
    times(4, () => one.begin());
    await clock.advance(afterMs);
    const closing = one.close().then(() => one.stats());
    await clock.advance(500);
    // All of the reserve, as the last reply says.
    expect(await closing).toMatchObject({ leased: 0, calls: 2, inStore: 8 });
  });

  test('sends what its last requests report after close', async () => {
    const { clock, keys, events, process } = budgetFleet({ reserve: 0, ratio: 1 });
    const budget = process();
    budget.begin();
    budget.deposit();
    await clock.advance(1_000);
    expect(budget.withdraw()).toBe(true);
    await Promise.all([budget.close(), clock.advance(500)]);
    const tokens = (): number => Number([...keys.values()][0]?.split(' ')[3]);
    const before = tokens();
    budget.refund();
    budget.end();
    await clock.advance(5);
    expect(tokens() - before).toBe(1e6);
    times(3, () => budget.deposit());
    await clock.advance(5);
    expect(events).toEqual([]);
    // Four successes, of which one was leased and is back.
    expect(tokens()).toBe(4e6);
    expect(clock.pending).toBe(0);
  });

  test.each(['refusing', 'silent'] as const)(
    'tells that its successes are lost if the store is %s',
    async (health) => {
      const { clock, events, process } = budgetFleet();
      const budget = process();
      budget.begin();
      await clock.advance(1_000);
      budget.store.health = health;
      budget.deposit();
      await Promise.all([budget.close(), clock.advance(500)]);
      expect(events).toMatchObject([{ type: 'lost' }]);
      expect(clock.pending).toBe(0);
    },
  );
});
