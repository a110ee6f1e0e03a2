import { concurrencyLimit, constant, createPolicy, type PolicyOptions, tokenBucket } from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { turns } from '../../../../test/until.ts';
import { createFetch } from '../index.ts';

const form = (): FormData => {
  const made = new FormData();
  made.set('name', 'value');
  return made;
};

const waiting: Readonly<Record<string, (clock: VirtualClock) => PolicyOptions>> = {
  'an asynchronous hook': () => ({ beforeAttempt: async () => undefined }),
  'tokens that come later': (clock) => ({
    bucket: tokenBucket({ refillPerSecond: 10, capacity: 1, initialTokens: 0, clock }),
  }),
};

describe.each(Object.entries(waiting))('a Request that waits for %s', (_, optionsOf) => {
  test.each<[body: string, make: () => BodyInit]>([
    ['a text', () => 'text'],
    ['a form', form],
    ['a stream', () => new Blob(['text']).stream()],
  ])('%s: its body stays its own until it is sent', async (__, make) => {
    const server = await serve({ status: 200, body: 'up' });
    const clock = virtualClock();
    const fetch = createFetch({ clock, backoff: constant(0), ...optionsOf(clock) });
    const request = new Request(server.url, { method: 'PUT', body: make(), duplex: 'half' } as RequestInit);
    const sent = fetch(request);
    expect(request.bodyUsed).toBe(false);
    await clock.advance(100);
    expect((await sent).status).toBe(200);
    expect(server.seen[0]?.body).toContain(make() instanceof FormData ? 'value' : 'text');
    await server.close();
  });
});

test('a Request that is used already fails as without ebb', async () => {
  const request = new Request('http://a.test/', { method: 'PUT', body: 'text' });
  await request.text();
  const bare = await fetch(request).catch((error: Error) => error);
  const fetchLater = createFetch({ maxRetries: 0, beforeAttempt: async () => undefined });
  const got = await fetchLater(request).catch((error: Error) => error);
  expect(got).toMatchObject({ name: (bare as Error).name, message: (bare as Error).message });
});

describe('a Request that is never sent', () => {
  test.each<[body: string, make: () => BodyInit]>([
    ['a text', () => 'text'],
    ['a form', form],
    ['a stream', () => new Blob(['text']).stream()],
  ])('%s: leaves no rejection behind', async (_, make) => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    onTestFinished(() => void process.off('unhandledRejection', onRejection));
    for (const options of [
      { stopSignal: AbortSignal.abort() },
      { concurrency: concurrencyLimit({ maxConcurrent: 1, maxQueue: 0 }), maxWaitMs: 0 },
      { beforeAttempt: () => Promise.reject(new Error('no token')) },
    ] satisfies PolicyOptions[]) {
      const policy = createPolicy(options);
      if (options.concurrency) options.concurrency.tryAcquire();
      const init = { method: 'PUT', body: make(), duplex: 'half' } as RequestInit;
      await expect(createFetch(policy)(new Request('http://a.test/', init))).rejects.toThrow();
    }
    await turns(5);
    expect(rejections).toEqual([]);
  });
});
