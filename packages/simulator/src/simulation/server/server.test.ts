import { describe, expect, test } from 'vitest';
import { easy, sum } from '../../../test/fleets.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { simulate } from '../simulate.ts';

describe('the server', () => {
  test('makes requests wait as long as queueing theory says: M/M/1', () => {
    // M/M/1 at 80 %: a mean of 1 / (100 − 80) s from the request to its answer.
    const { latencyMs } = simulate({
      durationMs: 4_000_000,
      clients: { count: 1, requestsPerSecond: 80 },
      server: { workers: 1, serviceMs: 10 },
      policy: { maxRetries: 0 },
    });
    expect(latencyMs.mean).toBeGreaterThan(47);
    expect(latencyMs.mean).toBeLessThan(53);
    // Exponentially distributed: the median is ln 2 of the mean, and so on.
    expect(latencyMs.p50 / latencyMs.mean).toBeCloseTo(Math.LN2, 1);
    expect(latencyMs.p99 / latencyMs.mean).toBeGreaterThan(4.3);
    expect(latencyMs.p99 / latencyMs.mean).toBeLessThan(4.9);
  });

  test('makes requests wait half as long with a constant service time: M/D/1', () => {
    const waitOf = (serviceSpread: 'constant' | 'exponential'): number =>
      simulate({
        durationMs: 2_000_000,
        clients: { count: 1, requestsPerSecond: 80 },
        server: { workers: 1, serviceMs: 10, serviceSpread },
      }).latencyMs.mean - 10;
    expect(waitOf('constant') / waitOf('exponential')).toBeGreaterThan(0.45);
    expect(waitOf('constant') / waitOf('exponential')).toBeLessThan(0.55);
  });

  test('serves log-normal times with the given mean and a long tail', () => {
    const { latencyMs } = simulate({
      durationMs: 2_000_000,
      clients: { count: 1, requestsPerSecond: 20 },
      server: { workers: 1_000, serviceMs: 10, serviceSpread: 'log-normal' },
    });
    expect(latencyMs.mean).toBeGreaterThan(9.6);
    expect(latencyMs.mean).toBeLessThan(10.4);
    expect(latencyMs.p50).toBeLessThan(6.5);
    expect(latencyMs.p99).toBeGreaterThan(55);
  });

  test('serves Pareto times: half below 0.53 of the mean, one in a hundred above seven times the mean', () => {
    const { latencyMs } = simulate({
      durationMs: 2_000_000,
      clients: { count: 1, requestsPerSecond: 20 },
      server: { workers: 1_000, serviceMs: 10, serviceSpread: 'pareto' },
    });
    expect(latencyMs.mean).toBeGreaterThan(8);
    expect(latencyMs.mean).toBeLessThan(12);
    expect(latencyMs.p50).toBeCloseTo(5.3, 0);
    expect(latencyMs.p99).toBeGreaterThan(65);
    expect(latencyMs.max).toBeGreaterThan(1_500);
  });

  test('with a limit serves capacity + rate · time, and answers the rest with 429 and Retry-After', () => {
    const policy = { maxRetries: 1_000 };
    const { series, totals } = simulate({
      durationMs: 60_000,
      clients: { count: 50, requestsPerSecond: 60 },
      server: { workers: 100, serviceMs: 1, limit: { refillPerSecond: 50, capacity: 20 } },
      policy,
    });
    for (const served of series.successes) expect(served).toBeLessThanOrEqual(20 + 50 + 5);
    expect(totals.answered429).toBeGreaterThan(0);
    expect(totals.failures).toBe(0);
  });

  test('without Retry-After gets retries sooner', () => {
    const sends = (retryAfter: boolean): number =>
      simulate({
        durationMs: 60_000,
        clients: { count: 50, requestsPerSecond: 100 },
        server: {
          workers: 100,
          serviceMs: 1,
          limit: { refillPerSecond: 50, capacity: 20, retryAfter },
        },
        policy: { maxRetries: 100, backoff: { constant: 10 } },
      }).totals.answered429;
    expect(sends(false)).toBeGreaterThan(3 * sends(true));
  });
});

