import { retryBudget } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { ScenarioError } from '../scenario/check.ts';
import type { FleetPolicy } from '../scenario/fleet-policy.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { simulate } from './simulate.ts';

/** A fleet that a server has no trouble with: half of its capacity of 100 a second. */
const easy: Scenario = {
  durationMs: 100_000,
  clients: { count: 20, requestsPerSecond: 50 },
  server: { workers: 10, serviceMs: 100 },
};

/** Half of the capacity is gone for ten seconds, and the queue is longer than clients wait. */
const hard: Scenario = {
  durationMs: 60_000,
  clients: { count: 100, requestsPerSecond: 450 },
  server: {
    workers: 10,
    serviceMs: 20,
    maxQueue: 1_000,
    troubles: [{ type: 'brown-out', fromMs: 10_000, untilMs: 20_000, capacityShare: 0.5 }],
  },
  policy: { attemptTimeoutMs: 1_000 },
};

function sum(counts: Float64Array, fromS = 0, untilS = counts.length): number {
  return counts.subarray(fromS, untilS).reduce((total, count) => total + count, 0);
}

describe('a run', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(simulate(hard, { seed: 3 })).toEqual(simulate(hard, { seed: 3 }));
    expect(simulate(hard, { seed: 3 }).totals).not.toEqual(simulate(hard, { seed: 4 }).totals);
  });

  test('brings every policy the same requests', () => {
    const requests = (policy: FleetPolicy): Float64Array => simulate({ ...hard, policy }).series.requests;
    expect(requests({ maxRetries: 0 })).toEqual(requests({ backoff: { constant: 0 } }));
  });

  test('accounts for every request: answered, failed, turned away, or under way at the end', () => {
    for (const policy of [
      { maxRetries: 0 },
      { attemptTimeoutMs: 500 },
      { attemptTimeoutMs: 500, bucket: { tokenBucket: { refillPerSecond: 4, maxWaitMs: 2_000 } } },
    ] satisfies FleetPolicy[]) {
      const { totals, series } = simulate({ ...hard, policy });
      const over = totals.successes + totals.failures + totals.throttledLocally;
      expect(totals.requests).toBe(over + (series.underWay.at(-1) ?? 0));
    }
  });

  test('is plain data, which a worker can send', () => {
    const trace = simulate(hard);
    expect(structuredClone(trace)).toEqual(trace);
  });

  test('tells how much is done, up to all of it', () => {
    const shares: number[] = [];
    simulate({ ...easy, durationMs: 2_000_000 }, { onProgress: (share) => shares.push(share) });
    expect(shares.length).toBeGreaterThan(1);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  test('counts the last interval too when it is a short one', () => {
    const trace = simulate({ ...easy, durationMs: 2_500 });
    expect(trace.series.requests).toHaveLength(3);
    expect(trace.series.requests[2]).toBeGreaterThan(0);
  });

  test('refuses a scenario that is none, by the path of the field', () => {
    const wrong = { ...easy, server: { workers: 0, serviceMs: 100 } };
    expect(() => simulate(wrong)).toThrow(ScenarioError);
    expect(() => simulate(wrong)).toThrow('server.workers must be a whole number ≥ 1, got 0');
  });

  test.each([
    [{ refillPerSecond: 2e9, capacity: 1 }, 'refillPerSecond must be a number > 0 and ≤ 1000000000'],
    [{ refillPerSecond: 1, capacity: 2e9 }, 'capacity must be a number > 0 and ≤ 1000000000'],
  ])('takes no quota of a server that cannot be told exactly: %j', (limit, message) => {
    const wrong = { ...easy, server: { workers: 1, serviceMs: 100, limit } };
    expect(() => simulate(wrong)).toThrow(`server.limit.${message}`);
  });
});

