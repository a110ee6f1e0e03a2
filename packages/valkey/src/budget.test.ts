import { inspect } from 'node:util';
import type { RetryBudget } from '@ebb/core';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { budgetModel } from '../test/budget-model.ts';
import { ModelStore } from '../test/model-store.ts';
import { type ValkeyBudget, valkeyBudget } from './budget.ts';
import type { ValkeyBudgetOptions } from './budget-options.ts';
import type { StoreEvent, StoreObserver } from './events.ts';

type Options = Partial<Omit<ValkeyBudgetOptions, 'client'>>;

function setUp(options: Options = {}) {
  const clock = virtualClock({ startMs: 1e9 });
  const keys = new Map<string, string>();
  const store = new ModelStore(clock, keys, budgetModel);
  const events: StoreEvent[] = [];
  const onStoreEvent = (event: StoreEvent): void => void events.push(event);
  const random = seededRandom(1);
  const common = { key: 'k', clock, random, onStoreEvent, ...options };
  /** A process of the fleet, with a connection of its own. */
  const process = (more: Options = {}): ValkeyBudget & { store: ModelStore } => {
    const connection = new ModelStore(clock, keys, budgetModel);
    return Object.assign(valkeyBudget({ client: connection, ...common, ...more }), { store: connection });
  };
  return { clock, keys, store, events, process };
}

const withdrawAll = (budget: RetryBudget): number => {
  let count = 0;
  while (count < 10_000 && budget.withdraw()) count += 1;
  return count;
};

const times = (count: number, act: () => void): void => {
  for (let time = 0; time < count; time += 1) act();
};

