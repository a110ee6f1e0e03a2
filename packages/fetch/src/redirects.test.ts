import { attemptsOf, constant, type PolicyOptions, refreshOn401, tokenBucket } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { refusingUrl } from '../../../test/refusing.ts';
import { type Served, serveWith } from '../test/serve-with.ts';
import { createFetch } from './index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const POST = { method: 'POST', body: 'amount=5' };
const options: PolicyOptions = { backoff: constant(0), maxRetries: 2 };

type Target = (own: string) => string | Promise<string>;

/** Does its work at /charge, and redirects to the target. */
async function charging(target: Target): Promise<Served> {
  let location = '';
  const server: Served = await serveWith((request, response) => {
    request.resume();
    const { pathname } = new URL(request.url ?? '', server.url);
    if (pathname === '/charge') response.writeHead(303, { location }).end();
    else if (pathname === '/429') response.writeHead(429, { 'retry-after': '0' }).end('slow down');
    else response.writeHead(200).end('paid');
  });
  location = await target(server.url);
  return server;
}

const chargesOf = ({ seen }: Served) => seen.filter((request) => request.endsWith('/charge')).length;
const noName: Target = () => 'http://no-such-host.invalid/receipt';
const errorOf = (call: Promise<unknown>): Promise<unknown> => call.catch((thrown: unknown) => thrown);

test.skipIf(isWeb)('concurrent POSTs do not confuse their hops', async () => {
  const refused = await refusingUrl();
  const server = await charging(() => refused);
  const ebbFetch = createFetch(options);
  const calls = Array.from({ length: 20 }, (_, n) =>
    errorOf(ebbFetch(`${n % 2 === 0 ? server.url : refused}charge`, POST)),
  );
  const attempts = (await Promise.all(calls)).map((error) => attemptsOf(error).length);
  expect(attempts).toEqual(Array(10).fill([1, 3]).flat());
  expect(chargesOf(server)).toBe(10);
});

describe('without proof of the first hop a POST is sent once', () => {
  const cause = { message: '', code: 'ECONNREFUSED' };
  const refused = () => Promise.reject(Object.assign(new TypeError('failed'), { cause }));
  const attemptsWith = async (base: () => Promise<Response>, init: RequestInit = POST) =>
    attemptsOf(await errorOf(createFetch(options, base)('http://upstream/charge', init))).length;

  test('with a base fetch that does not use Node’s client', async () => {
    expect(await attemptsWith(refused)).toBe(1);
  });

  test('with a base fetch that fetches a token first', async () => {
    const server = await charging((own) => own);
    expect(await attemptsWith(() => fetch(server.url).then(refused))).toBe(1);
    expect(await attemptsWith(() => fetch(`${server.url}charge`, POST).then(refused))).toBe(1);
  });

  test.each<[string, RequestInit]>([
    ["redirect: 'error'", { ...POST, redirect: 'error' }],
    ["redirect: 'manual'", { ...POST, redirect: 'manual' }],
    ['an Idempotency-Key', { ...POST, headers: { 'Idempotency-Key': 'one' } }],
    ['a GET', {}],
  ])('but not %s', async (_, init) => {
    expect(await attemptsWith(refused, init)).toBe(3);
  });
});

// An attempt that is sent at once is no retry: another attempt may follow it.
test.skipIf(isWeb).each([1, 2])(
  'a POST that is redirected after a refresh is not repeated, with %i retries',
  async (maxRetries) => {
    const refused = await refusingUrl();
    let charges = 0;
    const { url } = await serveWith((request, response) => {
      request.resume();
      if (request.headers.authorization !== 'new') return response.writeHead(401).end();
      charges += 1;
      return response.writeHead(303, { location: refused }).end();
    });
    const plugins = [refreshOn401({ refresh: () => ({ authorization: 'new' }) })];
    const trustedOrigins = [new URL(url).origin];
    const ebbFetch = createFetch({ ...options, maxRetries, plugins, trustedOrigins });
    const error = await errorOf(ebbFetch(url, POST));
    expect(attemptsOf(error).map(({ reason }) => reason)).toEqual(['refused', 'not-idempotent']);
    expect(charges).toBe(1);
  },
);

test('an outcome has the redirect and the final URL', async () => {
  const server = await charging((own) => `${own}429`);
  const outcomes: unknown[] = [];
  const classify: PolicyOptions['classify'] = (outcome) => {
    if (outcome.type === 'response') outcomes.push([outcome.redirected, outcome.url]);
    return 'final';
  };
  for (const path of ['charge', '429']) await createFetch({ classify })(`${server.url}${path}`, POST);
  expect(outcomes).toEqual([
    [true, `${server.url}429`],
    [false, undefined],
  ]);
});

describe('the tokens of an attempt whose connection is refused', () => {
  /** The rest of five tokens after an attempt that takes all, with hardly any refill. */
  const leftAfter = async (url: string, init: RequestInit, more: PolicyOptions = {}, base = fetch) => {
    const bucket = tokenBucket({ refillPerSecond: 1e-9, capacity: 5, nonConforming: 'reject' });
    await expect(createFetch({ ...options, bucket, cost: 5, ...more }, base)(url, init)).rejects.toThrow(
      'failed',
    );
    return Math.round(bucket.stats().tokens);
  };

  test.skipIf(isWeb).each<[string, RequestInit, PolicyOptions]>([
    ['a GET', {}, {}],
    ['a GET, once', {}, { maxRetries: 0 }],
    ['a POST', POST, {}],
    ['a POST, once', POST, { maxRetries: 0 }],
    ['a POST with methods: all', POST, { methods: 'all' }],
    ['a request that follows no redirects', { redirect: 'manual' }, {}],
  ])('go back: %s', async (_, init, more) => {
    expect(await leftAfter(`${await refusingUrl()}charge`, init, more)).toBe(5);
  });

  test.each<[string, RequestInit, Target]>([
    ['a GET', {}, refusingUrl],
    ['a POST', POST, refusingUrl],
    ['a GET, to a target without a host', {}, noName],
  ])('stay spent if a redirect led there: %s', async (_, init, of) => {
    const server = await charging(of);
    expect(await leftAfter(`${server.url}charge`, init, { maxRetries: 0 })).toBe(0);
    expect(server.seen).toHaveLength(1);
  });

  test('stay spent if the hop is unknown', async () => {
    const base = () => Promise.reject(Object.assign(new TypeError('failed'), { code: 'ECONNREFUSED' }));
    expect(await leftAfter('http://upstream/', {}, { cost: 1 }, base as never)).toBe(2);
  });
});
