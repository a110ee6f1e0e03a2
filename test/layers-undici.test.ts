import { Readable } from 'node:stream';
import { concurrencyLimit, constant, createPolicy, type PolicyOptions, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/undici';
import { ebbInterceptor } from '@ebb/undici';
import * as undici8 from 'undici';
import * as undici7 from 'undici7';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Upstream, upstream } from '../packages/undici/test/upstream.ts';
import { refusingUrl } from './refusing.ts';

// What layers.test.ts has not: interceptors between two layers, redirects, and calls within a call.

type Undici = typeof undici8;
type Interceptor = undici8.Dispatcher.DispatcherComposeInterceptor;

const versions: readonly (readonly [string, Undici])[] = [
  ['undici 8', undici8],
  ['undici 7', undici7 as unknown as Undici],
];

/** Responds to every request with a 503, except that `/moved` redirects to `/away`. */
const away = (): Promise<Upstream> =>
  upstream((response, { path }) => {
    if (path === '/moved') response.writeHead(302, { location: '/away' }).end();
    else response.writeHead(503).end('away');
  });

const free = (options: PolicyOptions = {}) =>
  createPolicy({ maxRetries: 2, backoff: constant(0), ...options });

/** A policy with one slot: a second layer that also took the slot would deadlock. */
function shared() {
  const bucket = tokenBucket({ refillPerSecond: 1_000, capacity: 1_000 });
  const policy = free({ bucket, concurrency: concurrencyLimit({ maxConcurrent: 1 }) });
  return { policy, granted: () => bucket.stats().granted };
}

/** A new agent with interceptors, closed after the test. */
function composed({ Agent }: Undici, ...interceptors: readonly Interceptor[]): undici8.Dispatcher {
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  return agent.compose(...interceptors);
}

describe.each(versions)('%s', (_, undici) => {
  const { interceptors, request } = undici;
  const redirect = interceptors.redirect({ maxRedirections: 3 });

  test.each<[between: string, interceptor: Interceptor]>([
    ['a redirect', redirect],
    ['a dns', interceptors.dns()],
  ])(
    '%s interceptor between two layers: the outermost retries, and tokens are taken once',
    async (__, one) => {
      await using server = await away();
      const { policy, granted } = shared();
      const dispatcher = composed(undici, ebbInterceptor(policy), one, ebbInterceptor(policy));
      const { statusCode, body } = await request(server.url, { dispatcher });
      expect([statusCode, await body.text()]).toEqual([503, 'away']);
      expect([server.seen.length, granted()]).toEqual([3, 3]);
    },
  );

  test('fetch over the global dispatcher: the outermost layer retries', async () => {
    await using server = await away();
    const before = undici.getGlobalDispatcher();
    onTestFinished(() => undici.setGlobalDispatcher(before));
    undici.setGlobalDispatcher(composed(undici, ebbInterceptor(free())));
    await createFetch(free(), undici.fetch as never)(server.url);
    expect(server.seen).toHaveLength(3);
  });

  test('a redirect followed by fetch is a request of its own, with its own retries', async () => {
    await using server = await away();
    const { policy, granted } = shared();
    const init = { dispatcher: composed(undici, ebbInterceptor(policy)) } as never;
    const got = await createFetch(policy, undici.fetch as never)(`${server.url}moved`, init);
    await got.text();
    expect(server.seen.filter(({ path }) => path === '/moved')).toHaveLength(3);
    expect(server.seen.filter(({ path }) => path === '/away')).toHaveLength(3 * 3);
    expect(granted()).toBe(3 + 3 * 3);
  });

  test('a redirect followed between two layers is part of the same call', async () => {
    await using server = await away();
    const { policy } = shared();
    const dispatcher = composed(undici, ebbInterceptor(policy), redirect, ebbInterceptor(policy));
    await (await request(`${server.url}moved`, { dispatcher })).body.text();
    expect(server.seen.map(({ path }) => path)).toEqual(Array(3).fill(['/moved', '/away']).flat());
  });

  test('the ebb option of a request applies to the outer layer alone', async () => {
    await using server = await away();
    const { policy } = shared();
    const dispatcher = composed(undici, ebbInterceptor(policy), ebbInterceptor(policy));
    await (await request(server.url, { dispatcher, ebb: { maxRetries: 0 } })).body.text();
    expect(server.seen).toHaveLength(1);
    await (await request(server.url, { dispatcher, ebb: false })).body.text();
    // Without the upper layer, the lower one retries.
    expect(server.seen).toHaveLength(1 + 3);
  });

  test('a request that a body factory sends is a separate call with its own retries', async () => {
    await using server = await away();
    const policy = free({ maxRetries: 1 });
    const tokens = composed(undici, ebbInterceptor(free()));
    const dispatcher = composed(undici, ebbInterceptor(policy), ebbInterceptor(policy));
    const body = async (): Promise<Readable> => {
      const { body: token } = await request(`${server.url}token`, { dispatcher: tokens });
      return Readable.from([await token.text()]);
    };
    await (await request(`${server.url}away`, { method: 'PUT', body, dispatcher })).body.dump();
    expect(server.seen.filter(({ path }) => path === '/token')).toHaveLength(2 * 3);
    expect(server.seen.filter(({ path }) => path === '/away')).toHaveLength(2);
  });

  test('only one of two interceptors requests the rest of a broken download', async () => {
    await using server = await upstream((response, { headers }, number) => {
      if (number > 0) response.writeHead(headers.range ? 503 : 500).end('away');
      else
        response
          .writeHead(200, { etag: '"a"', 'content-length': 10 })
          .write('12345', () => response.destroy());
    });
    const resumes = resumable({ policy: free() });
    const dispatcher = composed(undici, ebbInterceptor(free()), resumes, ebbInterceptor(free()), resumes);
    const { body } = await request(server.url, { dispatcher });
    await expect(body.text()).rejects.toThrow();
    // The rest is a request of its own, which is sent three times.
    expect(server.seen).toHaveLength(4);
  });
});

describe('after a refused connection', () => {
  test.each(versions)('%s: each layer returns its tokens after each attempt', async (_, undici) => {
    // Five tokens, which hardly refill; each attempt takes all five.
    const buckets = [1, 2].map(() =>
      tokenBucket({ refillPerSecond: 1e-9, capacity: 5, nonConforming: 'reject' }),
    );
    const layers = buckets.map((bucket) => ebbInterceptor(free({ bucket, cost: 5 })));
    const sent = undici.request(await refusingUrl(), { dispatcher: composed(undici, ...layers) });
    await expect(sent).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    for (const bucket of buckets)
      expect(bucket.stats()).toMatchObject({ tokens: expect.closeTo(5), granted: 3 });
  });
});
