import { expect, test } from 'vitest';
import { expectWrong, type Wrong } from '../../test/wrong-scenario.ts';
import { checkExperiment } from '../studies/experiment.ts';

const valid = {
  durationMs: 1_000,
  clients: {
    count: 1,
    requestsPerSecond: 1,
    surges: [{ fromMs: 0, untilMs: 1, factor: 10 }],
    paths: 'shards',
  },
  server: {
    shards: 10,
    shardShares: [9, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    workers: 1,
    serviceMs: 1,
    stragglers: { share: 0.05, factor: 10 },
    maxQueue: 10,
    queueFull: 'too-many',
    troubles: [{ type: 'outage', fromMs: 1, untilMs: 2, shard: 9 }],
  },
  policies: {
    ours: {
      throttle: { whenSkipped: 'fail' },
      hedges: { quantile: 0.9, minDelayMs: 5, maxHedges: 2, share: 0.1, delayMs: 20 },
    },
    defaults: { throttle: {}, hedges: {} },
  },
};

test('shards, stragglers, a full queue, throttle and hedges are a scenario', () => {
  expect(() => checkExperiment(valid)).not.toThrow();
});

test.each<Wrong>([
  ['server.shards', 0, ' must be a whole number ≥ 1, got 0'],
  ['server.shards', 2.5, ' must be a whole number ≥ 1, got 2.5'],
  ['server.shards', 33, ' must be at most 32, got 33'],
  ['server.shards', 9, /^server\.troubles\[0\]\.shard must be less than the number of shards, 9, got 9$/],
  [
    'server.shards',
    undefined,
    /^server\.troubles\[0\]\.shard must be less than the number of shards, 1, got 9$/,
  ],
  ['server.troubles.0.shard', -1, ' must be a whole number ≥ 0, got -1'],
  ['server.shardShares', [1, 2], ' must be a list of 10 numbers, one for each shard, got a list'],
  ['server.shardShares.3', 0, /^server\.shardShares\[3\] must be a finite number > 0, got 0$/],
  ['clients.paths', 0, ' must be a whole number ≥ 1, got 0'],
  ['clients.surges.0.factor', 0, /^clients\.surges\[0\]\.factor must be a finite number > 0, got 0$/],
  ['clients.surges.0.untilMs', 0, /^clients\.surges\[0\]\.untilMs must be a finite number > 0, got 0$/],
  ['clients.surges.0.fromMs', 1, /^clients\.surges\[0\]\.untilMs must be a number > fromMs, 1, got 1$/],
  ['policies.ours.throttle.classOf', String, ' is not simulated'],
  ['server.queueFull', 'drop', " must be one of 'unavailable', 'too-many', got \"drop\""],
  ['server.stragglers', 0.05, ' must be an object, got 0.05'],
  ['server.stragglers.share', 2, ' must be a number from 0 to 1, got 2'],
  ['server.stragglers.factor', 0.5, ' must be a number ≥ 1, got 0.5'],
  ['server.stragglers.times', 3, ' is not a field; server.stragglers takes share, factor'],
  ['policies.ours.throttle', true, ' must be an object with options of throttle, got true'],
  [
    'policies.ours.throttle.whenSkipped',
    'no',
    /^policies\.ours\.throttle\.whenSkipped must be one of 'wait', 'fail'/,
  ],
  ['policies.ours.throttle.credits', 1, ' is not a field; policies.ours.throttle takes whenSkipped, classOf'],
  ['policies.ours.hedges', 1, ' must be an object with options of hedged, got 1'],
  ['policies.ours.hedges.quantile', 1, ' must be a number > 0 and < 1, got 1'],
  ['policies.ours.hedges.maxHedges', 0.5, ' must be a whole number ≥ 1, got 0.5'],
  ['policies.ours.hedges.share', 0, ' must be a finite number > 0, got 0'],
  ['policies.ours.hedges.methods', 'all', ' is not simulated'],
  [
    'policies.ours.hedges.delay',
    1,
    /^policies\.ours\.hedges\.delay is not a field; policies\.ours\.hedges takes /,
  ],
  [
    'policies.ours.bucket',
    { tokenBucket: { refillPerSecond: 1 } },
    /^policies\.ours\.hedges is not simulated together with a bucket$/,
  ],
])('%s: %j', (...wrong) => {
  expectWrong(valid, wrong);
});
