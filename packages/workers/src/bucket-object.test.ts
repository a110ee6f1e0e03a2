import { systemClock } from '@ebb/core/adapter';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BucketObject, type ObjectStorage } from './index.ts';
import type { LeaseCall, LeaseReply } from './lease-call.ts';

/** As the object reads it, at the start of a test: a clock that other tests have set back goes on from there. */
let startMs = 0;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  startMs = systemClock.now();
});
afterEach(() => void vi.useRealTimers());

const passes = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

class Storage implements ObjectStorage {
  readonly values = new Map<string, unknown>();
  alarmAtMs: number | null = null;
  writes = 0;

  async get(key: string): Promise<unknown> {
    return this.values.get(key);
  }

  async put(key: string, value: unknown): Promise<void> {
    this.writes += 1;
    this.values.set(key, structuredClone(value));
  }

  async deleteAll(): Promise<void> {
    this.values.clear();
  }

  async getAlarm(): Promise<number | null> {
    return this.alarmAtMs;
  }

  async setAlarm(atMs: number): Promise<void> {
    this.alarmAtMs = atMs;
  }
}

const CALL: LeaseCall = {
  ...{
    caller: 'one',
    refillPerSecond: 10,
    capacity: 100,
    least: 1,
    most: 1,
    aheadMs: 100,
    spent: 0,
    withinMs: 0,
  },
};

/** An object over this storage, as it is after its start. */
async function start(storage: Storage) {
  let loaded: Promise<unknown> = Promise.resolve();
  const object = new BucketObject({
    storage,
    blockConcurrencyWhile(run) {
      const running = run();
      loaded = running;
      return running;
    },
  });
  await loaded;
  const fetch = (body: unknown): Promise<Response> => object.fetch(Response.json(body));
  const lease = async (call: Partial<LeaseCall> = {}): Promise<LeaseReply> =>
    (await fetch({ ...CALL, ...call })).json();
  return { object, fetch, lease };
}

test('leases what is there, and half of it to one of several', async () => {
  const { lease } = await start(new Storage());
  expect(await lease({ most: 40 })).toEqual({
    granted: 40,
    emptyInMs: -6_000,
    waitMs: 0,
    pausedMs: 0,
    callers: 1,
  });
  expect(await lease({ caller: 'two', most: 100 })).toMatchObject({
    granted: 30,
    emptyInMs: -3_000,
    callers: 2,
  });
  expect(await lease({ least: 31, most: 31 })).toMatchObject({ granted: 0, waitMs: 100 });
  passes(100);
  expect(await lease({ least: 31, most: 31 })).toMatchObject({ granted: 31, emptyInMs: 0, waitMs: 0 });
});

test('leases future tokens: the part of an isolate, or what it needs', async () => {
  const { lease } = await start(new Storage());
  await lease({ least: 100 });
  const { withinMs: _, ...patient } = { ...CALL, aheadMs: 1_000, most: 50 };
  expect(await lease({ ...patient, withinMs: 100 })).toMatchObject({ granted: 10, emptyInMs: 1_000 });
  expect(await lease({ ...patient, caller: 'two', withinMs: 2_000 })).toMatchObject({
    granted: 5,
    emptyInMs: 1_500,
  });
  expect(await lease({ ...patient, caller: 'two', withinMs: 1_500 })).toMatchObject({
    granted: 0,
    waitMs: 1_600,
  });
  expect(await lease({ ...patient, least: 0, most: 2 })).toMatchObject({ granted: 2, emptyInMs: 1_700 });
});

test('an isolate that is quiet for ten seconds has no part', async () => {
  const { lease } = await start(new Storage());
  await lease({ caller: 'two' });
  passes(9_999);
  expect(await lease()).toMatchObject({ callers: 2 });
  passes(2);
  expect(await lease()).toMatchObject({ callers: 1 });
});

test('charges what was spent, and grants at the rate of each caller', async () => {
  const { lease } = await start(new Storage());
  expect(await lease({ spent: 150, least: 0, most: 0 })).toMatchObject({ granted: 0, emptyInMs: 5_000 });
  passes(7_000);
  // Two seconds at another rate: a later version of the program.
  expect(await lease({ refillPerSecond: 50, least: 100, most: 100 })).toMatchObject({
    granted: 100,
    emptyInMs: 0,
  });
});

