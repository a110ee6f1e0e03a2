import { readFileSync } from 'node:fs';
import { fullJitter } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { expectWrong, type Wrong } from '../../test/wrong-scenario.ts';
import { checkExperiment, type Experiment, runExperiment } from './experiment.ts';

const valid = {
  title: 'A title',
  durationMs: 10_000,
  intervalMs: 500,
  clients: { count: 10, requestsPerSecond: 20 },
  network: { meanMs: 10, deviationMs: 2 },
  server: {
    workers: 2,
    serviceMs: 50,
    serviceSpread: 'log-normal',
    maxQueue: 100,
    limit: { refillPerSecond: 30, capacity: 10, refillIntervalMs: 100, retryAfter: false },
    troubles: [
      { type: 'outage', fromMs: 1_000, untilMs: 2_000, answer: 'silence' },
      { type: 'brown-out', fromMs: 2_000, untilMs: 3_000, capacityShare: 0.5 },
      { type: 'slow-start', fromMs: 3_000, untilMs: 4_000, capacityShare: 0.1 },
      { type: 'errors', fromMs: 4_000, untilMs: 5_000, share: 0.1 },
    ],
  },
  policies: {
    all: {
      maxRetries: 3,
      backoff: { celery: { factorMs: 100, maximumMs: 1_000, fullJitter: true } },
      classify: 'classifyHttpByMeaning',
      methods: 'all',
      retryAfter: { maxMs: 1_000 },
      attemptTimeoutMs: 500,
      totalTimeoutMs: 5_000,
      maxWaitMs: 1_000,
      bucket: { tokenBucket: { refillPerSecond: 5, capacity: 3, nonConforming: 'delay' } },
      budget: { retryBudget: { ratio: 0.1, reserve: 0 } },
      cost: 2,
    },
    none: {},
  },
};

const rules =
  'memorystore, exponential, fullJitter, equalJitter, decorrelatedJitter, constant, celery, binaryExponential, connectRetry';

