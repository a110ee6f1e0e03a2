import { attemptsOf, concurrencyLimit, constant } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import nodeFetch3 from 'node-fetch';
// @ts-expect-error it comes without types
import nodeFetch2 from 'node-fetch2';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { createFetch } from './index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const atOnce = { backoff: constant(0) };
const DOWN: Step = { status: 503, body: 'down' };
const UP: Step = { status: 200, body: 'up' };

describe('the base fetch is called as a plain function', () => {
  /** Checks its receiver, as the fetch of browsers and workers does. */
  function strict(this: unknown, ...args: Parameters<typeof fetch>): Promise<Response> {
    if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation');
    return fetch(...args);
  }

  test.each<[string, RequestInit]>([
    ['with a body', { method: 'PUT', body: 'text' }],
    ['with a POST, whose hops are counted', { method: 'POST', body: 'text' }],
    ['with a signal', { signal: new AbortController().signal }],
    ['with a factory', { method: 'PUT', body: () => 'text' } as never],
    ['without ebb', { ebb: false } as never],
    ['without ebb, and with a factory', { method: 'PUT', body: () => 'text', ebb: false } as never],
    ['with an attempt timeout', { ebb: { attemptTimeoutMs: 60_000 } } as never],
    ['without options, and for retries as well', {}],
  ])('%s', async (what, init) => {
    const server = await serve(...(what.includes('retries') ? [DOWN, UP] : [UP]));
    expect((await createFetch(atOnce, strict)(server.url, init)).status).toBe(200);
  });
});

test.each<[what: string, first: () => unknown, reasons: string[]]>([
  [
    'that throws at once',
    () => {
      throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
    },
    ['transient', 'success'],
  ],
  ['that returns no promise', () => new Response('first'), ['success']],
])('a base fetch %s is as any other', async (_, first, reasons) => {
  const base = vi.fn(async () => new Response()).mockImplementationOnce(first as never);
  const response = await createFetch(atOnce, base)('http://upstream/');
  expect(attemptsOf(response).map(({ reason }) => reason)).toEqual(reasons);
});

test('the method is converted to a string, as fetch does', async () => {
  const server = await serve(DOWN, UP);
  const shown = new Set<string>();
  const ebbFetch = createFetch({ ...atOnce, onEvent: ({ request }) => shown.add(request.method) });
  const method = { toString: () => 'delete' } as never;
  expect((await ebbFetch(server.url, { method })).status).toBe(200);
  expect([...shown]).toEqual(['DELETE']);
  expect(server.seen.map(({ method: sent }) => sent)).toEqual(['DELETE', 'DELETE']);
});

test('the `ebb` option does not reach the base fetch', async () => {
  const base = vi.fn(async (_input: unknown, _init?: RequestInit) => new Response('ok'));
  for (const ebb of [{ maxRetries: 1 }, false] as const) {
    await createFetch({}, base)('http://upstream/', { headers: { a: 'b' }, ebb });
  }
  for (const [, init] of base.mock.calls) expect(Object.keys(init ?? {})).toEqual(['headers']);
});

describe.each<[string, typeof fetch]>([
  ['node-fetch 3', nodeFetch3 as never],
  ['node-fetch 2', nodeFetch2 as never],
])('%s for a base fetch', (_, base) => {
  test('a retry drains the body, which is a Node stream', async () => {
    const server = await serve(DOWN, { status: 503, body: 'x'.repeat(400_000) }, 'reset', UP);
    const response = await createFetch(atOnce, base)(server.url);
    expect([response.status, await response.text()]).toEqual([200, 'up']);
    const went = attemptsOf(response).map(({ status, failure }) => status ?? failure);
    expect(went).toEqual([503, 503, 'network', 200]);
  });

  test.skipIf(isWeb)('a 503 that never ends is cancelled', async () => {
    const server = await serve('endless-503', UP);
    const response = await createFetch({ ...atOnce, totalTimeoutMs: 60_000 }, base)(server.url);
    expect(response.status).toBe(200);
  });
});