describe('requests', () => {
  test('of an open fleet come at its rate, at random', () => {
    const { series } = simulate({ ...easy, durationMs: 1_000_000 });
    const mean = sum(series.requests) / 1_000;
    const variance = series.requests.reduce((total, count) => total + (count - mean) ** 2, 0) / 999;
    expect(mean).toBeGreaterThan(49);
    expect(mean).toBeLessThan(51);
    // The counts of a Poisson process have the variance of their mean.
    expect(variance / mean).toBeGreaterThan(0.85);
    expect(variance / mean).toBeLessThan(1.15);
  });

  test('of a closed fleet come when the one before is over', () => {
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

  test('of a closed fleet can be limited', () => {
    const { totals } = simulate({
      durationMs: 100_000,
      clients: { count: 10, thinkMs: 10, requestsEach: 7 },
      server: { workers: 1, serviceMs: 1 },
    });
    expect(totals.requests).toBe(70);
    expect(totals.successes).toBe(70);
  });
});

describe('the server', () => {
  test('makes requests wait as long as the theory of queues says', () => {
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

  test('takes half as long with constant service: M/D/1', () => {
    const waitOf = (serviceSpread: 'constant' | 'exponential'): number =>
      simulate({
        durationMs: 2_000_000,
        clients: { count: 1, requestsPerSecond: 80 },
        server: { workers: 1, serviceMs: 10, serviceSpread },
      }).latencyMs.mean - 10;
    expect(waitOf('constant') / waitOf('exponential')).toBeGreaterThan(0.45);
    expect(waitOf('constant') / waitOf('exponential')).toBeLessThan(0.55);
  });

  test('log-normal times have the mean that was asked for, and a tail', () => {
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

  test('answers 503 when its queue is full', () => {
    const { totals, series } = simulate({
      ...easy,
      clients: { count: 20, requestsPerSecond: 200 },
      server: { workers: 10, serviceMs: 100, maxQueue: 5 },
      policy: { maxRetries: 0 },
    });
    expect(Math.max(...series.queue)).toBeLessThanOrEqual(5);
    expect(totals.unavailable).toBe(totals.failures);
    expect(totals.successes / 100).toBeGreaterThan(95);
    expect(totals.successes / 100).toBeLessThan(102);
  });

  test('behind a bucket lets capacity + rate · time through, and answers 429 with Retry-After', () => {
    const policy = { maxRetries: 1_000 };
    const { series, totals } = simulate({
      durationMs: 60_000,
      clients: { count: 50, requestsPerSecond: 60 },
      server: { workers: 100, serviceMs: 1, limit: { refillPerSecond: 50, capacity: 20 } },
      policy,
    });
    for (const served of series.successes) expect(served).toBeLessThanOrEqual(20 + 50 + 5);
    expect(totals.throttled429).toBeGreaterThan(0);
    expect(totals.failures).toBe(0);
  });

  test('that says no Retry-After is asked again sooner', () => {
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
      }).totals.throttled429;
    expect(sends(false)).toBeGreaterThan(3 * sends(true));
  });
});

describe('trouble', () => {
  const trouble = { fromMs: 20_000, untilMs: 40_000 } as const;

  function during(troubles: Scenario['server']['troubles'], policy: FleetPolicy = { maxRetries: 0 }) {
    return simulate({ ...easy, durationMs: 60_000, server: { ...easy.server, troubles }, policy });
  }

  test('an outage serves nobody, refuses at once, and ends', () => {
    const { series, totals } = during([{ type: 'outage', ...trouble }]);
    expect(sum(series.successes, 20, 40)).toBe(0);
    expect(sum(series.refused, 20, 40)).toBeGreaterThan(900);
    expect(sum(series.successes, 42, 60)).toBeGreaterThan(0.9 * sum(series.requests, 42, 60));
    expect(totals.failures).toBe(totals.refused);
  });

  test('an outage may answer 503, or nothing at all', () => {
    const unavailable = during([{ type: 'outage', ...trouble, answer: 'unavailable' }]);
    expect(sum(unavailable.series.unavailable, 20, 40)).toBeGreaterThan(900);
    const silence = during([{ type: 'outage', ...trouble, answer: 'silence' }], {
      maxRetries: 0,
      attemptTimeoutMs: 1_000,
    });
    expect(sum(silence.series.timeouts, 21, 40)).toBeGreaterThan(850);
    expect(silence.totals.refused).toBe(0);
  });

  test('what the server had in its hands is lost with an outage', () => {
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

  test('a slow start serves more and more', () => {
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

  test('errors fail their share, and one retry takes most of them back', () => {
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

describe('clients', () => {
  test('send as often as a backoff rule that ends by itself says, unless maxRetries says otherwise', () => {
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

  test('send at most maxRetries more than there are requests', () => {
    const { totals } = simulate({ ...hard, policy: { attemptTimeoutMs: 300, maxRetries: 2 } });
    expect(totals.sends).toBeGreaterThan(totals.requests);
    expect(totals.sends).toBeLessThanOrEqual(3 * totals.requests);
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

  test('have budgets of their own, from options or from a function alike', () => {
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

  test('count an answer that comes after their timeout as late, and as no success', () => {
    const { totals } = simulate({
      ...easy,
      server: { workers: 10, serviceMs: 100, serviceSpread: 'constant' },
      policy: { attemptTimeoutMs: 50, maxRetries: 0 },
    });
    expect(totals.successes).toBe(0);
    expect(totals.timeouts).toBe(totals.failures);
    expect(totals.lateAnswers).toBeGreaterThan(0.9 * totals.requests);
  });

  test('that would never let time pass are told so', () => {
    const standing: Scenario = {
      durationMs: 1_000,
      clients: { count: 1, requestsPerSecond: 10 },
      server: { workers: 1, serviceMs: 1, troubles: [{ type: 'outage', fromMs: 0, untilMs: 1_000 }] },
      policy: { maxRetries: Number.MAX_SAFE_INTEGER, backoff: { constant: 0 } },
    };
    expect(() => simulate(standing)).toThrow(/lets no time pass/);
  });
});

describe('client buckets', () => {
  const rate = { refillPerSecond: 2, capacity: 3 };
  const fleet: Scenario = {
    durationMs: 100_000,
    clients: { count: 10, requestsPerSecond: 40 },
    server: { workers: 1_000, serviceMs: 1 },
  };

  test.each([
    ['that ignore feedback', { ...rate, feedback: false }],
    ['of core itself', rate],
  ] as const)('%s let capacity + rate · time go, in any window', (_, options) => {
    const { series, totals, tokenWaitMs } = simulate({
      ...fleet,
      policy: { bucket: { tokenBucket: options } },
    });
    expect(totals.sends).toBeLessThanOrEqual(10 * (3 + 2 * 100));
    expect(totals.sends).toBeGreaterThan(10 * 2 * 100 * 0.98);
    for (let from = 0; from < 90; from += 1) {
      expect(sum(series.sends, from, from + 10)).toBeLessThanOrEqual(10 * (3 + 2 * 10));
    }
    // Twice as many requests come as may go: the line grows, and with it the wait.
    expect(tokenWaitMs.max).toBeGreaterThan(40_000);
  });

  test('are the same as numbers and as objects', () => {
    const light = { ...fleet, clients: { count: 10, requestsPerSecond: 19 } };
    const [numbers, objects] = ([false, undefined] as const).map((feedback) =>
      simulate({ ...light, policy: { bucket: { tokenBucket: { ...rate, feedback } } } }),
    );
    expect(numbers?.totals).toEqual(objects?.totals);
    expect(numbers?.tokenWaitMs.mean).toBeCloseTo(objects?.tokenWaitMs.mean ?? 0, 6);
  });

  test('that reject turn away what they delay', () => {
    const { totals } = simulate({
      ...fleet,
      policy: { bucket: { tokenBucket: { ...rate, nonConforming: 'reject' } } },
    });
    expect(totals.throttledLocally).toBe(totals.requests - totals.sends);
    expect(totals.throttledLocally / totals.requests).toBeGreaterThan(0.45);
  });

  test('that mark hold nobody up', () => {
    const { totals } = simulate({
      ...fleet,
      policy: { bucket: { tokenBucket: { ...rate, nonConforming: 'mark' } } },
    });
    expect(totals.sends).toBe(totals.requests);
  });

  test('bound the wait by maxWaitMs, of the bucket or the policy, and the line by maxQueue', () => {
    for (const policy of [
      { bucket: { tokenBucket: { ...rate, maxWaitMs: 1_000 } } },
      { maxWaitMs: 1_000, bucket: { tokenBucket: rate } },
    ] satisfies FleetPolicy[]) {
      const { tokenWaitMs, totals } = simulate({ ...fleet, policy });
      expect(tokenWaitMs.max).toBeLessThanOrEqual(1_000.1);
      expect(totals.throttledLocally).toBeGreaterThan(1_000);
    }
    const { series } = simulate({ ...fleet, policy: { bucket: { tokenBucket: { ...rate, maxQueue: 2 } } } });
    expect(Math.max(...series.underWay)).toBeLessThanOrEqual(10 * 3);
  });

  test('let a retry go before new requests', () => {
    const errors = [{ type: 'errors', fromMs: 0, untilMs: 100_000, share: 0.3 }] as const;
    const { series, latencyMs } = simulate({
      ...fleet,
      server: { workers: 1_000, serviceMs: 1, troubles: errors },
      policy: { maxRetries: 5, backoff: { constant: 1 }, bucket: { tokenBucket: rate } },
    });
    // Lines are thousands long in the end; were retries behind them, nothing that failed once would be back.
    expect(sum(series.failures)).toBeLessThan(20);
    expect(latencyMs.count).toBeGreaterThan(1_200);
  });

  test('adapt to a quota that is lower than their rate', () => {
    const quota: Scenario = {
      durationMs: 100_000,
      clients: { count: 20, requestsPerSecond: 90 },
      server: {
        workers: 1_000,
        serviceMs: 1,
        limit: { refillPerSecond: 100, capacity: 20, retryAfter: false },
      },
      policy: { maxRetries: 10, backoff: { constant: 50 } },
    };
    const burst = { ...quota, clients: { count: 20, requestsPerSecond: 150 } };
    const bucket = { refillPerSecond: 20, capacity: 4 };
    const plain = simulate({ ...burst, policy: { ...burst.policy, bucket: { tokenBucket: bucket } } });
    const adapted = simulate({ ...burst, policy: { ...burst.policy, bucket: { adaptive: bucket } } });
    expect(adapted.totals.throttled429).toBeLessThan(plain.totals.throttled429 / 2);
    expect(adapted.totals.successes).toBeGreaterThan(0.75 * 100 * 100);
  });

  test('close for as long as Retry-After says', () => {
    const paused = simulate({
      durationMs: 30_000,
      clients: { count: 1, requestsPerSecond: 50 },
      server: { workers: 100, serviceMs: 1, limit: { refillPerSecond: 1, capacity: 1 } },
      policy: { maxRetries: 0, bucket: { tokenBucket: { refillPerSecond: 100 } } },
    });
    // One token a second: each refusal closes the bucket for a second and a little more.
    expect(paused.totals.sends).toBeLessThan(30 * 4);
    expect(paused.totals.requests).toBeGreaterThan(1_000);
  });
});

describe('recovery', () => {
  test('is not spoken of without trouble', () => {
    expect(simulate(easy).recovery).toBeUndefined();
  });

  test('comes soon to those who do not retry, and never to those who retry at once', () => {
    const recovery = (policy: FleetPolicy) => simulate({ ...hard, policy }).recovery;
    const attemptTimeoutMs = 1_000;
    expect(recovery({ attemptTimeoutMs, maxRetries: 0 })?.recoveredAfterMs).toBeLessThan(20_000);
    const atOnce = recovery({ attemptTimeoutMs, backoff: { constant: 0 } });
    expect(atOnce).toEqual({ troubleEndsAtMs: 20_000, recoveredAfterMs: undefined });
  });
});
