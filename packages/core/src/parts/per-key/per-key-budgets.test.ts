import { describe, expect, test } from 'vitest';
import { ownBudget } from '../../../test/own.ts';
import { Call } from '../../call/call.ts';
import { run } from '../../call/run.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { RetryBudget } from '../../policy/part.ts';
import { createPolicy } from '../../policy/policy.ts';
import { virtualClock } from '../../testing.ts';
import { retryBudget } from '../budget/budget.ts';
import { perKey } from './per-key.ts';

const request = (url: string): RequestTraits => {
  return { url, method: 'GET', replayable: true, header: () => undefined };
};

test('an outage of one origin does not spend the budget of another', () => {
  const clock = virtualClock({ startMs: 0 });
  const budgets = perKey(() => retryBudget({ clock, reserve: 1 }), { clock });
  const ill = budgets.for(request('https://ill.test/a'));
  expect([ill.withdraw(), ill.withdraw()]).toEqual([true, false]);
  expect(budgets.for(request('https://ill.test/b')).withdraw()).toBe(false);
  expect(budgets.for(request('https://well.test/')).withdraw()).toBe(true);
  expect(budgets.for(request('https://other.test/'), 'https://ill.test').balance).toBe(0);
});

test('an idle budget is evicted', () => {
  const clock = virtualClock({ startMs: 0 });
  const budgets = perKey(() => retryBudget({ clock }), { clock, idleMs: 1_000 });
  const visit = (): void => {
    for (let time = 0; time < 200; time += 1) budgets.for(request('https://h0.test/')).deposit();
  };
  for (let host = 0; host < 100; host += 1) budgets.for(request(`https://h${host}.test/`)).deposit();
  clock.tick(5_000);
  visit();
  expect(budgets.size).toBe(100);
  clock.tick(10_000);
  visit();
  expect(budgets.size).toBe(1);
});

test('10,050 POSTs to as many origins all end with their 200', async () => {
  const clock = virtualClock({ startMs: 0 });
  const policy = createPolicy({ clock, budget: perKey(() => retryBudget({ clock }), { clock }) });
  const send = (host: number): Promise<number> => {
    const session = new Call(policy, { ...request(`https://h${host}.test/`), method: 'POST' });
    return run<number>(session, {
      send: async () => 200,
      outcome: (status) => ({ type: 'response', status, header: () => undefined }),
      failure: (error) => ({ type: 'failure', kind: 'unknown', error }),
      setAside: () => undefined,
    });
  };
  const results = await Promise.allSettled(Array.from({ length: 10_050 }, (_, host) => send(host)));
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
});

describe('a function that makes budgets', () => {
  const made = (key: string, calls: string[]): RetryBudget => {
    const note = (verb: string) => () => {
      calls.push(`${key} ${verb}`);
      return true;
    };
    return ownBudget({
      balance: 1,
      begin: note('begin'),
      end: note('end'),
      deposit: note('deposit'),
      withdraw: note('withdraw'),
      refund: note('refund'),
    });
  };

  test('a budget without isIdle is never evicted', () => {
    const clock = virtualClock({ startMs: 0 });
    const budgets = perKey((key) => made(key, []), { clock, idleMs: 10 });
    budgets.for(request('https://a.test/')).deposit();
    clock.tick(1_000);
    for (let visit = 0; visit < 5; visit += 1) budgets.for(request('https://b.test/')).deposit();
    expect(budgets.size).toBe(2);
  });
});