describe('a mock as base fetch may return anything', () => {
  test.each<[string, unknown]>([
    ['a status and nothing else', { status: 503 }],
    ['null headers', { status: 503, headers: null }],
    ['plain headers', { status: 503, headers: { 'Retry-After': '0' } }],
    ['a Map of headers', { status: 503, headers: new Map([['retry-after', '0']]) }],
    ['a body that is a string', { status: 503, headers: {}, body: 'down' }],
    ['a body that is an iterator', { status: 503, body: (async function* () {})() }],
    ['a frozen response', Object.freeze(new Response('down', { status: 503 }))],
    ['a frozen object', Object.freeze({ status: 503 })],
    ['a body that is read already', { status: 503, body: locked() }],
  ])('%s', async (_, mock) => {
    const base = vi.fn(async () => mock as Response);
    const policy = { ...atOnce, maxRetries: 2, concurrency: concurrencyLimit({ maxConcurrent: 1 }) };
    expect(await createFetch(policy, base)('http://upstream/')).toBe(mock);
    expect(base).toHaveBeenCalledTimes(3);
    expect(attemptsOf(mock)).toHaveLength(3);
  });

  function locked(): ReadableStream {
    const stream = new ReadableStream();
    stream.getReader();
    return stream;
  }

  test.each([undefined, null, 'text', 5])('%j is returned', async (value) => {
    expect(await createFetch(atOnce, async () => value as never)('http://upstream/')).toBe(value);
  });

  test('Retry-After is read from plain headers', async () => {
    const base = async () => ({ status: 503, headers: { 'Retry-After': '7' } }) as never;
    const response = await createFetch({ ...atOnce, retryAfter: { maxMs: 6_000 } }, base)('http://upstream/');
    expect(attemptsOf(response)).toMatchObject([{ reason: 'retry-after-too-long' }]);
  });
});

test('a base fetch that reports its timeout as an abort is retried as after a timeout', async () => {
  const clock = virtualClock({ startMs: 0 });
  const base = vi.fn((_: unknown, init?: { signal?: AbortSignal | null }) => {
    if (base.mock.calls.length > 1) return Promise.resolve(new Response('up'));
    return new Promise<Response>((_, reject) => {
      // As node-fetch does, whatever the reason.
      const fail = () => reject(new DOMException('The operation was aborted.', 'AbortError'));
      init?.signal?.addEventListener('abort', fail);
    });
  });
  const response = createFetch(
    { ...atOnce, clock, attemptTimeoutMs: 100 },
    base as never,
  )('http://upstream/');
  await clock.advance(100);
  expect(attemptsOf(await response)).toMatchObject([{ failure: 'timeout' }, { status: 200 }]);
});

describe('the stream of a Request', () => {
  const requestOf = (source: UnderlyingDefaultSource): Request => {
    const body = new ReadableStream(source, { highWaterMark: 0 });
    return new Request('http://upstream/', { method: 'PUT', body, duplex: 'half' } as RequestInit);
  };

  test('is cancelled if the base fetch cancels its body', async () => {
    const cancel = vi.fn();
    // After one part it waits, as a file does that is still being written.
    let isBegun = false;
    const pull = (controller: ReadableStreamDefaultController): Promise<void> | undefined => {
      if (isBegun) return new Promise(() => undefined);
      isBegun = true;
      controller.enqueue(new Uint8Array(10));
      return undefined;
    };
    const base = async (input: unknown): Promise<Response> => {
      const reader = ((input as Request).body as ReadableStream).getReader();
      await reader.read();
      void reader.cancel('enough');
      return new Response('no', { status: 403 });
    };
    expect((await createFetch(atOnce, base as never)(requestOf({ pull, cancel }))).status).toBe(403);
    await expect.poll(() => cancel.mock.calls.length).toBe(1);
  });

  test.each([
    [4_096, 2],
    [4_097, 1],
  ])('of %i parts is sent %i times', async (parts, times) => {
    let left = parts;
    const pull = (controller: ReadableStreamDefaultController): void => {
      controller.enqueue(new Uint8Array(1));
      left -= 1;
      if (left === 0) controller.close();
    };
    const read: number[] = [];
    const base = async (input: unknown, init?: { body?: BodyInit }): Promise<Response> => {
      const body = new Response(init?.body ?? (input as Request).body);
      read.push((await body.arrayBuffer()).byteLength);
      return new Response('down', { status: 503 });
    };
    const fetch = createFetch({ ...atOnce, maxRetries: 1 }, base as never);
    expect((await fetch(requestOf({ pull }))).status).toBe(503);
    expect(read).toEqual(Array(times).fill(parts));
  });
});

describe('a base fetch makes a request of its own, which is sent twice and fails', () => {
  const reset = (cause?: unknown) => Object.assign(new Error('reset', { cause }), { code: 'ECONNRESET' });
  const once = { maxRetries: 1, backoff: constant(0) };
  const failing = createFetch(once, () => Promise.reject(reset()));

  test.each<[story: string, fails: (error: Error) => Error, sends: number]>([
    ['and fails for another reason: it is called again', () => reset(), 2],
    ['and fails with it', (error) => error, 1],
    ['and fails for it', (error) => reset(error), 1],
  ])('%s', async (_, fails, sends) => {
    const base = vi.fn(() => failing('https://b.test/').catch((error) => Promise.reject(fails(error))));
    await expect(createFetch(once, base)('https://a.test/')).rejects.toThrow('reset');
    // Without async context, as in browsers, no call knows that it is within another.
    expect(base).toHaveBeenCalledTimes(isWeb ? 2 : sends);
  });
});
