import { retryBudget } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { easy, hard, sum } from '../../../test/fleets.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { simulate } from '../simulate.ts';

describe('requests', () => {
  test('of an open fleet arrive at its rate, as a Poisson process', () => {
    const { series } = simulate({ ...easy, durationMs: 1_000_000 });
    const mean = sum(series.requests) / 1_000;
    const variance = series.requests.reduce((total, count) => total + (count - mean) ** 2, 0) / 999;
    expect(mean).toBeGreaterThan(49);
    expect(mean).toBeLessThan(51);
    // The variance of Poisson counts equals their mean.
    expect(variance / mean).toBeGreaterThan(0.85);
    expect(variance / mean).toBeLessThan(1.15);
  });

  test('of an open fleet arrive more often in a surge, and as before after it', () => {
    const surges = [{ fromMs: 20_000, untilMs: 40_000, factor: 3 }];
    const { series } = simulate({ ...easy, clients: { count: 20, requestsPerSecond: 50, surges } });
    const rates = [sum(series.requests, 0, 20), sum(series.requests, 20, 40), sum(series.requests, 40, 60)];
    for (const [at, times] of [1, 3, 1].entries()) {
      expect(rates[at]).toBeGreaterThan(0.85 * times * 1_000);
      expect(rates[at]).toBeLessThan(1.15 * times * 1_000);
    }
  });

  test('of a closed fleet arrive after the previous one has ended', () => {
    const { totals, series } = simulate({
      durationMs: 100_000,
      clients: { count: 10, thinkMs: 900 },
      server: { workers: 10, serviceMs: 100, serviceSpread: 'constant' },
    });
    // Each takes a second on average for thinking and its answer.
    expect(totals.requests / 1_000).toBeGreaterThan(0.9);
    expect(totals.requests / 1_000).toBeLessThan(1.1);
    expect(Math.max(...series.underWay)).toBeLessThanOrEqual(10);
  });

  test('of a closed fleet end after requestsEach', () => {
    const { totals } = simulate({
      durationMs: 100_000,
      clients: { count: 10, thinkMs: 10, requestsEach: 7 },
      server: { workers: 1, serviceMs: 1 },
    });
    expect(totals.requests).toBe(70);
    expect(totals.successes).toBe(70);
  });
});

describe('clients', () => {
  test('retry as often as a backoff rule with its own limit says, unless there is maxRetries', () => {
    const retriesOf = (policy: FleetPolicy): number => {
      const { totals } = simulate({
        durationMs: 100_000,
        clients: { count: 1, requestsPerSecond: 0.1 },
        server: { workers: 1, serviceMs: 1, troubles: [{ type: 'outage', fromMs: 0, untilMs: 1e9 }] },
        policy,
      });
      return totals.sends / totals.failures - 1;
    };
    const backoff = { binaryExponential: { slotMs: 0.001, maxExponent: 1 } };
    expect(retriesOf({ backoff })).toBe(15);
    expect(retriesOf({ backoff, maxRetries: 3 })).toBe(3);
    expect(retriesOf({ backoff: { connectRetry: { maxSleepMs: 4_000 } } })).toBe(2);
    expect(retriesOf({ backoff: { constant: 1 } })).toBe(5);
  });

  test('start no attempt after totalTimeoutMs', () => {
    const { latencyMs } = simulate({
      ...hard,
      policy: { attemptTimeoutMs: 300, totalTimeoutMs: 2_000, maxRetries: 100, backoff: { constant: 100 } },
    });
    expect(latencyMs.max).toBeLessThanOrEqual(2_300);
  });

  test('retry no more than their budgets allow', () => {
    const ratio = 0.1;
    const { totals } = simulate({
      ...hard,
      policy: { attemptTimeoutMs: 300, budget: { retryBudget: { ratio, reserve: 0 } } },
    });
    expect(totals.sends - totals.requests).toBeGreaterThan(0);
    expect(totals.sends - totals.requests).toBeLessThanOrEqual(ratio * totals.successes);
  });

  test('have the same budgets from options and from a function', () => {
    const named = { ...hard, policy: { attemptTimeoutMs: 300, budget: { retryBudget: { ratio: 0.1 } } } };
    const made = {
      ...hard,
      policy: { attemptTimeoutMs: 300, budget: ({ clock }) => retryBudget({ ratio: 0.1, clock }) },
    } satisfies Scenario;
    expect(simulate(made)).toEqual(simulate(named));
  });

  test('wait longer when the network does', () => {
    const slow = simulate({ ...easy, network: { meanMs: 50, deviationMs: 5 } });
    const fast = simulate(easy);
    expect(slow.latencyMs.mean - fast.latencyMs.mean).toBeGreaterThan(95);
    expect(slow.latencyMs.mean - fast.latencyMs.mean).toBeLessThan(105);
  });

  test('count an answer after their timeout as late, not as a success', () => {
    const { totals } = simulate({
      ...easy,
      server: { workers: 10, serviceMs: 100, serviceSpread: 'constant' },
      policy: { attemptTimeoutMs: 50, maxRetries: 0 },
    });
    expect(totals.successes).toBe(0);
    expect(totals.timeouts).toBe(totals.failures);
    expect(totals.lateAnswers).toBeGreaterThan(0.9 * totals.requests);
  });

  test('that let no time pass end with an error', () => {
    const standing: Scenario = {
      durationMs: 1_000,
      clients: { count: 1, requestsPerSecond: 10 },
      server: { workers: 1, serviceMs: 1, troubles: [{ type: 'outage', fromMs: 0, untilMs: 1_000 }] },
      policy: { maxRetries: Number.MAX_SAFE_INTEGER, backoff: { constant: 0 } },
    };
    expect(() => simulate(standing)).toThrow(/lets no time pass/);
  });
});
