import { bodyEnds, createPolicy, type Policy, quotaBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { turns } from '../../../test/until.ts';
import { createFetch } from './index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const URL_OF_IT = 'http://service.test/';

/** A call takes 50 of 60 tokens until its body has ended. One token comes in within 1,000 seconds. */
function setUp(more: Partial<Policy> = {}) {
  const clock = virtualClock({ startMs: 0 });
  const limits = {
    requests: { refillPerSecond: 1, capacity: 60 },
    outputTokens: { refillPerSecond: 1e-3, capacity: 60, chargeOn: 'completion' as const },
  };
  const bucket = quotaBucket({ limits, clock });
  const cost = { requests: 1, outputTokens: 50 };
  const policy = createPolicy({ bucket, cost, clock, maxRetries: 0, ...more });
  const tokens = (): number => bucket.stats().units?.outputTokens?.tokens ?? Number.NaN;
  /** Tokens that are held back are not refilled. */
  const expectHeldBack = (): void => expect([bucket.stats().idle, tokens()]).toEqual([false, 10]);
  const expectCharged = (): void => {
    clock.tick(5_000_000);
    expect(tokens()).toBeCloseTo(15, 6);
  };
  return { clock, bucket, policy, tokens, expectHeldBack, expectCharged };
}

/** A response whose body ends when the test says so. */
function streaming() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const start = (made: ReadableStreamDefaultController<Uint8Array>): void => {
    controller = made;
    controller.enqueue(new TextEncoder().encode('hello'));
  };
  const body = new ReadableStream<Uint8Array>({ start });
  return {
    send: async () => new Response(body),
    end: () => controller?.close(),
    fail: () => controller?.error(new Error('broken')),
  };
}

const soon = () => turns(20);

test('a call is charged when its body has ended', async () => {
  const { policy, clock, expectHeldBack, expectCharged } = setUp({ plugins: [bodyEnds] });
  const { send, end } = streaming();
  const response = await createFetch(policy, send)(URL_OF_IT);
  clock.tick(50_000);
  expectHeldBack();
  end();
  expect(await response.text()).toBe('hello');
  await soon();
  expectCharged();
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

  test.each(Object.entries(ways))('a body of ten seconds is charged at its end: %s', async (_, use) => {
    const { policy, clock, tokens, expectHeldBack } = setUp();
    const { send, end } = streaming();
    const response = await createFetch(policy, send)(URL_OF_IT);
    await soon();
    // Longer than the client reads ahead.
    await clock.advance(10_000);
    expectHeldBack();
    await use(response, end);
    await soon();
    expect(clock.pending).toBe(0);
    clock.tick(5_000);
    expect(tokens()).toBeCloseTo(10.005, 6);
  });

  test('a long body that is not read is held back, and charged after ten minutes', async () => {
    const { policy, clock, expectHeldBack, expectCharged } = setUp();
    await createFetch(policy, streaming().send)(URL_OF_IT);
    await soon();
    await clock.advance(2_000);
    expect(clock.pending).toBe(0);
    clock.tick(597_999);
    expectHeldBack();
    clock.tick(1);
    expectCharged();
  });
});

test.runIf(isWeb)(
  'where no client sees a body end, one that nothing watches is charged with its response',
  async () => {
    const { policy, expectCharged } = setUp();
    await createFetch(policy, streaming().send)(URL_OF_IT);
    expectCharged();
  },
);

test('a call is charged when its body has failed', async () => {
  const { policy, expectCharged } = setUp();
  const { send, fail } = streaming();
  const response = await createFetch(policy, send)(URL_OF_IT);
  fail();
  await expect(response.text()).rejects.toThrow();
  await soon();
  expectCharged();
});
