import { beforeEach, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { BaseFetch, createFetch as Create } from './index.ts';

let createFetch: typeof Create;

// No other client in the program.
beforeEach(async () => {
  delete (globalThis as { [key: symbol]: unknown })[Symbol.for('@ebb/core nested')];
  vi.resetModules();
  ({ createFetch } = await import('./index.ts'));
});

test('a client that is made during the first attempt of another retries in it, and in no later one', async () => {
  const server = await serve({ status: 503 });
  const three = { maxRetries: 2, backoff: () => 0 };
  let inner: BaseFetch | undefined;
  const outer = createFetch(three, (...args) => {
    inner ??= createFetch(three);
    return inner(...args);
  });
  await outer(server.url);
  expect(server.seen).toHaveLength(3 + 2);
  await outer(server.url);
  expect(server.seen).toHaveLength(3 + 2 + 3);
});

test('a mock that returns one response object for all calls is retried in each', async () => {
  const same = new Response(null, { status: 503 });
  let sends = 0;
  const mocked = createFetch({ maxRetries: 2, backoff: () => 0 }, async () => {
    sends += 1;
    return same;
  });
  createFetch();
  for (let call = 0; call < 3; call += 1) await mocked('http://a.test/');
  expect(sends).toBe(9);
});
