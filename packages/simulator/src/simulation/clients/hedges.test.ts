import { describe, expect, test } from 'vitest';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { simulate } from '../simulate.ts';

/** One request in twenty takes ten times as long. */
const slowTail: Scenario = {
  durationMs: 60_000,
  clients: { count: 2, requestsPerSecond: 500 },
  server: { workers: 200, serviceMs: 10, stragglers: { share: 0.05, factor: 10 } },
};

const run = (policy: FleetPolicy, scenario: Partial<Scenario> = {}, seed = 1) =>
  simulate({ ...slowTail, ...scenario, policy }, { seed });

describe('hedges', () => {
  test('cut the tail, and one request in twenty is hedged', () => {
    const [without, hedged] = [run({}), run({ hedges: {} })];
    expect(hedged.latencyMs.p99).toBeLessThan(0.5 * without.latencyMs.p99);
    expect(hedged.totals.hedges / hedged.totals.requests).toBeGreaterThan(0.04);
    expect(hedged.totals.hedges / hedged.totals.requests).toBeLessThan(0.06);
    expect(hedged.totals.sends).toBe(hedged.totals.requests + hedged.totals.hedges);
    expect(without.totals.hedges).toBe(0);
  });

  test('the loser is answered late, and counts once', () => {
    const { totals, series } = run({ hedges: { delayMs: 20, share: 1 } });
    // But for those that are still being served at the end.
    expect(totals.hedges - totals.lateAnswers).toBeLessThan(50);
    expect(totals.requests).toBe(totals.successes + totals.failures + (series.underWay.at(-1) ?? 0));
    expect(totals.failures).toBe(0);
  });

  test('one after the other, up to maxHedges', () => {
    const more = (maxHedges: number): number => {
      const server = { workers: 2_000, serviceMs: 1_000, serviceSpread: 'constant' } as const;
      const hedges = { delayMs: 10, share: 10, maxHedges };
      const { totals } = run({ hedges }, { server, clients: { count: 1, requestsPerSecond: 10 } });
      return totals.hedges / totals.requests;
    };
    expect(more(1)).toBeCloseTo(1, 2);
    expect(more(3)).toBeCloseTo(3, 2);
  });

  test.each([0.01, 0.05])('that do not win are no more than share %d pays for', (share) => {
    // All take equally long, so a hedge never wins.
    const server = { workers: 1_000, serviceMs: 100, serviceSpread: 'constant' } as const;
    const { totals } = run({ hedges: { delayMs: 50, share } }, { server });
    const paid = share * totals.requests;
    // Each of the two clients begins with one, and saves up to ten.
    expect(totals.hedges).toBeLessThanOrEqual(paid + 2);
    expect(totals.hedges).toBeGreaterThan(paid - 22);
  });

  test('take a retry of the budget', () => {
    const withBudget = (reserve: number, ratio: number): number =>
      run({ hedges: { delayMs: 20, share: 1 }, budget: { retryBudget: { ratio, reserve } } }).totals.hedges;
    expect(withBudget(0, 0)).toBe(0);
    const { requests } = run({}).totals;
    expect(withBudget(3, 0.01) / requests).toBeCloseTo(0.01, 2);
  });

  test('are not sent while the throttle is not closed', () => {
    const errors = { type: 'outage', answer: 'unavailable', fromMs: 10_000, untilMs: 60_000 } as const;
    const server = { ...slowTail.server, troubles: [errors] };
    // They are retries: the throttle's reserve pays for them as well.
    const policy = { hedges: { delayMs: 0, share: 1 }, throttle: {}, attemptTimeoutMs: 1_000 };
    const { series } = run(policy, { server, network: { meanMs: 5 } });
    const count = (from: number, until: number): number =>
      series.hedges.subarray(from, until).reduce((sum, one) => sum + one, 0);
    expect(count(0, 10)).toBeGreaterThan(500);
    expect(count(15, 60)).toBe(0);
  });

  test('an attempt all of whose tries fail ends as the first, and is retried', () => {
    const troubles = [{ type: 'errors', share: 1, fromMs: 0, untilMs: 60_000 }] as const;
    const policy = { hedges: { delayMs: 1, share: 1 }, maxRetries: 1 };
    const { totals } = run(policy, { server: { ...slowTail.server, troubles } });
    expect(totals.successes).toBe(0);
    expect(totals.hedges).toBeGreaterThan(totals.requests);
    // An attempt has one outcome, however many sends it has.
    const attempts = totals.sends - totals.hedges;
    expect(Math.abs(totals.unavailable - attempts)).toBeLessThan(500);
  });

  test('of an attempt end with its timeout', () => {
    const server = { workers: 2_000, serviceMs: 1_000, serviceSpread: 'constant' } as const;
    const { totals } = run(
      { hedges: { delayMs: 10, share: 1 }, attemptTimeoutMs: 500, maxRetries: 0 },
      { server },
    );
    expect(totals.successes).toBe(0);
    expect(totals.timeouts).toBe(totals.failures);
    expect(totals.lateAnswers).toBeGreaterThan(1.9 * totals.failures);
  });

  test('save a request whose first try fails after its hedge was sent', () => {
    const troubles = [{ type: 'errors', share: 0.5, fromMs: 0, untilMs: 60_000 }] as const;
    const failed = (policy: FleetPolicy): number =>
      run({ ...policy, maxRetries: 0 }, { server: { ...slowTail.server, troubles } }).totals.failures;
    expect(failed({ hedges: { delayMs: 0, share: 1 } }) / failed({})).toBeCloseTo(0.5, 1);
  });
});
