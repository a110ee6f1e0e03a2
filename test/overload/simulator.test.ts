import { adaptiveThrottle, type Clock, type PolicyOptions, retryBudget } from '@ebb/core';
import type { FaultScenario } from '@ebb/testing/faults';
import { describe, expect, test } from 'vitest';
import { type FleetPolicy, type Scenario, simulate } from '../../packages/simulator/src/index.ts';
import { answeredPercent } from '../../packages/simulator/src/studies/overload/percent.ts';
import { percent, quantile, run, sendsPerRequest } from './world.ts';

// The simulator runs core's rules without promises. What becomes of a service must be what real clients make of it.

const attemptTimeoutMs = 1_000;
const timeout = { attemptTimeoutMs };

const policies: Readonly<Record<string, readonly [FleetPolicy, (clock: Clock) => PolicyOptions]>> = {
  'a throttle': [{ ...timeout, throttle: {} }, () => ({ ...timeout, throttle: adaptiveThrottle() })],
  'a throttle that fails': [
    { ...timeout, throttle: { whenSkipped: 'fail' } },
    () => ({ ...timeout, throttle: adaptiveThrottle({ whenSkipped: 'fail' }) }),
  ],
  'a throttle and a budget': [
    { ...timeout, throttle: {}, budget: { retryBudget: {} } },
    (clock) => ({ ...timeout, throttle: adaptiveThrottle(), budget: retryBudget({ clock }) }),
  ],
  'a throttle and a total timeout': [
    { ...timeout, throttle: {}, totalTimeoutMs: 10_000 },
    () => ({ ...timeout, throttle: adaptiveThrottle(), totalTimeoutMs: 10_000 }),
  ],
};

const SERVER: FaultScenario = { workers: 5, serviceMs: 20, maxQueue: 500 };
const SEEDS = [1, 2, 3];

const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;

describe.each([
  ['silence', { type: 'outage', answer: 'silence', fromMs: 5_000, untilMs: 10_000 }],
  ['half of the capacity', { type: 'brown-out', capacityShare: 0.5, fromMs: 5_000, untilMs: 15_000 }],
] as const)('%s', (_, trouble) => {
  const server = { ...SERVER, troubles: [trouble] };
  const untilMs = 40_000;

  test.each(Object.entries(policies))(
    '%s: as much is answered as by real clients',
    async (_, [named, made]) => {
      const clients = { count: 4, requestsPerSecond: 225 };
      const scenario: Scenario = { durationMs: untilMs, clients, server, policy: named };
      const ours: number[] = [];
      const theirs: number[] = [];
      const sends: number[] = [];
      for (const seed of SEEDS) {
        const trace = simulate(scenario, { seed });
        const world = { clients: 4, requestsPerSecond: 225, durationMs: untilMs, server, policy: made, seed };
        const real = await run(world);
        ours.push(answeredPercent(trace, trouble.untilMs, untilMs));
        theirs.push(percent(real, trouble.untilMs, untilMs));
        sends.push(trace.amplification / sendsPerRequest(real));
      }
      expect(Math.abs(mean(ours) - mean(theirs)), `${ours} and ${theirs}`).toBeLessThan(4);
      expect(mean(sends)).toBeGreaterThan(0.93);
      expect(mean(sends)).toBeLessThan(1.07);
    },
    60_000,
  );
});

test.each([
  ['hedges', {}],
  ['two hedges', { quantile: 0.94, maxHedges: 2 }],
  ['a fixed delay', { delayMs: 30, share: 0.1 }],
] as const)(
  '%s: as many are sent, and the tail is as long, as with real clients',
  async (_, hedges) => {
    const server = { workers: 60, serviceMs: 10, stragglers: { share: 0.05, factor: 10 } };
    const clients = { count: 1, requestsPerSecond: 500 };
    const { latencyMs, totals } = simulate({ durationMs: 20_000, clients, server, policy: { hedges } });
    const world = {
      clients: 1,
      requestsPerSecond: 500,
      durationMs: 20_000,
      server,
      policy: () => ({}),
      hedges,
    };
    const real = await run(world);
    const more = totals.hedges / totals.requests;
    expect(more).toBeGreaterThan(0.03);
    expect(Math.abs(more - (sendsPerRequest(real) - 1))).toBeLessThan(0.006);
    expect(latencyMs.p99 / quantile(real, 0.99)).toBeGreaterThan(0.85);
    expect(latencyMs.p99 / quantile(real, 0.99)).toBeLessThan(1.15);
  },
  60_000,
);
