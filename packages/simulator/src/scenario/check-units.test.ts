import { expect, test } from 'vitest';
import { expectWrong, type Wrong } from '../../test/wrong-scenario.ts';
import { checkExperiment } from '../studies/experiment.ts';

const rate = { refillPerSecond: 10, capacity: 600 };

const valid = {
  durationMs: 1_000,
  clients: { count: 1, requestsPerSecond: 1 },
  server: {
    workers: 1,
    serviceMs: 1,
    limit: {
      limits: { requests: rate, output: { ...rate } },
      spends: { requests: 1, output: { mean: 400, spread: 'log-normal' } },
      retryAfter: false,
    },
  },
  policies: {
    ours: {
      bucket: { quotaBucket: { limits: { requests: rate, output: { ...rate, chargeOn: 'completion' } } } },
      cost: { requests: 1, output: 500 },
      actualCost: true,
    },
  },
};

test('a quota of several units is a scenario', () => {
  expect(() => checkExperiment(valid)).not.toThrow();
});

test.each<Wrong>([
  ['server.limit.limits', {}, ' must be an object with a limit for each unit, got an object'],
  ['server.limit.limits.output.capacity', 0, ' must be a number from 1e-9 to 1e9, got 0'],
  [
    'server.limit.limits.output.refillIntervalMs',
    1,
    ' is not a field; server.limit.limits.output takes refillPerSecond, capacity',
  ],
  ['server.limit.refillPerSecond', 1, ' is not a field; server.limit takes limits, spends, retryAfter'],
  [
    'server.limit.spends',
    { requests: 1 },
    /^server\.limit\.spends\.output must be a number, or .*, got nothing$/,
  ],
  ['server.limit.spends.input', 1, ' is not a field; server.limit.spends takes requests, output'],
  ['server.limit.spends.requests', -1, ' must be a finite number ≥ 0, got -1'],
  ['server.limit.spends.requests', 601, ' must be at most the capacity, 600, got 601'],
  ['server.limit.spends.output.mean', 0, ' must be a finite number > 0, got 0'],
  ['server.limit.spends.output.spread', 'normal', /^server\.limit\.spends\.output\.spread must be one of/],
  [
    'server.limit.spends.output',
    { mean: 601, spread: 'constant' },
    '.mean must be at most the capacity, 600, got 601',
  ],
  ['server.limit', rate, /^policies\.ours\.actualCost needs a server\.limit with limits and spends/],
  ['policies.ours.actualCost', 1, ' must be true or false, got 1'],
  [
    'policies.ours.bucket',
    { tokenBucket: rate },
    /^policies\.ours\.actualCost is simulated with a quotaBucket only$/,
  ],
  [
    'policies.ours.bucket.quotaBucket.limits.output.capacity',
    -1,
    /^policies\.ours\.bucket\.quotaBucket\.limits\.output\.capacity must be/,
  ],
  ['policies.ours.bucket.quotaBucket.queue', {}, /^policies\.ours\.bucket\.quotaBucket\.queue/],
  ['policies.ours.cost.output', 601, ' must be at most the capacity, 600, got 601'],
  ['policies.ours.cost.input', 1, /^policies\.ours\.cost\.input is not a field; /],
  ['policies.ours.cost', {}, ' must be above 0 in a unit, got an object'],
  ['policies.ours', { cost: { requests: 1 } }, '.cost must be a number, got an object'],
])('%s: %j', (...wrong) => {
  expectWrong(valid, wrong);
});
