import { AsyncLocalStorage } from 'node:async_hooks';
import { attemptsOf, constant, createPolicy, tokenBucket } from '@ebb/core';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { createFetch } from './index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const options = { backoff: constant(0), maxRetries: 2 };

/** Code between two layers. */
const wrappers: Record<string, (inner: typeof fetch) => typeof fetch> = {
  nothing: (inner) => inner,
  'a copy of the init': (inner) => (input, init) => inner(input, { ...init }),
  'a new Request': (inner) => (input, init) => inner(new Request(input, init)),
  'a turn of the event loop': (inner) => async (input, init) => {
    await new Promise(setImmediate);
    return inner(input, init);
  },
  'a new Response': (inner) => async (input, init) => {
    const response = await inner(input, init);
    return new Response(response.body, response);
  },
  'a token that is fetched first': (inner) => async (input, init) => {
    const token = await inner(new URL('/token', String(input)));
    await token.text();
    return inner(input, init);
  },
};

// Browsers find a layer by the mark in the init alone.
describe.skipIf(isWeb).each(Object.entries(wrappers))(
  'of two layers, with %s between them, the outer one retries',
  (name, glue) => {
    const withToken = name.includes('token');

    test('and the inner one sends once', async () => {
      const server = await serve({ status: 503 });
      const ebbFetch = createFetch(options, glue(createFetch(options)));
      expect((await ebbFetch(server.url)).status).toBe(503);
      const paths = server.seen.map(({ path }) => path);
      expect(paths.filter((path) => path === '/')).toHaveLength(3);
      // A fetch inside the wrapper is a call of its own.
      expect(paths.filter((path) => path === '/token')).toHaveLength(withToken ? 9 : 0);
    });

    test('and tokens are taken once for a policy that both share', async () => {
      const server = await serve({ status: 200 });
      const bucket = tokenBucket({ capacity: 10, refillPerSecond: 0.001 });
      const policy = createPolicy({ ...options, bucket });
      expect((await createFetch(policy, glue(createFetch(policy)))(server.url)).status).toBe(200);
      expect(Math.round(10 - bucket.stats().tokens)).toBe(withToken ? 2 : 1);
    });
  },
);

test('the `ebb` option of a request affects only the layer that gets it', async () => {
  const server = await serve({ status: 503 });
  const ebbFetch = createFetch(options, createFetch(options));
  await ebbFetch(server.url, { ebb: { maxRetries: 1 } });
  expect(server.seen).toHaveLength(2);
});

test.skipIf(isWeb)(
  'with two layers, a POST whose connection is refused is still known to have failed at its first hop',
  async () => {
    const server = await serve({ status: 200 });
    await server.close();
    const failures: number[] = [];
    const classify = () => {
      failures.push(1);
      return 'refused' as const;
    };
    const ebbFetch = createFetch({ ...options, classify }, createFetch(options));
    await expect(ebbFetch(server.url, { method: 'POST', body: 'text' })).rejects.toThrow('fetch failed');
    expect(failures).toHaveLength(3);
  },
);

test.skipIf(isWeb)(
  'a base fetch is not called again after a request that it has made was repeated and has failed',
  async () => {
    const token = createFetch(options, async () => {
      throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
    });
    let calls = 0;
    const ebbFetch = createFetch(options, async () => {
      calls += 1;
      return token('https://auth.test/token');
    });
    const error = await ebbFetch('https://upstream.test/').catch((thrown: unknown) => thrown);
    expect(calls).toBe(1);
    // The history is that of the request that failed.
    expect(attemptsOf(error).map(({ reason }) => reason)).toEqual([
      'transient',
      'transient',
      'retries-exhausted',
    ]);
  },
);

describe('two clients in one program', () => {
  async function contextsOf(base: typeof fetch): Promise<number> {
    createFetch();
    const server = await serve({ status: 200 });
    const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
    await (await createFetch(options, base)(server.url)).text();
    const contexts = run.mock.calls.length;
    run.mockRestore();
    return contexts;
  }

  test('cost a request through the runtime’s own fetch no async context', async () => {
    expect(await contextsOf(globalThis.fetch)).toBe(0);
  });

  test.skipIf(isWeb)('cost one through any other fetch, which may lead to the other client', async () => {
    expect(await contextsOf((input, init) => fetch(input, init))).toBe(1);
  });
});