describe('the error for a wrong scenario begins with the path of the field', () => {
  test.each<Wrong>([
    ['durationMs', 0, ' must be a finite number > 0, got 0'],
    ['durationMs', '10s', ' must be a finite number > 0, got "10s"'],
    ['durationMs', undefined, ' must be a finite number > 0, got nothing'],
    ['intervalMs', 1e-3, ' divides durationMs into more than 1000000 intervals'],
    [
      'duration',
      1,
      ' is not a field; a scenario takes title, durationMs, intervalMs, clients, server, network, policy, policies',
    ],
    ['clients.count', 1.5, ' must be a whole number ≥ 1, got 1.5'],
    ['clients.requestsPerSecond', -1, ' must be a finite number > 0, got -1'],
    ['clients.rate', 1, ' is not a field; clients takes count, requestsPerSecond, surges, paths'],
    ['clients', { count: 1, thinkMs: 0 }, '.thinkMs must be a finite number > 0, got 0'],
    ['clients', [], ' must be an object, got a list'],
    ['network', { meanMs: -1 }, '.meanMs must be a finite number ≥ 0, got -1'],
    ['server.workers', null, ' must be a whole number ≥ 1, got null'],
    [
      'server.serviceSpread',
      'normal',
      " must be one of 'constant', 'exponential', 'log-normal', 'pareto', got \"normal\"",
    ],
    ['server.limit', { capacity: 1 }, '.refillPerSecond must be a number from 1e-9 to 1e9, got nothing'],
    ['server.limit.retryAfter', 1, ' must be true or false, got 1'],
    ['server.troubles', {}, ' must be a list, got an object'],
    ['server.troubles.1.capacityShare', 2, ' must be a number from 0 to 1, got 2'],
    [
      'server.troubles.0.type',
      'fire',
      " must be one of 'outage', 'brown-out', 'slow-start', 'errors', got \"fire\"",
    ],
    ['server.troubles.0.untilMs', 500, ' must be a number > fromMs, 1000, got 500'],
    [
      'server.troubles.3.capacityShare',
      1,
      ' is not a field; server.troubles[3] takes type, fromMs, untilMs, shard, share',
    ],
    ['policies', {}, ' must be an object with a policy for each name, got an object'],
    ['policies.none', 7, ' must be an object with options of createPolicy, got 7'],
    ['policies.all.maxRetries', -1, ' must be a whole number ≥ 0, got -1'],
    [
      'policies.all.maxRetrys',
      1,
      /^policies\.all\.maxRetrys is not a field; policies\.all takes maxRetries, methods, .*budget, throttle, hedges$/,
    ],
    [
      'policies.all.methods',
      'some',
      /^policies\.all\.methods must be 'idempotent', 'all', a list of methods, or a function, got "some"$/,
    ],
    [
      'policies.all.backoff',
      Object.assign(() => 1, { maxRetries: 0.5 }),
      '.maxRetries must be a whole number ≥ 0, got 0.5',
    ],
    ['policies.all.concurrency', {}, ' is not simulated'],
    ['policies.all.onEvent', {}, ' is not simulated'],
    ['policies.all.classify', 'mine', ' must be classifyHttp or classifyHttpByMeaning, got "mine"'],
    ['policies.all.backoff', 'fullJitter', ` must be an object that names one of ${rules}, got "fullJitter"`],
    ['policies.all.backoff', {}, ` must be an object that names one of ${rules}, got an empty object`],
    [
      'policies.all.backoff',
      { fullJiter: {} },
      ` must be an object that names one of ${rules}, got "fullJiter"`,
    ],
    [
      'policies.all.backoff',
      { toString: {} },
      ` must be an object that names one of ${rules}, got "toString"`,
    ],
    [
      'policies.all.backoff',
      { fullJitter: { baseMs: 0, capMs: 1 } },
      '.fullJitter.baseMs must be a finite number > 0, got 0',
    ],
    [
      'policies.all.backoff',
      { fullJitter: { base: 1 } },
      '.fullJitter.base is not a field; policies.all.backoff.fullJitter takes baseMs, capMs',
    ],
    ['policies.all.backoff', { constant: -5 }, '.constant must be a finite number ≥ 0, got -5'],
    [
      'policies.all.backoff',
      { constant: {} },
      /^policies\.all\.backoff\.constant.* must be a finite number ≥ 0, got an object$/,
    ],
    [
      'policies.all.bucket',
      { tokenBucket: { refillPerSecond: 0 } },
      '.tokenBucket.refillPerSecond must be a number from 1e-9 to 1e9, got 0',
    ],
    [
      'policies.all.bucket',
      { adaptive: { refillPerSecond: 1, minRefillPerSecond: 2 } },
      '.adaptive.minRefillPerSecond must be at most 1, got 2',
    ],
    [
      'policies.all.bucket.tokenBucket.chargeOn',
      true,
      ' must be left out: a limit of `quotaBucket` takes it, also as the only one, got true',
    ],
    [
      'policies.all.budget',
      { retryBudget: { ratio: -1 } },
      '.retryBudget.ratio must be a finite number ≥ 0, got -1',
    ],
    [
      'policies.all.budget',
      { valkeyBudget: { roundTripMs: -1 } },
      '.valkeyBudget.roundTripMs must be a finite number ≥ 0, got -1',
    ],
    [
      'policies.all.budget',
      { valkeyBudget: { ratio: -1 } },
      '.valkeyBudget.ratio must be a finite number ≥ 0, got -1',
    ],
    [
      'policies.all.budget',
      { valkeyBudget: { aheadMs: 0 } },
      '.valkeyBudget.aheadMs must be a finite number > 0, got 0',
    ],
    ['policies.all.cost', 4, ' must be at most the capacity of the bucket, 3, got 4'],
    ['policy', {}, ' and policies exclude each other: put the single policy into policies'],
  ])('%s: %j', (...wrong) => {
    expectWrong(valid, wrong);
  });

  test('names that are no identifiers stand in brackets', () => {
    const experiment = { ...valid, policies: { 'full jitter': { maxRetries: -1 } } };
    expect(() => checkExperiment(experiment)).toThrow(/^policies\["full jitter"\]\.maxRetries must be/);
  });

  test.each([undefined, null, 7, 'storm', []])('%j is not a scenario', (value) => {
    expect(() => checkExperiment(value)).toThrow(/^a scenario must be an object, got/);
  });
});

describe('an experiment', () => {
  test('of the README is valid, each of them', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const blocks = [...readme.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => json);
    const results = blocks.map((json) => runExperiment(JSON.parse(json)));
    expect(results.map((all) => all.map(({ name }) => name))).toEqual([
      ['ours', 'with a budget', 'with a throttle'],
    ]);
    const [ours, , throttled] = results[0]?.map(({ trace }) => trace) ?? [];
    expect(ours?.totals.skipped).toBe(0);
    expect(throttled?.totals.skipped).toBeGreaterThan(0);
    expect(throttled?.totals.hedges).toBeGreaterThan(0);
    expect(throttled?.shards).toHaveLength(10);
  });

  test('with every field runs under each of its policies', () => {
    checkExperiment(valid);
    const results = runExperiment(valid, { seed: 5 });
    expect(results.map(({ name }) => name)).toEqual(['all', 'none']);
    for (const { trace } of results) {
      expect(trace.seed).toBe(5);
      expect(trace.totals.requests).toBeGreaterThan(100);
      expect(trace.series.requests).toHaveLength(20);
    }
  });

  test('may have a single policy, or none, which is the default policy', () => {
    const { policies: _, ...rest } = valid;
    const [named] = runExperiment({ ...(rest as Experiment), policy: {} });
    const [bare] = runExperiment(rest as Experiment);
    expect(named?.name).toBe('policy');
    expect(bare).toEqual(named);
  });

  test('may contain functions', () => {
    const { policies: _, ...rest } = valid;
    const curve = { baseMs: 10, capMs: 100 };
    const [byFunction] = runExperiment({ ...(rest as Experiment), policy: { backoff: fullJitter(curve) } });
    const [byName] = runExperiment({ ...(rest as Experiment), policy: { backoff: { fullJitter: curve } } });
    expect(byFunction).toEqual(byName);
  });
});
