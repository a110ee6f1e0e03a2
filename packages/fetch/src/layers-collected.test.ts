import { setImmediate as turn } from 'node:timers/promises';
import { constant } from '@ebb/core';
import { expect, test } from 'vitest';
import { createFetch } from './index.ts';

test.skipIf(process.env.EBB_PLATFORM === 'web').each([
  ['a plain request', undefined],
  ['a request with options', { ebb: { maxRetries: 2 } }],
])('%s finds the layers below it, though its fetch is referenced no more', async (_, init) => {
  let sent = 0;
  const base = async (): Promise<Response> => {
    sent += 1;
    // The client of the caller is collected while the call is in flight.
    for (let turns = 0; turns < 6; turns += 1) {
      globalThis.gc?.();
      await turn();
    }
    return new Response(null, { status: 503 });
  };
  const below = createFetch({ backoff: constant(0), maxRetries: 4 }, base as typeof fetch);
  const once = (): Promise<Response> =>
    createFetch({ backoff: constant(0), maxRetries: 2 }, below as typeof fetch)('http://a.test/', init);
  expect((await once()).status).toBe(503);
  expect(sent).toBe(3);
});
