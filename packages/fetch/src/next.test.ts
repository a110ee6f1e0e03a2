import { constant } from '@ebb/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFetch, type EbbRequestInit } from './index.ts';

const PATCHED = Symbol.for('next-patch');
const globals = globalThis as { [PATCHED]?: boolean };

beforeEach(() => {
  globals[PATCHED] = true;
});

afterEach(() => {
  delete globals[PATCHED];
});

type Args = [input: string | URL | Request, init?: RequestInit];

/** The arguments of each attempt of a call that needs three. */
async function sentBy(input: Args[0], init?: EbbRequestInit, attemptTimeoutMs?: number): Promise<Args[]> {
  const sent: Args[] = [];
  const base = async (...args: Args): Promise<Response> => {
    sent.push(args);
    return new Response('', { status: sent.length < 3 ? 503 : 200 });
  };
  const response = await createFetch({ backoff: constant(0), attemptTimeoutMs }, base as never)(
    input as never,
    init,
  );
  expect(response.status).toBe(200);
  return sent;
}

const url = 'http://upstream/';

class Init {
  get redirect(): 'error' {
    return 'error';
  }
  headers = { a: 'b' };
}

describe('in Next.js a retry has a URL and a signal of its own', () => {
  const rows: Record<string, [Args[0], init: object | null | undefined, expected: object]> = {
    'a string': [url, undefined, {}],
    'a URL': [new URL(url), undefined, {}],
    HEAD: [url, { method: 'head' }, { method: 'head' }],
    'init with next': [
      url,
      { next: { revalidate: 60, tags: ['a'] } },
      { next: { revalidate: 60, tags: ['a'] } },
    ],
    'init with options of ebb': [url, { cache: 'no-store', ebb: { maxRetries: 3 } }, { cache: 'no-store' }],
    'an init of a class': [url, new Init(), { redirect: 'error', headers: { a: 'b' } }],
    'an init of null': [url, null, {}],
    'a Request': [new Request(url, { cache: 'no-store' }), undefined, { method: 'GET', cache: 'no-store' }],
    'a Request and an init': [
      new Request(url, { redirect: 'error' }),
      { redirect: 'manual', next: { tags: ['a'] } },
      { method: 'GET', redirect: 'manual', next: { tags: ['a'] } },
    ],
    'a Request for an init': [url, new Request(url, { redirect: 'error' }), { redirect: 'error' }],
  };

  test.each(Object.entries(rows))('%s', async (_, [input, init, expected]) => {
    const [first, ...retries] = await sentBy(input, init as EbbRequestInit);
    expect(first?.[0]).toBe(input);
    expect(first?.[1]?.signal).toBe((init as RequestInit | undefined)?.signal);
    for (const [sentInput, sentInit] of retries) {
      expect(String(sentInput)).toBe(url);
      expect(sentInit).toMatchObject(expected);
      expect(sentInit).not.toHaveProperty('ebb');
      expect(sentInit?.signal).toBeInstanceOf(AbortSignal);
    }
  });

  test.each<[string, Args[0], object | undefined]>([
    ['a Request', new Request(url, { headers: { a: 'b' } }), undefined],
    ['an iterator', url, { headers: new Map([['a', 'b']]).entries() }],
  ])('headers of %s are sent again', async (_, input, init) => {
    const sent = await sentBy(input, init as EbbRequestInit);
    expect(sent.slice(1).map(([, retry]) => new Headers(retry?.headers).get('a'))).toEqual(['b', 'b']);
  });

  test('an attempt timeout ends a retry', async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const base = (_: unknown, init?: RequestInit): Promise<Response> => {
      signals.push(init?.signal);
      if (signals.length === 1) return Promise.resolve(new Response('', { status: 503 }));
      return new Promise(() => {});
    };
    const options = { backoff: constant(0), maxRetries: 1, attemptTimeoutMs: 1 };
    await expect(createFetch(options, base as never)(url)).rejects.toThrow('no response within 1 ms');
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, true]);
  });
});

describe('nothing changes', () => {
  test('for a POST', async () => {
    const init = { method: 'POST', headers: { 'idempotency-key': '1' } };
    const sent = await sentBy(url, init);
    expect(sent).toEqual([
      [url, init],
      [url, init],
      [url, init],
    ]);
  });

  test('outside Next.js', async () => {
    delete globals[PATCHED];
    const request = new Request(url);
    const sent = await sentBy(request);
    expect(sent.map(([input]) => input)).toEqual([request, request, request]);
    expect(sent.map(([, init]) => init?.signal)).toEqual([undefined, undefined, undefined]);
  });
});
