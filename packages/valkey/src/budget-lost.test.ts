import { readFileSync } from 'node:fs';
import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { budgetFleet, withdrawAll } from '../test/budget-fleet.ts';
import type { Health } from '../test/model-store.ts';

/** Ten in reserve, and ten for the successes of a round of 50 processes. */
const [RESERVE, RATIO, PROCESSES] = [10, 0.2, 50];

const PAGE = readFileSync(new URL('../../../docs/strategies/shared-budget.md', import.meta.url), 'utf8');
/** What the page says: the fewest and the most retries, and how many are promised. */
const ON_PAGE =
  /make (\d+) to (\d+) retries of the (\d+) that are promised/.exec(PAGE)?.slice(1).map(Number) ?? [];

interface Traffic {
  /** Between the starts of two processes, in milliseconds. */
  readonly gapMs: number;
  /** How often each process makes a request, in milliseconds. */
  readonly everyMs?: number;
  readonly rounds?: number;
  /** Requests are under way when the store is lost, so retries are leased. */
  readonly isBusy?: boolean;
}

/** Returns how often the fleet retries in the 10 s after it has lost its store, if all requests fail. */
async function retriesWithoutStore(traffic: Traffic, lostAfterMs: number): Promise<number> {
  const { gapMs, everyMs = 0, rounds = 1, isBusy = false } = traffic;
  const { clock, process } = budgetFleet({ reserve: RESERVE, ratio: RATIO, random: seededRandom(3) });
  await clock.advance(1);
  const fleet = Array.from({ length: PROCESSES }, () => process());
  for (let round = 0; round < rounds; round += 1) {
    for (const budget of fleet) {
      budget.begin();
      budget.deposit();
      if (!isBusy) budget.end();
      await clock.advance(gapMs);
    }
    await clock.advance(Math.max(0, everyMs - PROCESSES * gapMs));
  }
  await clock.advance(lostAfterMs);
  for (const budget of fleet) budget.store.health = 'refusing';
  let retries = 0;
  for (let step = 0; step < 20; step += 1) {
    for (const budget of fleet) budget.begin();
    await clock.advance(500);
    for (const budget of fleet) {
      retries += withdrawAll(budget);
      budget.end();
    }
  }
  return retries;
}

describe('50 processes that lose their store retry at most reserve + ratio · successes', () => {
  test.each<[name: string, traffic: Traffic, retries: readonly number[]]>([
    ['start at once', { gapMs: 0 }, [11, 1, 4, 3, 0, 0]],
    ['start 100 ms apart', { gapMs: 100 }, [6, 6, 5, 2, 0, 0]],
    ['start 600 ms apart', { gapMs: 600 }, [1, 1, 0, 0, 0, 0]],
    ['start at once, with requests under way', { gapMs: 0, isBusy: true }, [11, 11, 10, 10, 0, 0]],
    ['start 100 ms apart, with requests under way', { gapMs: 100, isBusy: true }, [14, 14, 14, 12, 0, 0]],
    ['make a request each 30 s', { gapMs: 600, everyMs: 30_000, rounds: 4 }, [6, 6, 6, 6, 5, 0]],
    ['make a request each 50 min', { gapMs: 60_000, everyMs: 3_000_000, rounds: 3 }, [3, 3, 3, 3, 3, 3]],
  ])('if they %s', async (_, traffic, expected) => {
    const retries: number[] = [];
    for (const lostAfterMs of [50, 200, 1_000, 5_000, 60_000, 600_000])
      retries.push(await retriesWithoutStore(traffic, lostAfterMs));
    expect(retries).toEqual(expected);
    const [least = 0, most = 0, promised = 0] = ON_PAGE;
    expect(promised).toBe(RESERVE + RATIO * PROCESSES);
    expect(Math.min(...retries)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...retries)).toBeLessThanOrEqual(most);
  });
});

describe('a store that takes 260 ms', () => {
  test('leases by late replies retries that are valid from the call on, and stays lost', async () => {
    const { clock, events, process } = budgetFleet({ reserve: 10, windowMs: 1_000, localReserve: 0 });
    const other = process();
    for (let request = 0; request < 50; request += 1) other.deposit();
    await clock.advance(500);
    const budget = process();
    budget.store.latencyMs = 130;
    budget.begin();
    // The store does not know the script of this connection, so the reply takes twice as long.
    for (const [ms, leased] of [
      [530, 1],
      [460, 1],
      [20, 0],
    ] as const) {
      await clock.advance(ms);
      expect(budget.stats()).toMatchObject({ mode: 'local', leased });
    }
    expect(events.map(({ type }) => type)).toEqual(['lost']);
    await Promise.all([other.close(), budget.close(), clock.advance(1_000)]);
  });
});

describe('connectTimeoutMs', () => {
  test.each<[health: Health]>([['refusing'], ['frozen']])(
    'a store that is %s at first, and up within it, is not lost',
    async (health) => {
      const { clock, events, process } = budgetFleet({ reserve: 10 });
      await clock.advance(1);
      const budget = process();
      budget.store.health = health;
      budget.begin();
      budget.deposit();
      await clock.advance(4_000);
      expect(budget.stats()).toMatchObject({ mode: 'shared', processes: 0 });
      budget.store.health = 'up';
      await clock.advance(1_000);
      expect(events).toEqual([]);
      expect(budget.stats()).toMatchObject({ mode: 'shared', processes: 1 });
      // A silent store is called once, a refusing one again and again.
      expect(budget.stats().calls).toBeLessThan(20);
    },
  );

  test.each(['refusing', 'silent', 'frozen'] as const)(
    'a store that stays %s is lost after it, and does not hold up close',
    async (health) => {
      const { clock, events, process } = budgetFleet({ connectTimeoutMs: 3_000 });
      const [budget, closed] = [process(), process()];
      for (const one of [budget, closed]) {
        one.store.health = health;
        one.begin();
      }
      await clock.advance(1_000);
      let isClosed = false;
      void closed.close().then(() => {
        isClosed = true;
      });
      await clock.advance(500);
      expect(isClosed).toBe(true);
      await clock.advance(1_400);
      expect(events).toEqual([]);
      await clock.advance(200);
      expect(events).toMatchObject([{ type: 'lost', mode: 'local', share: 0 }]);
      await clock.advance(60_000);
      expect(clock.pending).toBe(0);
    },
  );

  test.each<[name: string, options: object, message: string]>([
    ['of 0 counts the first failure', { connectTimeoutMs: 0 }, 'ECONNREFUSED'],
    ['does not apply with a localReserve', { localReserve: 1 }, 'ECONNREFUSED'],
    ['does not apply to a wrong password', {}, 'WRONGPASS invalid'],
  ])('%s', async (_, options, message) => {
    const { clock, events, process } = budgetFleet(options);
    const budget = process();
    budget.store.health = 'refusing';
    budget.store.error = new Error(message);
    budget.begin();
    await clock.advance(10);
    expect(events).toMatchObject([{ type: 'lost', error: { message } }]);
  });
});
