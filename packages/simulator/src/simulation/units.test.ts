import { describe, expect, test } from 'vitest';
import { sum } from '../../test/fleets.ts';
import type { FleetPolicy } from '../scenario/fleet-policy.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { UnitsLimit } from '../scenario/server-options.ts';
import { simulate } from './simulate.ts';

const service = { workers: 1_000, serviceMs: 1_000, serviceSpread: 'constant' } as const;

/** 100 requests a second, each of which spends so much. */
function asking(limit: UnitsLimit, policy: FleetPolicy = { maxRetries: 0 }): Scenario {
  return {
    durationMs: 100_000,
    clients: { count: 1, requestsPerSecond: 100 },
    network: { meanMs: 10 },
    server: { ...service, limit },
    policy,
  };
}

describe('a server with a limit of several units', () => {
  const wide = { refillPerSecond: 1_000, capacity: 1_000 };
  const narrow = { refillPerSecond: 100, capacity: 200 };

  test.each([
    ['the same for each request', 5, 0.01],
    ['drawn, constant', { mean: 5, spread: 'constant' }, 0.01],
    ['drawn, exponential', { mean: 5, spread: 'exponential' }, 0.1],
    ['drawn, log-normal', { mean: 5, spread: 'log-normal' }, 0.15],
  ] as const)('serves as much as its narrowest unit allows: a cost that is %s', (_, output, tolerance) => {
    const limit = { limits: { requests: wide, output: narrow }, spends: { requests: 1, output } };
    const { totals, series } = simulate(asking(limit));
    const most = (200 + 100 * 100) / 5;
    expect(Math.abs(totals.successes / most - 1)).toBeLessThan(tolerance + 1 / 100);
    expect(totals.answered429).toBe(totals.failures);
    expect(sum(series.answered429, 50, 100)).toBeGreaterThan(3_000);
  });

  test('charges a drawn cost at the answer: what is in flight then overdraws it', () => {
    const served = (output: UnitsLimit['spends'][string]): number =>
      sum(simulate(asking({ limits: { output: narrow }, spends: { output } })).series.successes, 0, 3);
    expect(served(5)).toBeLessThan((200 + 3 * 100) / 5 + 1);
    // The first answers come after a second, and more than a hundred requests with them.
    expect(served({ mean: 5, spread: 'exponential' })).toBeGreaterThan(90);
  });

  test('takes nothing of any unit for a request that it refuses', () => {
    // Enough for those that are served.
    const requests = { refillPerSecond: 1, capacity: 2_100 };
    const limit = { limits: { requests, output: narrow }, spends: { requests: 1, output: 5 } };
    const { totals } = simulate(asking(limit));
    expect(totals.answered429).toBeGreaterThan(7_000);
    expect(totals.successes).toBeGreaterThan(2_000);
  });

  test('says with Retry-After when all units have enough', () => {
    const limit = { limits: { requests: wide, output: narrow }, spends: { requests: 1, output: 1.05 } };
    const refused = (retryAfter: boolean): number =>
      simulate(asking({ ...limit, retryAfter }, { maxRetries: 20, backoff: { constant: 10 } })).totals
        .answered429;
    expect(refused(false)).toBeGreaterThan(3 * refused(true));
  });
});

describe('clients with buckets of several units', () => {
  const output = { refillPerSecond: 200, capacity: 2_000 };
  const limit: UnitsLimit = {
    limits: { requests: { refillPerSecond: 200, capacity: 200 }, output },
    spends: { requests: 1, output: { mean: 20, spread: 'log-normal' } },
  };
  const run = (reserved: number, actualCost: boolean, settled: boolean, feedback?: false) => {
    const limits = {
      output: { ...output, chargeOn: settled ? ('completion' as const) : ('grant' as const) },
    };
    const policy = {
      bucket: { quotaBucket: { limits, feedback } },
      cost: { output: reserved },
      actualCost,
      maxRetries: 0,
    };
    return simulate(asking(limit, { ...policy, maxWaitMs: 10_000 })).totals;
  };
  /** As many as there are tokens for. */
  const all = (2_000 + 200 * 100) / 20;

  test('that give back what was not spent use most of it, and are refused nothing', () => {
    for (const settled of [false, true]) {
      const { successes, answered429 } = run(200, true, settled);
      expect(successes / all).toBeGreaterThan(0.4);
      expect(answered429).toBe(0);
    }
  });

  test('get back what they reserved for a request that reached no server', () => {
    const troubles = [{ type: 'outage', fromMs: 0, untilMs: 50_000 }] as const;
    const scenario = asking(limit, {
      bucket: { quotaBucket: { limits: { output: { refillPerSecond: 1, capacity: 100 } } } },
      cost: { output: 100 },
      maxRetries: 0,
      maxWaitMs: 1_000,
    });
    const { series } = simulate({ ...scenario, server: { ...service, troubles } });
    expect(sum(series.sends, 1, 49)).toBeGreaterThan(1_000);
    expect(sum(series.sends, 50, 100)).toBeLessThan(3);
  });

  test('wait for room beside those in flight without looking again and again', () => {
    // Two requests are in flight for ten seconds each, and a third lacks a few tokens, which come in every 0.1 ms.
    const limits = { output: { refillPerSecond: 1e6, capacity: 2_999_900, chargeOn: 'completion' as const } };
    const { events, totals } = simulate({
      ...asking(limit, { bucket: { quotaBucket: { limits } }, cost: { output: 1e6 } }),
      server: { ...service, serviceMs: 10_000 },
    });
    expect(totals.sends).toBeGreaterThan(15);
    expect(events).toBeLessThan(12_000);
  });
});
