import { constant, tokenBucket } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { type BaseFetch, createFetch } from './index.ts';

// A program may use the arguments of a call again for another one, with changes, before the call has ended.

const URL_A = 'https://a.test/?page=1';

/** What each attempt would send. */
async function read(...[input, init]: Parameters<BaseFetch>): Promise<string> {
  const request = new Request(input, init);
  const { method, url, headers } = request;
  return [method, url, headers.get('x-user'), await request.clone().text()].join(' ');
}

/** A base fetch that fails once. */
function failingOnce() {
  const sent: Promise<string>[] = [];
  const base: BaseFetch = async (...given) => {
    sent.push(read(...given));
    return new Response('', { status: sent.length === 1 ? 503 : 200 });
  };
  return { base, sent };
}

const policies = {
  'sent at once': () => ({ backoff: constant(0) }),
  'with hooks': () => ({ backoff: constant(0), onEvent: () => undefined, attemptTimeoutMs: 1_000 }),
  'that waits': () => ({
    backoff: constant(0),
    bucket: tokenBucket({ capacity: 1, refillPerSecond: 100, initialTokens: 0 }),
  }),
};

type Reused = readonly [input: Parameters<BaseFetch>[0], init: RequestInit | undefined, change: () => void];

const pairs = (): [string, string][] => [['x-user', 'one']];

const REUSED: Readonly<Record<string, () => Reused>> = {
  'a record of headers'() {
    const headers: Record<string, string> = { 'x-user': 'one' };
    return [URL_A, { headers }, () => Object.assign(headers, { 'x-user': 'two' })];
  },
  Headers() {
    const headers = new Headers(pairs());
    return [URL_A, { headers }, () => headers.set('x-user', 'two')];
  },
  'a list of headers'() {
    const headers = pairs();
    return [URL_A, { headers }, () => headers.splice(0, 1, ['x-user', 'two'])];
  },
  'a pair of a list'() {
    const headers = pairs();
    return [URL_A, { headers }, () => headers[0]?.splice(1, 1, 'two')];
  },
  'a map of headers'() {
    const headers = new Map(pairs());
    return [URL_A, { headers: headers as never }, () => headers.set('x-user', 'two')];
  },
  'an init'() {
    const init: RequestInit = { headers: pairs() };
    return [URL_A, init, () => Object.assign(init, { method: 'DELETE', headers: {} })];
  },
  'a URL'() {
    const url = new URL(URL_A);
    return [url, { headers: pairs() }, () => url.searchParams.set('page', '2')];
  },
  'a Request'() {
    const request = new Request(URL_A, { headers: pairs(), referrer: 'about:client' });
    return [request, undefined, () => request.headers.set('x-user', 'two')];
  },
  'a Request and an init'() {
    const request = new Request(URL_A, { headers: pairs() });
    return [request, { cache: 'no-store' }, () => request.headers.set('x-user', 'two')];
  },
  'parameters as a body'() {
    const body = new URLSearchParams('a=1');
    return [URL_A, { method: 'PUT', headers: pairs(), body }, () => body.set('a', '2')];
  },
};

describe.each(Object.entries(policies))('of a call %s', (_, policy) => {
  test.each(Object.entries(REUSED))('%s that is changed changes no attempt', async (_, make) => {
    const [input, init, change] = make();
    const first = await read(...(make().slice(0, 2) as Parameters<BaseFetch>));
    const { base, sent } = failingOnce();
    const got = createFetch(policy(), base)(input, init);
    change();
    expect((await got).status).toBe(200);
    expect(await Promise.all(sent)).toEqual([first, first]);
    expect(first).toContain(' one ');
  });
});

test.each([[null], ['x'], [5], [[5]], [[['a']]], [{ '': 'x' }]])(
  'headers %j are refused as bare',
  async (headers) => {
    const init = { headers: headers as never };
    const bare = await fetch('http://127.0.0.1:1/', init).catch((error: unknown) => error);
    for (const policy of Object.values(policies)) {
      const ours = createFetch({ maxRetries: 0, ...policy() })('http://127.0.0.1:1/', init);
      expect(await ours.catch((error: unknown) => error)).toEqual(bare);
    }
  },
);

test('a retry of a Request has its referrer', async () => {
  const seen: string[] = [];
  const base: BaseFetch = async (input, init) => {
    const { referrer, referrerPolicy } = new Request(input, init);
    seen.push(`${referrer} ${referrerPolicy}`);
    return new Response('', { status: 503 });
  };
  const request = new Request(URL_A, { referrer: '', referrerPolicy: 'origin' });
  await createFetch({ maxRetries: 1, backoff: constant(0) }, base)(request);
  // Node loses them with the first already.
  expect(seen[1]).toBe(' origin');
});
