import { bodyEnds, createPolicy, type EbbEvent, type Policy, type QuotaBucket, quotaBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { createFetch } from './index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

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
  const { bucket, policy, clock } = setUp({ plugins: [bodyEnds] });
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

describe.skipIf(isWeb)('without bodyEnds', () => {
  /** The ways in which a caller can be done with a body. */
  const ways: Readonly<Record<string, (response: Response, end: () => void) => Promise<unknown>>> = {
    text: (response, end) => {
      const read = response.text();
      end();
      return read;
    },
    'a clone and the response': async (response, end) => {
      const both = [response.clone().text(), response.text()];
      end();
      return Promise.all(both);
    },
    'the stream': async (response, end) => {
      end();
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) void part;
    },
    cancel: (response) => (response.body as ReadableStream).cancel(),
  };

  test.each(Object.entries(ways))(
    'a body that takes ten seconds is charged at its end: %s',
    async (_, use) => {
      const { bucket, policy, clock } = setUp();
      const { send, write, end } = streaming();
      const response = await createFetch(policy, send)(URL_OF_IT);
      write('hello');
      await soon();
      // Longer than the client reads ahead.
      await clock.advance(10_000);
      expect(isHeldBack(bucket)).toBe(true);
      await use(response, end);
      await soon();
      expect(clock.pending).toBe(0);
      clock.tick(5_000);
      // As at its end; 1 token comes in within 1,000 s.
      expect(bucket.stats().units?.outputTokens?.tokens).toBeCloseTo(10.005, 6);
    },
  );

  test('a long body that is not read is held back, and charged after ten minutes', async () => {
    const { bucket, policy, clock } = setUp();
    const { send, write } = streaming();
    await createFetch(policy, send)(URL_OF_IT);
    write('hello');
    await soon();
    await clock.advance(2_000);
    expect(isHeldBack(bucket)).toBe(true);
    expect(clock.pending).toBe(0);
    clock.tick(597_999);
    expect(bucket.stats().units?.outputTokens?.tokens).toBe(10);
    clock.tick(1 + 5_000_000);
    expect(bucket.stats().units?.outputTokens?.tokens).toBeCloseTo(15, 6);
  });
});

test.runIf(isWeb)(
  'where no client sees a body end, one that nothing watches is charged with its response',
  async () => {
    const { bucket, policy, clock } = setUp();
    await createFetch(policy, streaming().send)(URL_OF_IT);
    clock.tick(5_000_000);
    expect(bucket.stats().units?.outputTokens?.tokens).toBeCloseTo(15, 6);
  },
);

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

test('the event of a wait names the unit that was lacking', async () => {
  const events: EbbEvent[] = [];
  const { policy, clock, bucket } = setUp({ onEvent: (event) => events.push(event) });
  const fetch = createFetch(policy, async () => new Response('done'));
  bucket.tryAcquire({ requests: 60 });
  await clock.runUntilSettled(fetch(URL_OF_IT));
  expect(events.find(({ type }) => type === 'wait')).toMatchObject({ waitMs: 1_000, unit: 'requests' });
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
