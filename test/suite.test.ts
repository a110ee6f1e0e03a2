import { readFileSync } from 'node:fs';
import type { Policy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { type AdapterUnderTest, type Client, type Respond, type Runner, rowsFor, suite } from '@ebb/testing';
import { describe, expect, test } from 'vitest';
import { fetchClient } from './fetch-client.ts';

const adapter: AdapterUnderTest = {
  name: 'createFetch',
  client: (policy) => fetchClient(policy),
  lacks: { pool: 'fetch has no limit of connections' },
};

const row = (name: string, of: AdapterUnderTest = adapter) => {
  const found = rowsFor(of).find((one) => one.name === name);
  return found ?? expect.fail(`no row ${name}`);
};

test('each row has a name of its own, and the adapter for node:http tells how many there are', () => {
  const names = rowsFor(adapter).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(readFileSync('examples/node-http/main.ts', 'utf8')).toContain(` of ${names.length} rows pass`);
});

describe('an adapter that is wrong', () => {
  const withHistory = (policy: Policy, send: Client['send']): Client => ({ ...fetchClient(policy), send });

  test.each<[fault: string, row: string, complaint: RegExp, client: (policy: Policy) => Client]>([
    [
      'it sends without ebb',
      '503, then 200',
      /^delays: expected \[1000\], got \[\]\n.*requests received: expected 2, got 1\nstatus: expected 200, got 503/s,
      (policy) =>
        withHistory(policy, async (url) => {
          const response = await fetch(url);
          return { status: response.status, body: await response.text() };
        }),
    ],
    [
      'it leaves a timer',
      '200',
      /^timers left: expected 0, got 1\n/,
      (policy) => {
        policy.clock.schedule(() => {}, 60_000);
        return fetchClient(policy);
      },
    ],
    [
      'it sends a body only once',
      'PUT, 503',
      /^bodies received: expected \["text","text"\], got \["text",""\]/,
      (policy) => {
        let sends = 0;
        const ebbFetch = createFetch(policy, (input, init) => {
          sends += 1;
          return fetch(input as string, sends === 1 ? init : { ...init, body: null });
        });
        return {
          ...fetchClient(policy),
          async send(url, { method = 'GET', body = null }) {
            const response = await ebbFetch(url, { method, body });
            return { status: response.status, body: await response.text() };
          },
          history: () => undefined,
        };
      },
    ],
    [
      'its responses have no history',
      'the history of a call that was retried',
      /^the response has no history\nreceived: GET \/, node$/m,
      (policy) => ({ ...fetchClient(policy), history: () => undefined }),
    ],
    [
      'it passes no signal on',
      'an abort while waiting for a token',
      /^the reason of the end: expected "aborted", got/,
      (policy) => {
        const client = fetchClient(policy);
        const impatient = { cost: 1, maxWaitMs: 0 };
        return withHistory(policy, (url, sent) => client.send(url, { ...sent, ebb: impatient }));
      },
    ],
  ])('%s', async (_, name, complaint, client) => {
    const lacks = name === 'PUT, 503' ? { history: 'not looked at here' } : {};
    await expect(row(name, { ...adapter, client, lacks }).run()).rejects.toThrow(complaint);
  });

  test('a call that rejects is the cause of the complaint', async () => {
    const bug = new Error('a bug');
    const client = (policy: Policy): Client => withHistory(policy, () => Promise.reject(bug));
    await expect(row('200', { ...adapter, client }).run()).rejects.toMatchObject({ cause: bug });
  });
});

describe('rows that are skipped', () => {
  test('say why: what the adapter lacks, a name, or a mock', () => {
    const lacking: AdapterUnderTest = {
      ...adapter,
      lacks: { redirects: 'it follows none', streams: 'it takes no streams' },
      skips: { '404': 'there is no such thing here' },
      mock: () => expect.fail('nothing is run'),
    };
    const skipped = new Map(rowsFor(lacking).map((one) => [one.name, one.skipped]));
    expect(skipped.get('a stream is sent once')).toBe('it takes no streams');
    expect(skipped.get('404')).toBe('there is no such thing here');
    expect(skipped.get('a redirect to another origin drops a credential of beforeAttempt')).toBe(
      'it follows none',
    );
    expect(skipped.get('a refused connection')).toBe('a mock cannot misbehave as a server does');
    expect(skipped.get('503, then 200')).toBeUndefined();
  });

  test('a name that is no row is an error', () => {
    const wrong = { ...adapter, skips: { '503 then 200': 'a typing error' } };
    expect(() => rowsFor(wrong)).toThrow(new TypeError('createFetch: the suite has no row "503 then 200"'));
    const differs = { '4O4': { hits: 2, why: 'another one' } };
    expect(() => suite({ test }, { ...adapter, differs })).toThrow(TypeError);
  });

  test.each<[runner: string, make: (defined: string[]) => Runner, ways: readonly string[]]>([
    [
      'with skip and describe',
      (defined) => ({
        describe: (name, define) => {
          defined.push(`describe ${name}`);
          define();
        },
        test: Object.assign((name: string) => void defined.push(`test ${name}`), {
          skip: (name: string) => void defined.push(`skip ${name}`),
        }),
      }),
      ['describe createFetch', 'test 200', 'skip a stream is sent once (skipped: it takes none)'],
    ],
    [
      'with ignore alone, as Deno has it',
      (defined) => ({
        test: Object.assign((name: string) => void defined.push(`test ${name}`), {
          ignore: (name: string) => void defined.push(`ignore ${name}`),
        }),
      }),
      ['test createFetch: 200', 'ignore createFetch: a stream is sent once (skipped: it takes none)'],
    ],
    [
      'with neither',
      (defined) => ({ test: (name) => void defined.push(`test ${name}`) }),
      ['test createFetch: 200', 'test createFetch: a stream is sent once (skipped: it takes none)'],
    ],
  ])('in a runner %s', (_, make, ways) => {
    const defined: string[] = [];
    suite(make(defined), { ...adapter, lacks: { streams: 'it takes none' } });
    expect(defined).toEqual(expect.arrayContaining([...ways]));
    const tests = defined.filter((one) => !one.startsWith('describe'));
    expect(tests.length).toBe(rowsFor(adapter).length);
  });
});

describe('over a stub in place of the network', () => {
  // Set by the row that is running: one at a time.
  let respond: Respond;
  const stub: typeof fetch = async (input, init) => {
    init?.signal?.throwIfAborted();
    const response = await respond(new Request(input, init));
    if (response.type === 'error') throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
    return response;
  };
  suite(
    { describe, test },
    {
      ...adapter,
      name: 'createFetch',
      client: (policy) => fetchClient(policy, {}, stub),
      mock: async (given) => {
        respond = given;
        return { url: 'http://stub.test/' };
      },
    },
  );
});
