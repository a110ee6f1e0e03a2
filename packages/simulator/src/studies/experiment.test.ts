import { readFileSync } from 'node:fs';
import { fullJitter } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { ScenarioError } from '../scenario/check.ts';
import { checkExperiment, type Experiment, runExperiment } from './experiment.ts';

const right = {
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
      maxRetryAfterMs: 1_000,
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

/** The right experiment with one field changed: `at('server.workers', 0)`. */
function at(path: string, value: unknown): unknown {
  const copy = structuredClone(right) as Record<string, unknown>;
  const names = path.split('.');
  let inner: Record<string, unknown> = copy;
  for (const name of names.slice(0, -1)) inner = inner[name] as Record<string, unknown>;
  inner[names.at(-1) ?? ''] = value;
  return copy;
}

const rules =
  'memorystore, exponential, fullJitter, equalJitter, decorrelatedJitter, constant, celery, binaryExponential, connectRetry';

describe('a scenario that is wrong is told by the path of the field', () => {
  test.each([
    ['durationMs', 0, 'durationMs takes a finite number above 0, and was given 0'],
    ['durationMs', '10s', 'durationMs takes a finite number above 0, and was given "10s"'],
    ['durationMs', undefined, 'durationMs takes a finite number above 0, and was given nothing'],
    ['intervalMs', 1e-3, 'intervalMs makes more than 1000000 intervals of durationMs'],
    [
      'duration',
      1,
      'duration is not a field; a scenario takes title, durationMs, intervalMs, clients, server, network, policy, policies',
    ],
    ['clients.count', 1.5, 'clients.count takes a whole number from 1, and was given 1.5'],
    [
      'clients.requestsPerSecond',
      -1,
      'clients.requestsPerSecond takes a finite number above 0, and was given -1',
    ],
    ['clients.rate', 1, 'clients.rate is not a field; clients takes count, requestsPerSecond'],
    ['clients', { count: 1, thinkMs: 0 }, 'clients.thinkMs takes a finite number above 0, and was given 0'],
    ['clients', [], 'clients takes an object, and was given a list'],
    ['network', { meanMs: -1 }, 'network.meanMs takes a finite number from 0, and was given -1'],
    ['server.workers', null, 'server.workers takes a whole number from 1, and was given null'],
    [
      'server.serviceSpread',
      'normal',
      'server.serviceSpread takes "constant" or "exponential" or "log-normal", and was given "normal"',
    ],
    [
      'server.limit',
      { capacity: 1 },
      'server.limit.refillPerSecond takes a number above 0 and at most 1000000000, and was given nothing',
    ],
    ['server.limit.retryAfter', 1, 'server.limit.retryAfter takes true or false, and was given 1'],
    ['server.troubles', {}, 'server.troubles takes a list, and was given an object'],
    [
      'server.troubles.1.capacityShare',
      2,
      'server.troubles[1].capacityShare takes a number from 0 to 1, and was given 2',
    ],
    [
      'server.troubles.0.type',
      'fire',
      'server.troubles[0].type takes "outage" or "brown-out" or "slow-start" or "errors", and was given "fire"',
    ],
    [
      'server.troubles.0.untilMs',
      500,
      'server.troubles[0].untilMs takes a number above fromMs, 1000, and was given 500',
    ],
    [
      'server.troubles.3.capacityShare',
      1,
      'server.troubles[3].capacityShare is not a field; server.troubles[3] takes type, fromMs, untilMs, share',
    ],
    ['policies', {}, 'policies takes an object with a policy for each name, and was given an object'],
    ['policies.none', 7, 'policies.none takes an object of the options of createPolicy, and was given 7'],
    ['policies.all.maxRetries', -1, 'policies.all.maxRetries takes a whole number ≥ 0, and was given -1'],
    [
      'policies.all.maxRetrys',
      1,
      /^policies\.all\.maxRetrys is not a field; policies\.all takes maxRetries, methods, .*budget$/,
    ],
    [
      'policies.all.methods',
      'some',
      /^policies\.all\.methods takes 'idempotent', 'all' or a list of methods, and was given "some"$/,
    ],
    [
      'policies.all.backoff',
      Object.assign(() => 1, { maxRetries: 0.5 }),
      'policies.all.backoff.maxRetries takes a whole number ≥ 0, and was given 0.5',
    ],
    ['policies.all.concurrency', {}, 'policies.all.concurrency is not simulated'],
    ['policies.all.onEvent', {}, 'policies.all.onEvent is not simulated'],
    [
      'policies.all.classify',
      'mine',
      'policies.all.classify takes classifyHttp or classifyHttpByMeaning, and was given "mine"',
    ],
    [
      'policies.all.backoff',
      'fullJitter',
      `policies.all.backoff takes an object that names one of ${rules}, and was given "fullJitter"`,
    ],
    [
      'policies.all.backoff',
      {},
      `policies.all.backoff takes an object that names one of ${rules}, and was given an empty object`,
    ],
    [
      'policies.all.backoff',
      { fullJiter: {} },
      `policies.all.backoff takes an object that names one of ${rules}, and was given "fullJiter"`,
    ],
    [
      'policies.all.backoff',
      { toString: {} },
      `policies.all.backoff takes an object that names one of ${rules}, and was given "toString"`,
    ],
    [
      'policies.all.backoff',
      { fullJitter: { baseMs: 0, capMs: 1 } },
      'policies.all.backoff.fullJitter.baseMs takes a finite number > 0, and was given 0',
    ],
    [
      'policies.all.backoff',
      { fullJitter: { base: 1 } },
      'policies.all.backoff.fullJitter.base is not a field; policies.all.backoff.fullJitter takes baseMs, capMs',
    ],
    [
      'policies.all.backoff',
      { constant: -5 },
      'policies.all.backoff.constant takes a finite number ≥ 0, and was given -5',
    ],
    [
      'policies.all.backoff',
      { constant: {} },
      /^policies\.all\.backoff\.constant.* takes a finite number ≥ 0, and was given an object$/,
    ],
    [
      'policies.all.bucket',
      { tokenBucket: { refillPerSecond: 0 } },
      'policies.all.bucket.tokenBucket.refillPerSecond takes a number > 0 and ≤ 1000000000, and was given 0',
    ],
    [
      'policies.all.bucket',
      { adaptive: { refillPerSecond: 1, decreaseTo: 2 } },
      'policies.all.bucket.adaptive.decreaseTo takes a number between 0 and 1, and was given 2',
    ],
    [
      'policies.all.bucket.tokenBucket.furtherLimits',
      [],
      'policies.all.bucket.tokenBucket.furtherLimits is not simulated',
    ],
    [
      'policies.all.budget',
      { retryBudget: { ratio: -1 } },
      'policies.all.budget.retryBudget.ratio takes a finite number ≥ 0, and was given -1',
    ],
    [
      'policies.all.cost',
      4,
      'policies.all.cost takes at most the capacity of the bucket, 3, and was given 4',
    ],
    ['policy', {}, 'policy and policies exclude each other: a single policy may be one of several'],
  ] as const)('%s: %j', (path, value, message) => {
    expect(() => checkExperiment(at(path, value))).toThrow(ScenarioError);
    expect(() => checkExperiment(at(path, value))).toThrow(
      typeof message === 'string' ? expect.objectContaining({ message }) : message,
    );
  });

  test('names with other signs stand in brackets', () => {
    const experiment = { ...right, policies: { 'full jitter': { maxRetries: -1 } } };
    expect(() => checkExperiment(experiment)).toThrow(/^policies\["full jitter"\]\.maxRetries takes/);
  });

  test.each([undefined, null, 7, 'storm', []])('%j is no scenario', (value) => {
    expect(() => checkExperiment(value)).toThrow(/^a scenario takes an object, and was given/);
  });
});

describe('an experiment', () => {
  test('stands in the README, and is a right one', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, json = ''] = /```json\n(.*?)```/s.exec(readme) ?? [];
    const results = runExperiment(JSON.parse(json));
    expect(results.map(({ name }) => name)).toEqual(['ours', 'with a budget', 'with a bucket']);
  });

  test('with every field runs, under each of its policies', () => {
    checkExperiment(right);
    const results = runExperiment(right, { seed: 5 });
    expect(results.map(({ name }) => name)).toEqual(['all', 'none']);
    for (const { trace } of results) {
      expect(trace.seed).toBe(5);
      expect(trace.totals.requests).toBeGreaterThan(100);
      expect(trace.series.requests).toHaveLength(20);
    }
  });

  test('may have one policy, or none, which is the default', () => {
    const { policies: _, ...rest } = right;
    const [named] = runExperiment({ ...(rest as Experiment), policy: {} });
    const [bare] = runExperiment(rest as Experiment);
    expect(named?.name).toBe('policy');
    expect(bare).toEqual(named);
  });

  test('may be given functions', () => {
    const { policies: _, ...rest } = right;
    const curve = { baseMs: 10, capMs: 100 };
    const [byFunction] = runExperiment({ ...(rest as Experiment), policy: { backoff: fullJitter(curve) } });
    const [byName] = runExperiment({ ...(rest as Experiment), policy: { backoff: { fullJitter: curve } } });
    expect(byFunction).toEqual(byName);
  });

  test('tells how much of all its policies is done', () => {
    const shares: number[] = [];
    runExperiment(right as Experiment, { onProgress: (share) => shares.push(share) });
    expect(shares).toEqual([0.5, 1]);
  });
});
