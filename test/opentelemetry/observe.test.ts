import { adaptiveThrottle, concurrencyLimit, retryBudget, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { observe } from '@ebb/opentelemetry';
import { valkeyBucket, valkeyBucketPerKey, valkeyBudget } from '@ebb/valkey';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../until.ts';
import { type Recorder, recorder } from './recorder.ts';

let record: Recorder;
beforeEach(() => {
  record = recorder();
});
afterEach(() => record.close());

const series = async (): Promise<string[]> =>
  (await record.points()).map(({ name, unit, attributes, value }) => {
    return [name.replace('ebb.client.', ''), ...Object.values(attributes), value, unit].join(' ');
  });

test('gauges show a bucket, slots and a budget as they are when metrics are collected', async () => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ capacity: 2, refillPerSecond: 1, clock });
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  const budget = retryBudget({ reserve: 3, clock });
  const attributes = { limit: 'orders' };
  const stop = observe({ bucket, concurrency, budget, attributes, meter: record.sdk.meter });
  expect(await series()).toEqual([
    'bucket.tokens orders 2 {token}',
    'bucket.capacity orders 2 {token}',
    'bucket.waiting orders 0 {request}',
    'bucket.paused orders 0 s',
    'slots.in_use orders 0 {slot}',
    'slots.limit orders 1 {slot}',
    'slots.waiting orders 0 {request}',
    'budget.balance orders 3 {retry}',
  ]);

  bucket.pauseFor(1500);
  const slot = concurrency.tryAcquire();
  const waiting = [bucket.acquire(), concurrency.acquire()];
  budget.withdraw();
  expect(await series()).toEqual([
    'bucket.tokens orders 0 {token}',
    'bucket.capacity orders 2 {token}',
    'bucket.waiting orders 1 {request}',
    'bucket.paused orders 1.5 s',
    'slots.in_use orders 1 {slot}',
    'slots.limit orders 1 {slot}',
    'slots.waiting orders 1 {request}',
    'budget.balance orders 2 {retry}',
  ]);
  slot?.release();
  await clock.advance(5000);
  await Promise.all(waiting);

  // What was collected last: the SDK goes on reporting it.
  const last = await series();
  stop();
  bucket.tryAcquire();
  budget.withdraw();
  expect(await series()).toEqual(last);
});

test('the mode of a bucket that processes share', async () => {
  const down = async (): Promise<never> => Promise.reject(new Error('down'));
  const bucket = valkeyBucket({
    client: { evalsha: down, eval: down },
    key: 'quota',
    refillPerSecond: 10,
    onStoreError: 'open',
    onStoreEvent: () => undefined,
  });
  observe({ bucket, meter: record.sdk.meter });
  const modes = async (): Promise<string[]> =>
    (await series()).filter((line) => line.startsWith('bucket.mode'));
  expect(await modes()).toEqual([
    'bucket.mode shared 1 {bucket}',
    'bucket.mode local 0 {bucket}',
    'bucket.mode open 0 {bucket}',
    'bucket.mode closed 0 {bucket}',
  ]);
  await bucket.acquire();
  expect(await modes()).toEqual([
    'bucket.mode shared 0 {bucket}',
    'bucket.mode local 0 {bucket}',
    'bucket.mode open 1 {bucket}',
    'bucket.mode closed 0 {bucket}',
  ]);
  await bucket.close();
});

test('what a bucket that processes share does with its store', async () => {
  const down = async (): Promise<never> => Promise.reject(new Error('ECONNREFUSED'));
  const bucket = valkeyBucket({
    client: { evalsha: down, eval: down },
    ...{ key: 'quota', refillPerSecond: 10, localShare: 0.5, onStoreEvent: () => undefined },
  });
  observe({ bucket, attributes: { limit: 'orders' }, meter: record.sdk.meter });
  const values = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await record.points())
        .filter(({ name }) => /bucket\.(share|processes|leased|call|loss|recover)/.test(name))
        .map(({ name, attributes, value }) => {
          return [
            [name.slice('ebb.client.bucket.'.length), ...Object.values(attributes)].join(' '),
            value as number,
          ];
        }),
    );
  const reasons = ['timeout', 'connection', 'refused', 'data', 'reply', 'other'];
  const none = {
    ...{ 'share orders': 0.5, 'processes orders': 0, 'leased orders': 0 },
    ...{ 'calls orders': 0, 'call.time orders': 0, 'recoveries orders': 0 },
    ...Object.fromEntries(reasons.map((reason) => [`losses orders ${reason}`, 0])),
  };
  expect(await values()).toEqual(none);
  await bucket.acquire();
  const { calls, callMs } = bucket.stats();
  expect(calls).toBeGreaterThan(0);
  const after = { 'calls orders': calls, 'call.time orders': callMs / 1_000, 'losses orders connection': 1 };
  expect(await values()).toEqual({ ...none, ...after });
  await bucket.close();
});

test('the mode of a budget that processes share', async () => {
  const down = async (): Promise<never> => Promise.reject(new Error('down'));
  const budget = valkeyBudget({
    client: { evalsha: down, eval: down },
    key: 'retries',
    onStoreEvent: () => undefined,
  });
  observe({ budget, meter: record.sdk.meter });
  const modes = async (): Promise<string[]> =>
    (await series()).filter((line) => line.startsWith('budget.mode'));
  expect(await modes()).toEqual(['budget.mode shared 1 {budget}', 'budget.mode local 0 {budget}']);
  budget.deposit();
  await until(() => budget.stats().mode === 'local');
  expect(await modes()).toEqual(['budget.mode shared 0 {budget}', 'budget.mode local 1 {budget}']);
  expect(await series()).toContain(`budget.calls ${budget.stats().calls} {call}`);
  await budget.close();
});

test('the share of a throttle', async () => {
  const limit = adaptiveThrottle();
  observe({ throttle: limit, attributes: { limit: 'orders' }, meter: record.sdk.meter });
  expect(await series()).toEqual(['throttle.level orders 1 1']);
  limit.isolate();
  expect(await series()).toEqual(['throttle.level orders 0 1']);
});

test('the buckets of many keys have the mode of their store, and their calls together', async () => {
  const down = async (): Promise<never> => Promise.reject(new Error('down'));
  await using bucket = valkeyBucketPerKey({
    client: { evalsha: down, eval: down },
    ...{ key: 'tenants', refillPerSecond: 10, onStoreError: 'open', onStoreEvent: () => undefined },
  });
  observe({ bucket, meter: record.sdk.meter });
  await bucket
    .for({ method: 'GET', url: 'http://a.test/', replayable: true, header: () => undefined })
    .acquire();
  const { calls } = bucket.stats();
  expect(calls).toBeGreaterThan(0);
  const all = await series();
  expect(all).toEqual(
    expect.arrayContaining(['bucket.mode open 1 {bucket}', `bucket.calls ${calls} {call}`]),
  );
  expect(all.filter((line) => /tokens|capacity|waiting|paused/.test(line))).toEqual([]);
});

test('limits with attributes of their own stand side by side', async () => {
  for (const [limit, capacity] of Object.entries({ orders: 5, stock: 7 })) {
    const bucket = tokenBucket({ capacity, refillPerSecond: 1 });
    observe({ bucket, attributes: { limit }, meter: record.sdk.meter });
  }
  const capacities = (await series()).filter((line) => line.startsWith('bucket.capacity'));
  expect(capacities).toEqual(['bucket.capacity orders 5 {token}', 'bucket.capacity stock 7 {token}']);
});
