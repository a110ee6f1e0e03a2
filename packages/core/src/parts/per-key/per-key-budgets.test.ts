import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestTraits } from '../../http/outcome.ts';
import { Call } from '../../loop/call.ts';
import type { RetryBudget } from '../../loop/contracts.ts';
import { createPolicy } from '../../loop/policy.ts';
import { run } from '../../loop/run.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { retryBudget } from '../budget/budget.ts';
import { ownBudget } from '../own.ts';
import { perKey } from './per-key.ts';

type Refundable = RetryBudget & { refund(): void };

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

test('every success of 10,050 origins is deposited', () => {
  const clock = virtualClock({ startMs: 0 });
  const budgets = perKey(() => retryBudget({ clock, reserve: 0 }), { clock });
  for (let host = 0; host < 10_050; host += 1) budgets.for(request(`https://h${host}.test/`)).deposit();
  expect(budgets.size).toBe(10_000);
  // A fifth of the 50 successes without room for their key.
  const retries = Array.from({ length: 50 }, (_, at) =>
    budgets.for(request(`https://h${10_000 + at}.test/`)),
  );
  expect(retries.filter((budget) => budget.withdraw())).toHaveLength(10);
});

describe('keys beyond maxKeys share one budget', () => {
  const full = (clock: VirtualClock, reserve = 2) => {
    const budgets = perKey(() => retryBudget({ clock, reserve, ratio: 0.5 }), { clock, maxKeys: 2 });
    for (const key of ['a', 'b']) budgets.for(request(key)).deposit();
    return (key: string) => budgets.for(request(key)) as Refundable;
  };

  test('with one reserve, and its share of their successes', () => {
    const of = full(virtualClock({ startMs: 0 }));
    expect([of('c').withdraw(), of('d').withdraw(), of('e').withdraw()]).toEqual([true, true, false]);
    of('c').deposit();
    of('d').deposit();
    expect([of('e').withdraw(), of('f').withdraw()]).toEqual([true, false]);
    expect([of('a').withdraw(), of('a').withdraw(), of('a').withdraw()]).toEqual([true, true, false]);
  });

  test('a refund goes to the budget of the withdrawal', () => {
    const clock = virtualClock({ startMs: 0 });
    const of = full(clock);
    const held = of('c');
    expect([held.withdraw(), of('d').balance]).toEqual([true, 1]);
    // The others are idle, so there is room for one of its own.
    clock.tick(11_000);
    expect([of('c').withdraw(), of('c').balance]).toEqual([true, 1]);
    of('e').withdraw();
    expect(of('d').balance).toBe(1);
    held.refund();
    expect([of('c').balance, of('d').balance]).toEqual([1, 2]);
  });

  test('a key gets a budget of its own once there is room', () => {
    const clock = virtualClock({ startMs: 0 });
    const of = full(clock);
    const held = of('c');
    while (held.withdraw());
    clock.tick(11_000);
    expect(held.balance).toBe(2);
  });
});

test('evicting a budget makes no difference to a request that holds it', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    verb: fc.constantFrom('hold', 'deposit', 'withdraw', 'refund'),
    ms: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(300), fc.nat(8_000)),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), fc.nat(3), (steps, reserve) => {
      const clock = virtualClock({ startMs: 0 });
      const options = { clock, reserve, windowMs: 1_000 };
      const budgets = perKey(() => retryBudget(options), { clock, maxKeys: 4, idleMs: 0 });
      const kept = new Map<string, Refundable>();
      const held = new Map<string, Refundable>();
      for (const { key, verb, ms } of steps) {
        if (!kept.has(key)) kept.set(key, retryBudget(options) as Refundable);
        if (!held.has(key) || verb === 'hold') held.set(key, budgets.for(request(key)) as Refundable);
        if (verb !== 'hold') expect(held.get(key)?.[verb]()).toBe(kept.get(key)?.[verb]());
        clock.tick(ms);
      }
      for (const [key, budget] of kept) expect(budgets.for(request(key)).balance).toBe(budget.balance);
    }),
    { numRuns: 500 },
  );
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

  test('every method goes to the budget of the key', () => {
    const calls: string[] = [];
    const budgets = perKey((key) => made(key, calls), { keyOf: () => 'one' });
    const budget = budgets.for(request('https://a.test/'));
    budget.begin?.();
    budget.withdraw();
    budget.refund?.();
    budget.deposit();
    budget.end?.();
    budget.end?.();
    expect(calls).toEqual(['one begin', 'one withdraw', 'one refund', 'one deposit', 'one end']);
  });

  test('a budget without isIdle is never evicted', () => {
    const clock = virtualClock({ startMs: 0 });
    const budgets = perKey((key) => made(key, []), { clock, idleMs: 10 });
    budgets.for(request('https://a.test/')).deposit();
    clock.tick(1_000);
    for (let visit = 0; visit < 5; visit += 1) budgets.for(request('https://b.test/')).deposit();
    expect(budgets.size).toBe(2);
  });

  test('a make that throws after the response does not lose the response', () => {
    const clock = virtualClock({ startMs: 0 });
    let isBroken = false;
    const make = (): RetryBudget => {
      if (isBroken) throw new Error('no budget');
      return retryBudget({ clock, reserve: 1 });
    };
    const budgets = perKey(make, { clock, maxKeys: 1, idleMs: 10 });
    budgets.for(request('https://first.test/')).withdraw();
    const held = budgets.for(request('https://second.test/'));
    held.begin?.();
    isBroken = true;
    // There is room again: the second key would get a budget of its own.
    clock.tick(1_000_000);
    expect(held.withdraw()).toBe(true);
    expect(() => budgets.for(request('https://third.test/')).begin?.()).toThrow('make failed: no budget');
  });
});