describe('a request', () => {
  test('that fails after the first reply may be retried; one that fails before it is not', async () => {
    const { clock, process } = setUp();
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

  test('that goes well costs two calls in a quiet process, and leaves neither lease nor timer', async () => {
    const { clock, process } = setUp();
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

  test('calls the store at most once in aheadMs, however many there are', async () => {
    const { clock, process } = setUp({ lease: { aheadMs: 200 } });
    const budget = process();
    const startMs = clock.now();
    for (let step = 0; step < 500; step += 1) {
      times(10, () => budget.begin());
      await clock.advance(5);
      times(9, () => {
        budget.deposit();
        budget.end();
      });
      budget.withdraw();
      budget.end();
      await clock.advance(5);
    }
    expect(budget.stats().calls).toBeLessThanOrEqual((clock.now() - startMs) / 200 + 1);
    expect(budget.stats().calls).toBeGreaterThan(20);
  });
});

describe('the fleet', () => {
  test('shares what each has earned', async () => {
    const { clock, process } = setUp({ reserve: 0 });
    const [one, other] = [process(), process()];
    times(100, () => one.deposit());
    await clock.advance(1_000);
    expect(other.stats().leased).toBe(0);
    times(15, () => other.begin());
    await clock.advance(1_000);
    // One of the twenty is with the first, as it is with everyone who has not said otherwise; of the rest a half.
    expect(withdrawAll(other)).toBe(9);
    expect(withdrawAll(one)).toBe(1);
  });

  test.each([1, 2, 3, 4, 5, 6])(
    'never retries more than its share, as one budget in memory would not (trace %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const upTo = (most: number): number => Math.floor(random() * (most + 1));
      const [ratio, reserve, windowMs] = [0.2, 5, 1_000];
      const { clock, process } = setUp({ ratio, reserve, windowMs, lease: { aheadMs: 20 } });
      const fleet = Array.from({ length: 1 + upTo(7) }, () => process());
      const spent: { atMs: number; count: number }[] = [];
      const earned: { atMs: number; count: number }[] = [];
      const sum = (list: typeof spent, fromMs: number, toMs: number): number =>
        list.reduce((total, { atMs, count }) => total + (atMs > fromMs && atMs <= toMs ? count : 0), 0);
      for (let step = 0; step < 400; step += 1) {
        const budget = fleet[upTo(fleet.length - 1)] as ValkeyBudget;
        const atMs = clock.now();
        // Half of the processes tell of their requests.
        const tells = fleet.indexOf(budget as (typeof fleet)[0]) % 2 === 0;
        const [deposits, asks] = random() < 0.3 ? [0, upTo(20)] : [upTo(12), upTo(3)];
        if (tells) times(deposits + asks, () => budget.begin());
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
        if (tells) times(deposits + asks, () => budget.end());
        earned.push({ atMs, count: deposits });
        spent.push({ atMs: clock.now(), count });
        await clock.advance(random() < 0.05 ? upTo(1_500) : upTo(40));
        const nowMs = clock.now();
        expect(sum(spent, 0, nowMs)).toBeLessThanOrEqual(reserve + ratio * sum(earned, 0, nowMs));
        // What was earned in a window is leased in the next, and spent in the one after that.
        const window = sum(spent, nowMs - windowMs, nowMs);
        expect(window).toBeLessThanOrEqual(reserve + ratio * sum(earned, nowMs - 3.1 * windowMs, nowMs));
      }
      expect(sum(spent, 0, clock.now())).toBeGreaterThan(0.3 * ratio * sum(earned, 0, clock.now()));
    },
  );

  test('keeps nothing of a good hour: what was leased in it ends two windows later, reserve or not', async () => {
    const { clock, process } = setUp({ reserve: 4 });
    const fleet = [process(), process()];
    for (const budget of fleet) times(300, () => budget.begin());
    for (let second = 0; second < 60; second += 1) {
      for (const budget of fleet) times(50, () => budget.deposit());
      await clock.advance(1_000);
    }
    const leased = fleet.reduce((sum, budget) => sum + budget.stats().leased, 0);
    expect(leased).toBeGreaterThan(80);
    await clock.advance(20_000);
    let retries = 0;
    for (let round = 0; round < 20; round += 1) {
      for (const budget of fleet) retries += withdrawAll(budget);
      await clock.advance(200);
    }
    expect(retries).toBeLessThanOrEqual(4);
  });

  test('has its reserve again after six windows of rest, once for all', async () => {
    const { clock, process } = setUp({ reserve: 4 });
    const fleet = Array.from({ length: 8 }, () => process());
    const burst = async (): Promise<number> => {
      let retries = 0;
      for (let round = 0; round < 20; round += 1) {
        for (const budget of fleet) if (budget.withdraw()) retries += 1;
        await clock.advance(200);
      }
      return retries;
    };
    await burst();
    await clock.advance(61_000);
    expect(await burst()).toBe(4);
    await clock.advance(50_000);
    expect(await burst()).toBe(0);
  });
});

describe('what the store forgets', () => {
  test('is at most one reserve in a window, however often it forgets', async () => {
    const { clock, keys, process } = setUp({ reserve: 10 });
    const startMs = clock.now();
    let retries = 0;
    for (let round = 0; round < 300; round += 1) {
      if (round % 37 === 0) keys.clear();
      // New processes come in all the time: they know of nothing before.
      const budget = process();
      budget.begin();
      await clock.advance(100);
      retries += withdrawAll(budget);
      budget.end();
      const closing = budget.close();
      await clock.advance(1);
      await closing;
    }
    const windows = (clock.now() - startMs) / 10_000;
    expect(retries).toBeLessThanOrEqual(10 * windows);
    expect(retries).toBeGreaterThan(10);
  });

  test('comes in over one window when the key is new', async () => {
    const { clock, process } = setUp({ reserve: 10 });
    const budget = process();
    const after: number[] = [];
    for (let second = 0; second < 15; second += 1) {
      budget.begin();
      await clock.advance(1_000);
      after.push(withdrawAll(budget));
      budget.end();
    }
    const total = after.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThanOrEqual(9);
    expect(total).toBeLessThanOrEqual(10);
  });

  test('counts no low number of processes at once', async () => {
    const { clock, keys, process } = setUp({ reserve: 10 });
    const fleet = Array.from({ length: 5 }, () => process());
    for (const budget of fleet) budget.deposit();
    await clock.advance(1_000);
    keys.clear();
    const [first] = fleet;
    first?.deposit();
    await clock.advance(1_000);
    first?.deposit();
    await clock.advance(1_000);
    expect(first?.stats().processes).toBeGreaterThanOrEqual(1);
    const last = fleet[4] as ValkeyBudget;
    expect(last.stats().processes).toBe(5);
    last.deposit();
    await clock.advance(1_000);
    expect(last.stats().processes).toBe(5);
  });
});

describe.each(['refusing', 'silent', 'frozen'] as const)('a store that is %s', (health) => {
  test('leaves each process its part of the reserve, and its share of what goes well', async () => {
    const { clock, events, process } = setUp({ reserve: 12 });
    const fleet = Array.from({ length: 4 }, () => process());
    for (const budget of fleet) budget.deposit();
    await clock.advance(1_000);
    for (const budget of fleet) {
      budget.deposit();
      budget.store.health = health;
    }
    await clock.advance(1_000);
    expect(events.map(({ type }) => type)).toEqual(['lost', 'lost', 'lost', 'lost']);
    // One that was counted late knows of fewer.
    const last = fleet[3] as ValkeyBudget;
    const leased = last.stats().leased;
    expect(last.stats()).toMatchObject({ mode: 'local', processes: 4 });
    expect(withdrawAll(last) - leased).toBe(3);
    times(10, () => last.deposit());
    await clock.advance(10);
    expect(withdrawAll(last)).toBe(2);
    expect(clock.pending).toBeLessThanOrEqual(health === 'refusing' ? 0 : 4);
  });

  test('from the first leaves one failure in ten of cold processes its retry', async () => {
    const { clock, process } = setUp();
    let retries = 0;
    for (let at = 0; at < 600; at += 1) {
      const budget = process();
      budget.store.health = health;
      budget.begin();
      await clock.advance(300);
      retries += withdrawAll(budget);
      budget.end();
    }
    expect(retries).toBeGreaterThan(36);
    expect(retries).toBeLessThan(84);
  });

  test('that comes and goes brings no new reserve each time', async () => {
    const { clock, process } = setUp({ reserve: 5, ratio: 0 });
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
    // Its own reserve and that in the store.
    expect(retries).toBeLessThanOrEqual(5 * (windows + 1) + 5);
    expect(retries).toBeGreaterThan(5);
  });

  test('is tried again by the next request, and the budget is shared again', async () => {
    const { clock, events, process } = setUp();
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

test.each<[how: string, onStoreEvent: () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('my fault');
    },
  ],
  ['rejects', () => Promise.reject(new Error('my fault'))],
])('an observer that %s is reported once, and changes nothing', async (_, onStoreEvent) => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const { clock, process: start } = setUp({ onStoreEvent: onStoreEvent as StoreObserver });
  const budget = start({ localReserve: 2 });
  budget.store.health = 'refusing';
  budget.begin();
  await clock.advance(10);
  expect(budget.stats().mode).toBe('local');
  expect(withdrawAll(budget)).toBe(2);
  expect(warn.mock.calls).toMatchObject([
    [{ name: 'EbbWarning', message: 'onStoreEvent failed, and is ignored: my fault' }],
  ]);
  warn.mockRestore();
});

test('a login that failed is told without the password', async () => {
  const { clock, process: start, events } = setUp();
  const budget = start();
  budget.store.evalsha = () =>
    Promise.reject(
      Object.assign(new Error('WRONGPASS invalid'), { command: { name: 'auth', args: ['secret'] } }),
    );
  budget.begin();
  await clock.advance(10);
  expect(events).toMatchObject([{ type: 'lost', error: { message: 'WRONGPASS invalid' } }]);
  expect(inspect(events, { depth: 9 })).not.toContain('secret');
});

test('a reply that comes in the turn in which the time is over is in time', async () => {
  const { clock, process: start, events } = setUp();
  const budget = start();
  let reply = (_: unknown): void => {};
  budget.store.evalsha = () => new Promise((resolve) => (reply = resolve));
  budget.begin();
  await clock.advance(0);
  clock.schedule(() => reply([1, 9, 1, 0, 1]), 250);
  await clock.advance(1_000);
  expect(events).toEqual([]);
  expect(budget.balance).toBe(1);
});

describe('close', () => {
  test('tells what is not told, gives back what is leased, and allows no retry from then on', async () => {
    const { clock, process } = setUp({ reserve: 8, ratio: 1 });
    await clock.advance(1);
    const [one, other] = [process(), process()];
    one.deposit();
    other.deposit();
    await clock.advance(20_000);
    times(3, () => one.begin());
    await clock.advance(200);
    expect(one.stats().leased).toBe(3);
    one.deposit();
    const closing = one.close();
    await clock.advance(1_000);
    await closing;
    expect(one.close()).toBe(closing);
    expect([one.balance, one.withdraw(), one.stats().leased]).toEqual([0, false, 0]);
    one.deposit();
    one.begin();
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
    other.deposit();
    await clock.advance(200);
    // All eight are there again, but those that the other has; its success brought one that has no room.
    expect(other.stats().inStore + other.stats().leased).toBeGreaterThanOrEqual(8);
  });

  test.each(['refusing', 'silent'] as const)('ends while the store is %s', async (health) => {
    const { clock, process } = setUp();
    const budget = process();
    budget.begin();
    budget.store.health = health;
    const closing = budget.close();
    await clock.advance(500);
    await closing;
    expect(clock.pending).toBe(0);
  });

  test('of one that was never used calls nothing', async () => {
    const { process } = setUp();
    const budget = process();
    await budget.close();
    expect(budget.store.calls).toEqual([]);
  });
});

test.each<[options: object, message: string]>([
  [{ key: 5 }, 'valkeyBudget: key must be a text, got 5'],
  [{ key: '' }, 'valkeyBudget: key must be a text that is not empty'],
  [{ key: 'a{b' }, 'valkeyBudget: key must be a text without braces'],
  [{ key: undefined }, 'valkeyBudget: key must be a text'],
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
])('%j is refused', (options, message) => {
  const { store } = setUp();
  const given = { client: store, key: 'k', ...options } as unknown as ValkeyBudgetOptions;
  expect(() => valkeyBudget(given)).toThrow(message);
});