describe('trouble', () => {
  const trouble = { fromMs: 20_000, untilMs: 40_000 } as const;

  function during(troubles: Scenario['server']['troubles'], policy: FleetPolicy = { maxRetries: 0 }) {
    return simulate({ ...easy, durationMs: 60_000, server: { ...easy.server, troubles }, policy });
  }

  test('an outage refuses all requests at once, until it ends', () => {
    const { series, totals } = during([{ type: 'outage', ...trouble }]);
    expect(sum(series.successes, 20, 40)).toBe(0);
    expect(sum(series.refused, 20, 40)).toBeGreaterThan(900);
    expect(sum(series.successes, 42, 60)).toBeGreaterThan(0.9 * sum(series.requests, 42, 60));
    expect(totals.failures).toBe(totals.refused);
  });

  test('an outage may answer 503, or not at all', () => {
    const unavailable = during([{ type: 'outage', ...trouble, answer: 'unavailable' }]);
    expect(sum(unavailable.series.unavailable, 20, 40)).toBeGreaterThan(900);
    const silence = during([{ type: 'outage', ...trouble, answer: 'silence' }], {
      maxRetries: 0,
      attemptTimeoutMs: 1_000,
    });
    expect(sum(silence.series.timeouts, 21, 40)).toBeGreaterThan(850);
    expect(silence.totals.refused).toBe(0);
  });

  test('an outage loses the requests that are being served', () => {
    const slow = { workers: 50, serviceMs: 1_000, serviceSpread: 'constant' as const };
    const { series } = simulate({
      durationMs: 40_000,
      clients: { count: 10, requestsPerSecond: 20 },
      server: { ...slow, troubles: [{ type: 'outage', fromMs: 20_000, untilMs: 30_000 }] },
      policy: { maxRetries: 0 },
    });
    expect(sum(series.successes, 0, 20)).toBeGreaterThan(330);
    expect(sum(series.successes, 20, 30)).toBe(0);
    expect(sum(series.refused, 0, 40)).toBeGreaterThan(sum(series.requests, 20, 30));
  });

  test('a brown-out halves what is served', () => {
    const { series } = simulate({
      ...easy,
      clients: { count: 20, requestsPerSecond: 90 },
      server: {
        ...easy.server,
        maxQueue: 10,
        troubles: [{ type: 'brown-out', ...trouble, capacityShare: 0.5 }],
      },
      policy: { maxRetries: 0 },
    });
    expect(sum(series.successes, 21, 40) / 19).toBeGreaterThan(46);
    expect(sum(series.successes, 21, 40) / 19).toBeLessThan(54);
  });

  test('a slow start serves more requests from step to step', () => {
    const { series } = simulate({
      ...easy,
      clients: { count: 20, requestsPerSecond: 200 },
      server: {
        ...easy.server,
        maxQueue: 10,
        troubles: [{ type: 'slow-start', ...trouble, capacityShare: 0.1 }],
      },
      policy: { maxRetries: 0 },
    });
    const quarters = [20, 25, 30, 35].map((from) => sum(series.successes, from, from + 5) / 5);
    expect(quarters).toEqual(quarters.toSorted((a, b) => a - b));
    expect(quarters[0]).toBeLessThan(40);
    expect(quarters[3]).toBeGreaterThan(75);
  });

  test('errors fail their share of the requests, and one retry saves most of those', () => {
    const errors = [{ type: 'errors', ...trouble, share: 0.3 }] as const;
    const { series } = during(errors);
    const share = sum(series.failures, 20, 40) / sum(series.requests, 20, 40);
    expect(share).toBeGreaterThan(0.26);
    expect(share).toBeLessThan(0.34);
    const retried = during(errors, { maxRetries: 1, backoff: { constant: 10 } });
    const left = sum(retried.series.failures, 20, 40) / sum(retried.series.requests, 20, 40);
    expect(left).toBeGreaterThan(0.06);
    expect(left).toBeLessThan(0.12);
  });
});
