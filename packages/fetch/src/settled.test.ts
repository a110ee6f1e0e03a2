import {
  bodyEnds,
  createPolicy,
  type EbbEvent,
  type Policy,
  type QuotaBucket,
  quotaBucket,
  readCost,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { createFetch } from './index.ts';

const URL_OF_IT = 'http://service.test/';

function setUp(more: Partial<Policy> = {}) {
  const clock = virtualClock({ startMs: 0 });
  const bucket = quotaBucket({
    limits: {
      requests: { refillPerSecond: 1, capacity: 60 },
      outputTokens: { refillPerSecond: 1e-3, capacity: 60, settled: true },
    },
    clock,
  });
  const policy = createPolicy({
    bucket,
    cost: { requests: 1, outputTokens: 50 },
    clock,
    maxRetries: 0,
    ...more,
  });
  return { clock, bucket, policy };
}

/** What is left when everything in flight was charged: what is held back is charged after ten minutes. */
function isHeldBack(bucket: QuotaBucket): boolean {
  return !bucket.stats().idle && bucket.stats().units?.outputTokens?.tokens === 10;
}

function charged(bucket: QuotaBucket): number {
  const tokens = bucket.stats().units?.outputTokens?.tokens ?? Number.NaN;
  // A second full settle would change nothing more.
  return Math.round(60 - tokens);
}

/** A response whose body ends when the test says so. */
function streaming() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(made) {
      controller = made;
    },
  });
  return {
    send: async () => new Response(body),
    write: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    end: () => controller?.close(),
    fail: () => controller?.error(new Error('broken')),
  };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

test('a call is charged when its body has ended', async () => {
  const { bucket, policy, clock } = setUp({ use: [bodyEnds] });
  const { send, write, end } = streaming();
  const response = await createFetch(policy, send)(URL_OF_IT);
  write('hello');
  expect(isHeldBack(bucket)).toBe(true);
  // Held back, and so not refilled.
  clock.tick(50_000);
  expect(bucket.stats().units?.outputTokens?.tokens).toBe(10);
  end();
  expect(await response.text()).toBe('hello');
  await soon();
  clock.tick(5_000_000);
  expect(bucket.stats().units?.outputTokens?.tokens).toBeCloseTo(15, 6);
});

test('a call is charged when its body has failed', async () => {
  const { bucket, policy, clock } = setUp();
  const { send, fail } = streaming();
  const response = await createFetch(policy, send)(URL_OF_IT);
  fail();
  await expect(response.text()).rejects.toThrow();
  await soon();
  clock.tick(5_000_000);
  expect(bucket.stats().units?.outputTokens?.tokens).toBeCloseTo(15, 6);
});

test('a request that failed is charged, and one that was never sent is not', async () => {
  const { bucket, policy } = setUp();
  const failing = (code: string) => async () => {
    throw Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) });
  };
  await expect(
    createFetch(policy, failing('ECONNREFUSED'))(URL_OF_IT, { redirect: 'error' }),
  ).rejects.toThrow();
  expect(bucket.stats().idle).toBe(true);
  await expect(createFetch(policy, failing('ECONNRESET'))(URL_OF_IT)).rejects.toThrow();
  expect(charged(bucket)).toBe(50);
});

test('at what the answer says, if that is read', async () => {
  const actualCost = readCost(async (response) => (await response.json()) as { outputTokens: number });
  const { bucket, policy } = setUp({ actualCost });
  const response = await createFetch(policy, async () => Response.json({ outputTokens: 7 }))(URL_OF_IT);
  expect(await response.json()).toEqual({ outputTokens: 7 });
  expect(charged(bucket)).toBe(7);
});

test('the event of a wait names the unit that was lacking', async () => {
  const events: EbbEvent[] = [];
  const { policy, clock, bucket } = setUp({ onEvent: (event) => events.push(event) });
  const fetch = createFetch(policy, async () => new Response('done'));
  bucket.tryAcquire({ requests: 60 });
  await clock.runUntilSettled(fetch(URL_OF_IT));
  expect(events.find(({ type }) => type === 'throttle')).toMatchObject({ waitMs: 1_000, unit: 'requests' });
});

test('each attempt takes and settles its own', async () => {
  const { bucket, policy, clock } = setUp({ maxRetries: 1, cost: { requests: 1, outputTokens: 20 } });
  const answers = [new Response('busy', { status: 503 }), new Response('done')].values();
  const response = await clock.runUntilSettled(
    createFetch(policy, async () => answers.next().value as Response)(URL_OF_IT),
  );
  await response.text();
  await soon();
  expect(charged(bucket)).toBe(40);
  clock.tick(2_000_000);
  expect(charged(bucket)).toBe(38);
});