test('a pause empties the bucket, is not shortened, and ends where it began', async () => {
  const { lease } = await start(new Storage());
  expect(await lease({ pauseMs: 5_000 })).toMatchObject({ granted: 0, pausedMs: 5_000, emptyInMs: 5_000 });
  expect(await lease({ pauseMs: 1_000 })).toMatchObject({ pausedMs: 5_000 });
  passes(2_000);
  expect(await lease({ pauseMs: 0, least: 0, most: 0 })).toMatchObject({ pausedMs: 0, emptyInMs: 0 });
  passes(100);
  expect(await lease()).toMatchObject({ granted: 1, emptyInMs: 0 });
});

test('a restart grants no token twice, and loses those of a second', async () => {
  const storage = new Storage();
  const before = await start(storage);
  expect(await before.lease({ least: 100 })).toMatchObject({ granted: 100 });
  const { lease } = await start(storage);
  expect(await lease()).toMatchObject({ granted: 0, waitMs: 1_100 });
  passes(1_100);
  expect(await lease()).toMatchObject({ granted: 1, emptyInMs: 0 });
  expect(await lease()).toMatchObject({ granted: 0 });
});

test('a restart keeps a pause, and its end', async () => {
  const storage = new Storage();
  await (await start(storage)).lease({ pauseMs: 60_000 });
  const { lease } = await start(storage);
  expect(await lease()).toMatchObject({ granted: 0, pausedMs: 60_000 });
  // Each restart loses a second.
  await lease({ pauseMs: 0, least: 0, most: 0 });
  expect(await (await start(storage)).lease({ least: 0, most: 0 })).toMatchObject({
    pausedMs: 0,
    emptyInMs: 2_000,
  });
});

test('writes once a second, whatever the load', async () => {
  const storage = new Storage();
  const { lease } = await start(storage);
  for (let at = 0; at < 1_000; at += 1) {
    await lease({ least: 0.1, most: 0.1, refillPerSecond: 10, capacity: 1 });
    passes(10);
  }
  expect(storage.writes).toBeGreaterThanOrEqual(9);
  expect(storage.writes).toBeLessThanOrEqual(11);
});

test('goes on at once where the clock is behind that of the machine before', async () => {
  const storage = new Storage();
  await (await start(storage)).lease({ least: 100 });
  const kept = storage.values.get('ebb:bucket') as Record<string, number>;
  const ahead = Object.entries(kept).map(([name, ms]) => [name, ms + 3_600_000]);
  storage.values.set('ebb:bucket', Object.fromEntries(ahead));
  expect(await (await start(storage)).lease()).toMatchObject({ granted: 0, waitMs: 1_100 });
});

test('an alarm deletes what is not needed, an hour after the first call, or later', async () => {
  const storage = new Storage();
  const { object, lease } = await start(storage);
  await lease();
  expect(storage.alarmAtMs).toBe(startMs + 3_600_000);
  passes(3_600_000);
  await lease();
  await object.alarm();
  expect(storage.alarmAtMs).toBe(startMs + 7_200_000);
  expect(storage.values.size).toBe(1);
  passes(3_600_000);
  storage.alarmAtMs = null;
  await object.alarm();
  expect(storage.values.size).toBe(0);
  expect(storage.alarmAtMs).toBeNull();
  await lease();
  expect(storage.values.size).toBe(1);
  expect(storage.alarmAtMs).toBe(systemClock.now() + 3_600_000);
});

test('an alarm keeps the state of a bucket that fills for longer', async () => {
  const storage = new Storage();
  const { object, lease } = await start(storage);
  await lease({ refillPerSecond: 0.001, capacity: 100, least: 100 });
  passes(3_600_000);
  await object.alarm();
  expect(storage.alarmAtMs).toBe(startMs + 100_000_000 + 1_000);
});

test.each([
  [null],
  ['text'],
  [{ ...CALL, least: -1 }],
  [{ ...CALL, refillPerSecond: 0 }],
  [{ ...CALL, capacity: '5' }],
  [{ ...CALL, pauseMs: null }],
])('another call gets a 400: %j', async (body) => {
  const storage = new Storage();
  const { fetch } = await start(storage);
  expect((await fetch(body)).status).toBe(400);
  expect(storage.writes).toBe(0);
});
