import { expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { BaseFetch } from './index.ts';

test.each([1, 2])(
  'a client that is made during the call of another does not multiply attempts: call %i of the same',
  async (calls) => {
    // No other client in the program.
    vi.resetModules();
    const { createFetch } = await import('./index.ts');
    const server = await serve({ status: 503 });
    const three = { maxRetries: 2, backoff: () => 0 };
    let inner: BaseFetch | undefined;
    const outer = createFetch(three, (...args) => {
      inner ??= createFetch(three);
      return inner(...args);
    });
    for (let call = 0; call < calls; call += 1) await outer(server.url);
    expect(server.seen).toHaveLength(3 * calls);
  },
);

test('a mock that returns one response object for all calls is retried in each', async () => {
  vi.resetModules();
  const { createFetch } = await import('./index.ts');
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
