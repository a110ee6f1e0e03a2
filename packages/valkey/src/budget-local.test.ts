import { SteadyTime } from '@ebb/core/bucket';
import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { LocalBudget } from './budget-local.ts';
import { budgetSetup } from './budget-options.ts';

const client = { evalsha: () => Promise.reject(), eval: () => Promise.reject() };

test.each([
  ['never reached the store', {}, undefined, 0.1],
  ['never reached it, with a reserve of its own', { localReserve: 2 }, undefined, 2],
  ['is one of five that have long been so many', {}, 5, 2],
])('a process that %s has that reserve', (_, options, processes, reserve) => {
  const clock = virtualClock();
  const local = new LocalBudget(budgetSetup({ client, key: 'k', clock, ...options }), new SteadyTime(clock));
  const told = { granted: 0, balance: 10, free: 1 };
  if (processes !== undefined) {
    local.observe({ ...told, processes });
    clock.tick(60_000);
    local.observe({ ...told, processes });
  }
  local.open();
  expect(local.budget?.balance).toBe(reserve);
});
