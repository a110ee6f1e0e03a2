import { expect, test } from 'vitest';
import { budgetFleet } from '../test/budget-fleet.ts';
import { valkeyBudget } from './budget.ts';
import type { ValkeyBudgetOptions } from './budget-options.ts';

test.each<[options: object, message: string]>([
  [{ key: 5 }, 'valkeyBudget: key must be a string, got 5'],
  [{ ratio: -1 }, 'valkeyBudget: ratio must be a finite number ≥ 0, got -1'],
  [{ ratio: 1e4 }, 'valkeyBudget: ratio must be a number from 0 to 1000, got 10000'],
  [{ reserve: Number.NaN }, 'valkeyBudget: reserve must be'],
  [{ windowMs: 9 }, 'valkeyBudget: windowMs must be a number from 10 to 86400000, got 9'],
  [{ lease: { ahead: 5 } }, 'valkeyBudget: lease has no option "ahead"; it takes aheadMs'],
  [{ lease: { aheadMs: 0 } }, 'valkeyBudget: lease.aheadMs must be a finite number > 0'],
  [{ localReserve: -1 }, 'valkeyBudget: localReserve must be'],
  [{ timeoutMs: 0 }, 'valkeyBudget: timeoutMs must be'],
  [{ refillPerSecond: 5 }, 'valkeyBudget has no option "refillPerSecond"'],
  [{ client: {} }, 'client must be a client of iovalkey'],
])('%j is rejected', (options, message) => {
  const { store } = budgetFleet();
  const given = { client: store, key: 'k', ...options } as unknown as ValkeyBudgetOptions;
  expect(() => valkeyBudget(given)).toThrow(message);
});
