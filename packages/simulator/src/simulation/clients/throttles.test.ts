import { adaptiveThrottle } from '@ebb/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { easy, hard, sum } from '../../../test/fleets.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { simulate } from '../simulate.ts';

const run = (policy: FleetPolicy, scenario: Scenario = hard) =>
  simulate({ ...scenario, policy: { attemptTimeoutMs: 1_000, ...policy } });

const DOWN: Scenario = {
  ...easy,
  server: { ...easy.server, troubles: [{ type: 'outage', fromMs: 10_000, untilMs: 100_000 }] },
};

describe('throttles', () => {
  test('send three tenths to a service that is down for long', () => {
    const { series } = run({ throttle: {}, maxRetries: 0 }, DOWN);
    const share = sum(series.sends, 40, 100) / sum(series.requests, 40, 100);
    expect(share).toBeGreaterThan(0.28);
    expect(share).toBeLessThan(0.32);
  });

  test('end a request at its first skipped attempt with whenSkipped: fail', () => {
    const { totals, series } = run({ throttle: { whenSkipped: 'fail' } }, DOWN);
    // One that is skipped ends, as refused by its client or, if it was sent before, as failed.
    expect(totals.skipped).toBeLessThanOrEqual(totals.notSent + totals.failures);
    expect(totals.notSent).toBeGreaterThan(0.9 * totals.skipped - totals.failures);
    expect(series.underWay.at(-1)).toBeLessThan(30);
  });

  test('with a level for each path leave the healthy shard alone, if the shards have paths', () => {
    const dead = { type: 'outage', answer: 'unavailable', shard: 1, fromMs: 0, untilMs: 100_000 } as const;
    const lost = (paths: number | 'shards'): number => {
      const clients = { count: 20, requestsPerSecond: 50, paths };
      const { shards } = simulate({
        ...easy,
        clients,
        server: { ...easy.server, shards: 2, troubles: [dead] },
        policy: { attemptTimeoutMs: 1_000, throttle: {} },
      });
      return shards[0]?.failures ?? Number.NaN;
    };
    expect(lost('shards')).toBe(0);
    expect(lost(1)).toBeGreaterThan(50);
    // Each path has both shards.
    expect(lost(2)).toBeGreaterThan(50);
  });

  test('send what cannot wait, while answers are prompt', () => {
    const brown = {
      ...easy,
      server: {
        ...easy.server,
        troubles: [{ type: 'errors', share: 0.6, fromMs: 0, untilMs: 100_000 } as const],
      },
    };
    const short = run({ throttle: {}, totalTimeoutMs: 900, maxRetries: 1 }, brown);
    const failing = run({ throttle: { whenSkipped: 'fail' }, totalTimeoutMs: 900, maxRetries: 1 }, brown);
    expect(short.totals.notSent).toBeLessThan(0.85 * failing.totals.notSent);
    expect(short.totals.notSent).toBeGreaterThan(0);
  });

  test('let a request have six sends and skips together, also if its policy has fewer retries', () => {
    const dead = { type: 'outage', answer: 'unavailable', fromMs: 0, untilMs: 100_000 } as const;
    // Requests begin in the first 20 s, and all have ended at the end.
    const surges = [{ fromMs: 20_000, untilMs: 100_000, factor: 1e-9 }];
    const world: Scenario = {
      ...easy,
      clients: { count: 1, requestsPerSecond: 1, surges },
      server: { ...easy.server, troubles: [dead] },
    };
    for (const maxRetries of [2, 5]) {
      const { totals } = run({ throttle: {}, maxRetries }, world);
      expect(totals.skipped).toBeGreaterThan(10);
      expect(totals.failures + totals.notSent).toBe(totals.requests);
      expect(totals.sends + totals.skipped, `${maxRetries} retries`).toBe(6 * totals.requests);
    }
  });

  test('leave retries to a budget, if there is one', () => {
    const retries = ({ totals: { sends, requests } }: ReturnType<typeof run>): number => sends - requests;
    const errors = { type: 'errors', share: 0.1, fromMs: 0, untilMs: 100_000 } as const;
    const scenario = { ...easy, server: { ...easy.server, troubles: [errors] } };
    const own = retries(run({ throttle: {} }, scenario));
    expect(own).toBeGreaterThan(300);
    const none = { retryBudget: { ratio: 0, reserve: 0 } };
    expect(retries(run({ throttle: {}, budget: none }, scenario))).toBeLessThanOrEqual(0);
  });

  test('of a client that is a function are not simulated: the error says so', () => {
    const policy = () => ({ policy: { throttle: adaptiveThrottle() } });
    expect(() => simulate({ ...easy, policy })).toThrow(
      /^policy\.throttle is simulated in a policy of options/,
    );
  });

  test('whatever the world: each request is accounted for, and no more is sent than retries allow', () => {
    const world = fc.record({
      load: fc.double({ min: 0.2, max: 1.5, noNaN: true }),
      queue: fc.integer({ min: 0, max: 500 }),
      shards: fc.integer({ min: 1, max: 4 }),
      maxRetries: fc.integer({ min: 0, max: 4 }),
      clients: fc.integer({ min: 1, max: 200 }),
      answer: fc.constantFrom('refused', 'unavailable', 'silence'),
      queueFull: fc.constantFrom('unavailable', 'too-many'),
      whenSkipped: fc.constantFrom('wait', 'fail'),
      hedges: fc.option(fc.constant({ maxHedges: 2, quantile: 0.8 }), { nil: undefined }),
      budget: fc.option(fc.constant({ retryBudget: {} }), { nil: undefined }),
      totalTimeoutMs: fc.option(fc.integer({ min: 500, max: 10_000 }), { nil: undefined }),
      network: fc.option(fc.constant({ meanMs: 5, deviationMs: 5 }), { nil: undefined }),
      seed: fc.integer({ min: 1, max: 1_000 }),
    } as const);
    fc.assert(
      fc.property(
        world,
        ({ load, queue, shards, clients, answer, queueFull, whenSkipped, network, seed, ...policy }) => {
          const trace = simulate(
            {
              durationMs: 15_000,
              clients: { count: clients, requestsPerSecond: load * 100 * shards },
              network,
              server: {
                ...{ shards, workers: 2, serviceMs: 20, maxQueue: queue, queueFull },
                troubles: [{ type: 'outage', answer, fromMs: 5_000, untilMs: 8_000, shard: 0 }],
              },
              policy: { ...policy, attemptTimeoutMs: 500, throttle: { whenSkipped } },
            },
            { seed },
          );
          const { totals, series } = trace;
          const ended = totals.successes + totals.failures + totals.notSent;
          expect(totals.requests).toBe(ended + (series.underWay.at(-1) ?? 0));
          expect(totals.sends - totals.hedges).toBeLessThanOrEqual((policy.maxRetries + 1) * totals.requests);
          // A skipped attempt counts as no retry, and a request is put off five times at most, and not at all without retries.
          const most = policy.maxRetries === 0 || whenSkipped === 'fail' ? 1 : 6;
          expect(totals.skipped).toBeLessThanOrEqual(most * totals.requests);
          const shardsEnded = trace.shards.reduce((all, shard) => all + shard.successes + shard.failures, 0);
          expect(shardsEnded).toBe(shards === 1 ? 0 : ended);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
