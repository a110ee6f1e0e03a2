import { attemptsOf, constant, type PolicyOptions, tokenBucket } from '@ebb/core';
import * as undici from 'undici';
import { describe, expect, test } from 'vitest';
import { refusingUrl } from '../../../test/refusing.ts';
import { type Served, serveWith } from '../test/serve-with.ts';
import { createFetch } from './index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const POST = { method: 'POST', body: 'amount=5' };
const options: PolicyOptions = { backoff: constant(0), maxRetries: 2 };

/** Does its work at /charge, and redirects to `target`. */
async function charging(target: (own: string) => string, status = 303): Promise<Served> {
  const server: Served = await serveWith((request, response) => {
    request.resume();
    const { pathname } = new URL(request.url ?? '', server.url);
    if (pathname === '/charge') response.writeHead(status, { location: target(server.url) }).end();
    else if (pathname === '/429') response.writeHead(429, { 'retry-after': '0' }).end('slow down');
    else if (pathname === '/reset') response.destroy();
    else response.writeHead(200).end('paid');
  });
  return server;
}

const chargesOf = ({ seen }: Served) => seen.filter((request) => request.endsWith('/charge')).length;

const bases: [string, typeof fetch][] = [
  ['the global fetch', fetch],
  ["undici 8's fetch", undici.fetch as never],
  [
    'a fetch that waits first',
    async (input, init) => new Promise(setImmediate).then(() => fetch(input, init)),
  ],
];

describe.each(bases)('a POST that was processed and redirected is not repeated, over %s', (_, base) => {
  test.each([303, 302, 307, 308])('after %i to a target that responds 429', async (status) => {
    const server = await charging((own) => `${own}429`, status);
    const response = await createFetch(options, base)(`${server.url}charge`, POST);
    expect([response.status, await response.text()]).toEqual([429, 'slow down']);
    expect(chargesOf(server)).toBe(1);
    expect(attemptsOf(response).map(({ reason }) => reason)).toEqual(['not-idempotent']);
  });

  test.each<[target: string, status: number, of: (own: string) => string | Promise<string>]>([
    ['refuses the connection', 303, refusingUrl],
    ['refuses the connection', 307, refusingUrl],
    ['has no DNS name', 303, () => 'http://no-such-host.invalid/receipt'],
    ['breaks the connection', 303, (own) => `${own}reset`],
  ])('to a target that %s, after %i', async (_, status, of) => {
    let target = '';
    const server = await charging(() => target, status);
    target = await of(server.url);
    const call = createFetch(options, base)(`${server.url}charge`, POST);
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: 'fetch failed' });
    expect(chargesOf(server)).toBe(1);
    expect(attemptsOf(error).map(({ reason }) => reason)).toEqual(['not-idempotent']);
  });

  // Browsers do not tell at which hop a request failed, so it is not repeated there.
  test.skipIf(isWeb)('but it is if the connection to its own URL is refused', async () => {
    const url = `${await refusingUrl()}charge?amount=5#top`;
    const error = await createFetch(options, base)(url, POST).catch((thrown: unknown) => thrown);
    expect(attemptsOf(error).map(({ reason }) => reason)).toEqual([
      'refused',
      'refused',
      'retries-exhausted',
    ]);
  });
});

test('a POST given as a Request is not repeated', async () => {
  const refused = await refusingUrl();
  const server = await charging(() => refused);
  await expect(createFetch(options)(new Request(`${server.url}charge`, POST))).rejects.toThrow(
    'fetch failed',
  );
  expect(chargesOf(server)).toBe(1);
});

test.skipIf(isWeb)('a hundred concurrent POSTs do not confuse their hops', async () => {
  const refused = await refusingUrl();
  const server = await charging(() => refused);
  const ebbFetch = createFetch(options);
  const settled = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const url = n % 2 === 0 ? `${server.url}charge` : `${refused}charge`;
      const error = await ebbFetch(url, POST).catch((thrown: unknown) => thrown);
      return attemptsOf(error).length;
    }),
  );
  expect(settled).toEqual(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? 1 : 3)));
  expect(chargesOf(server)).toBe(50);
});

describe('without proof of the first hop a POST is sent once', () => {
  const refusal = () =>
    Object.assign(new TypeError('failed'), { cause: { message: '', code: 'ECONNREFUSED' } });
  const attemptsWith = async (base: () => Promise<Response>, init: RequestInit = POST) => {
    const error = await createFetch(options, base)('http://upstream/charge', init).catch(
      (thrown: unknown) => thrown,
    );
    return attemptsOf(error).length;
  };
  const refused = () => Promise.reject(refusal());

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

test('an outcome has the redirect and the final URL', async () => {
  const server = await charging((own) => `${own}429`);
  const outcomes: unknown[] = [];
  const classify: PolicyOptions['classify'] = (outcome) => {
    if (outcome.type === 'response') outcomes.push([outcome.status, outcome.redirected, outcome.url]);
    return 'final';
  };
  await createFetch({ classify })(`${server.url}charge`, POST);
  await createFetch({ classify })(`${server.url}429`);
  expect(outcomes).toEqual([
    [429, true, `${server.url}429`],
    [429, false, undefined],
  ]);
});

describe('the tokens of an attempt whose connection is refused', () => {
  /** Five tokens, with hardly any refill; an attempt takes all of them. */
  const tokens = () => tokenBucket({ refillPerSecond: 1e-9, capacity: 5, nonConforming: 'reject' });
  const leftAfter = async (url: string, init: RequestInit, more: PolicyOptions = {}): Promise<number> => {
    const bucket = tokens();
    const policy = { ...options, bucket, cost: 5, ...more };
    await expect(createFetch(policy)(url, init)).rejects.toThrow('fetch failed');
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

  test.each<[string, RequestInit, target: () => string | Promise<string>]>([
    ['a GET', {}, refusingUrl],
    ['a POST', POST, refusingUrl],
    ['a GET, to a target without a host', {}, () => 'http://no-such-host.invalid/receipt'],
  ])('stay spent if a redirect led there: %s', async (_, init, of) => {
    const target = await of();
    const server = await charging(() => target);
    expect(await leftAfter(`${server.url}charge`, init, { maxRetries: 0 })).toBe(0);
    expect(server.seen).toHaveLength(1);
  });

  test('stay spent if the hop is unknown', async () => {
    const bucket = tokens();
    const base = () => Promise.reject(Object.assign(new TypeError('failed'), { code: 'ECONNREFUSED' }));
    await expect(createFetch({ ...options, bucket }, base)('http://upstream/')).rejects.toThrow('failed');
    expect(Math.round(bucket.stats().tokens)).toBe(2);
  });
});
