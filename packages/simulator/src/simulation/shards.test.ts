import { describe, expect, test } from 'vitest';
import type { ServerOptions } from '../scenario/server-options.ts';
import { simulate } from './simulate.ts';

const TEN = { shards: 10, workers: 5, serviceMs: 20, maxQueue: 500 } as const;

function traceOf(server: ServerOptions, requestsPerSecond = 1_000) {
  return simulate({
    durationMs: 40_000,
    clients: { count: 20, requestsPerSecond },
    server,
    policy: { maxRetries: 2, attemptTimeoutMs: 1_000 },
  });
}

describe('shards', () => {
  test('each have a tenth of the requests', () => {
    const { shards, totals } = traceOf(TEN);
    expect(shards).toHaveLength(10);
    for (const { requests } of shards) {
      expect(requests / totals.requests).toBeGreaterThan(0.09);
      expect(requests / totals.requests).toBeLessThan(0.11);
    }
    const sum = (of: 'requests' | 'successes'): number => shards.reduce((all, shard) => all + shard[of], 0);
    expect(sum('requests')).toBe(totals.requests);
    expect(sum('successes')).toBe(totals.successes);
  });

  test('have the shares of the requests that they are given', () => {
    const { shards, totals } = traceOf({ ...TEN, shards: 3, shardShares: [7, 2, 1] });
    const shares = shards.map(({ requests }) => requests / totals.requests);
    expect(shares).toEqual([expect.closeTo(0.7, 1), expect.closeTo(0.2, 1), expect.closeTo(0.1, 1)]);
  });

  test('each have their own workers and queue: they wait as ten services do, not as one large', () => {
    const one = { ...TEN, shards: 1, workers: 50, maxQueue: 5_000 };
    expect(traceOf(one, 2_250).shards).toEqual([]);
    const [small, large] = [traceOf(TEN, 2_250), traceOf(one, 2_250)];
    expect(small.latencyMs.mean - 20).toBeGreaterThan(3 * (large.latencyMs.mean - 20));
  });

  test('of one is the service without shards', () => {
    const { shards: _, ...server } = TEN;
    expect(traceOf({ ...server, shards: 1 }, 200)).toEqual(traceOf(server, 200));
  });

  test.each([
    ['outage', { type: 'outage' }],
    ['errors', { type: 'errors', share: 1 }],
    ['brown-out', { type: 'brown-out', capacityShare: 0 }],
  ] as const)(
    'a trouble of one, %s: its requests and their retries fail, the others do not notice',
    (_, trouble) => {
      const troubles = [{ ...trouble, shard: 3, fromMs: 0, untilMs: 40_000 }];
      const { shards } = traceOf({ ...TEN, troubles });
      for (const [at, { successes, failures, requests }] of shards.entries()) {
        if (at !== 3) expect(failures).toBe(0);
        if (at !== 3) expect(successes / requests).toBeGreaterThan(0.99);
        // A retry goes to the shard of its request.
        else expect(successes).toBe(0);
      }
    },
  );

  test('as many as there can be lose what they are working on, again and again', () => {
    // Outages in the middle of the work of a request: more of them than an event has numbers for.
    const troubles = Array.from({ length: 40 }, (_, at) => {
      const fromMs = 100 + at * 500;
      return { type: 'outage' as const, answer: 'silence' as const, fromMs, untilMs: fromMs + 10 };
    });
    const { shards } = simulate({
      durationMs: 20_000,
      clients: { count: 20, requestsPerSecond: 640 },
      server: { shards: 32, workers: 100, serviceMs: 700, serviceSpread: 'constant', troubles },
      policy: { maxRetries: 0 },
    });
    // There are 500 ms between two outages, and each request needs 700.
    for (const { successes } of shards) expect(successes).toBe(0);
  });

  test('count several units each', () => {
    const rate = { refillPerSecond: 10, capacity: 10 };
    const limit = { limits: { output: rate }, spends: { output: { mean: 1, spread: 'constant' as const } } };
    const { totals } = traceOf({ ...TEN, limit }, 1_000);
    expect(totals.successes).toBeGreaterThan(0.95 * 10 * (10 + 10 * 40));
    expect(totals.successes).toBeLessThanOrEqual(10 * (10 + 10 * 40));
  });
});

describe('a server', () => {
  test.each([
    ['unavailable', 'unavailable', 'answered429'],
    ['too-many', 'answered429', 'unavailable'],
  ] as const)('whose queue is full answers %s', (queueFull, counted, other) => {
    const server = { workers: 10, serviceMs: 100, maxQueue: 5, queueFull };
    const { totals, series } = traceOf(server, 200);
    expect(Math.max(...series.queue)).toBeLessThanOrEqual(5);
    expect(totals[counted]).toBeGreaterThan(1_000);
    expect(totals[other]).toBe(0);
  });

  test('takes far longer for stragglers', () => {
    const service = { workers: 1_000, serviceMs: 10, serviceSpread: 'constant' } as const;
    const { latencyMs } = traceOf({ ...service, stragglers: { share: 0.05, factor: 20 } });
    expect(latencyMs.p90).toBeCloseTo(10, 0);
    expect(latencyMs.p99 / 200).toBeCloseTo(1, 1);
    expect(latencyMs.mean / (10 * (1 + 0.05 * 19))).toBeCloseTo(1, 1);
  });
});
