import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { attemptsOf, constant } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { createFetch } from './index.ts';

const atOnce = { backoff: constant(0) };
const DOWN: Step = { status: 503, body: 'down' };
const UP: Step = { status: 200, body: 'up' };

describe('without a retry it behaves exactly like baseFetch', () => {
  test('baseFetch gets the same arguments, and its response is returned', async () => {
    const response = new Response('ok');
    const base = vi.fn(async () => response);
    const init = { method: 'POST', headers: { a: 'b' }, body: 'x', extra: 1 };
    expect(await createFetch({}, base)('http://upstream/', init)).toBe(response);
    expect(base.mock.calls).toEqual([['http://upstream/', init]]);
    expect((base.mock.calls[0] as unknown[])[1]).toBe(init);
  });

  test.each<[story: string, input: string]>([
    ['an invalid URL', 'nonsense'],
    // In a browser it looks like a lost connection.
    ...(process.env.EBB_PLATFORM === 'web' ? [] : [['a wrong scheme', 'foo://bar'] as [string, string]]),
    ['an input that is undefined', undefined as never],
    ['credentials in the URL', 'http://a:b@127.0.0.1/'],
  ])('%s rejects just so', async (_, input) => {
    const plain = await fetch(input).catch((error: unknown) => error);
    const base = vi.fn(fetch);
    const ours = await createFetch(atOnce, base)(input).catch((error: unknown) => error);
    expect(ours).toEqual(plain);
    expect((ours as Error).cause).toEqual((plain as Error).cause);
    expect(base).toHaveBeenCalledOnce();
  });

  test('it has the name and the parameters of fetch', () => {
    const { name, length } = createFetch();
    expect([name, length]).toEqual([fetch.name, fetch.length]);
  });

  test('ebb: false still calls a body factory', async () => {
    const server = await serve(DOWN);
    await createFetch()(server.url, { method: 'PUT', body: () => 'text', ebb: false });
    expect(server.seen.map(({ body }) => body)).toEqual(['text']);
  });

  test('invalid options throw at once, invalid overrides reject their request', async () => {
    expect(() => createFetch({ maxRetries: -1 })).toThrow('createPolicy: maxRetries');
    expect(() => createFetch({}, 'fetch' as never)).toThrow('createFetch: baseFetch must be a function');
    const base = vi.fn(fetch);
    const call = createFetch({}, base)('http://upstream/', { ebb: { maxRetries: -1 } });
    await expect(call).rejects.toThrow('ebb: maxRetries must be a whole number ≥ 0, got -1');
    expect(base).not.toHaveBeenCalled();
  });
});

test.each([
  [0, 0],
  [1, 1],
])('with maxRetries %i the body of a Request is copied %i times', async (maxRetries, copies) => {
  const request = new Request('http://upstream/', { method: 'PUT', body: 'text' });
  const clone = vi.spyOn(request, 'clone');
  await createFetch({ maxRetries, onEvent: () => undefined }, async () => new Response())(request);
  expect(clone).toHaveBeenCalledTimes(copies);
});

describe('every kind of input is sent again as it was', () => {
  type Args = Parameters<ReturnType<typeof createFetch>>;
  const put =
    (body: unknown) =>
    (url: URL): Args => [url, { method: 'PUT', body: body as BodyInit }];

  test.each<[string, (url: URL) => Args, body?: string]>([
    ['a string', (url) => [url.href]],
    ['a URL', (url) => [url]],
    ['a Request', (url) => [new Request(url, { headers: { a: 'b' } })]],
    ['a string body', put('text'), 'text'],
    ['a Blob', put(new Blob(['te', 'xt'])), 'text'],
    ['a buffer', put(new TextEncoder().encode('text')), 'text'],
    ['an ArrayBuffer', put(new TextEncoder().encode('text').buffer), 'text'],
    ['a DataView', put(new DataView(new ArrayBuffer(4))), '\0\0\0\0'],
    ['URLSearchParams', put(new URLSearchParams({ a: '1 2' })), 'a=1+2'],
    ['a Request with a body', (url) => [new Request(url, { method: 'PUT', body: 'text' })], 'text'],
    [
      'a Request with a body and an init with another',
      (url) => [new Request(url, { method: 'PUT', body: 'one' }), { body: 'two' }],
      'two',
    ],
    [
      'a Request in place of an init',
      (url) => [url, new Request('http://other/', { method: 'PUT', headers: { a: 'b' } }) as never],
    ],
    ['a factory of streams', put(() => new Blob(['text']).stream()), 'text'],
    ['a factory of strings', put(async () => 'text'), 'text'],
  ])('%s', async (_, args, body = '') => {
    const server = await serve(DOWN, DOWN, UP, DOWN, DOWN, UP);
    // Unchanged, and with a signal for the attempt.
    for (const options of [atOnce, { ...atOnce, attemptTimeoutMs: 60_000 }]) {
      const response = await createFetch(options)(...args(new URL('path?q=1', server.url)));
      expect([response.status, await response.text()]).toEqual([200, 'up']);
    }
    expect(server.seen).toHaveLength(6);
    for (const request of server.seen) {
      expect(request.path).toBe('/path?q=1');
      expect(request.body).toBe(body);
      expect(request.method).toBe(server.seen[0]?.method);
      expect(request.headers['content-type']).toBe(server.seen[0]?.headers['content-type']);
      expect(request.headers.a).toBe(server.seen[0]?.headers.a);
    }
  });
});

test('a factory that throws rejects with a HookError, and nothing is sent', async () => {
  const base = vi.fn(fetch);
  const cause = Object.assign(new Error('no such file'), { code: 'ECONNRESET' });
  const body = vi.fn(() => Promise.reject(cause));
  const call = createFetch(atOnce, base)('http://upstream/', { method: 'PUT', body });
  await expect(call).rejects.toMatchObject({ name: 'HookError', message: 'body failed: no such file' });
  expect(body).toHaveBeenCalledOnce();
  expect(base).not.toHaveBeenCalled();
});

describe('a body that can be sent once is sent once', () => {
  async function* parts() {
    yield new TextEncoder().encode('text');
  }
  test.each<[string, () => unknown]>([
    ['a Node stream', () => Readable.from([Buffer.from('text')])],
    ['an async iterator', parts],
  ])('%s', async (_, make) => {
    const server = await serve(DOWN, UP);
    const init = { method: 'PUT', body: make(), duplex: 'half' } as never;
    const response = await createFetch(atOnce)(server.url, init);
    expect([response.status, await response.text()]).toEqual([503, 'down']);
    expect(attemptsOf(response)).toMatchObject([{ status: 503, reason: 'not-replayable' }]);
    expect(server.seen.map((request) => request.body)).toEqual(['text']);
  });

  test('a buffer that was transferred in the meantime is not sent empty', async () => {
    const body = new TextEncoder().encode('text');
    const base = vi.fn(async () => {
      structuredClone(body, { transfer: [body.buffer] });
      return new Response('', { status: 503 });
    });
    const response = await createFetch(atOnce, base)('http://upstream/', { method: 'PUT', body });
    expect(attemptsOf(response).map(({ reason }) => reason)).toEqual(['not-replayable']);
  });

  test.each([
    ['a mebibyte is sent again', 1024 * 1024, 2],
    ['a byte more is sent once, whole', 1024 * 1024 + 1, 1],
  ])('a Request with %s', async (_, length, times) => {
    const server = await serve(DOWN, UP);
    const request = new Request(server.url, { method: 'PUT', body: 'x'.repeat(length) });
    const response = await createFetch(atOnce)(request);
    expect(response.status).toBe(times === 1 ? 503 : 200);
    expect(request.bodyUsed).toBe(true);
    expect(server.seen.map(({ body }) => body.length)).toEqual(Array(times).fill(length));
  });
});

describe('an abort', () => {
  test('of the signal of a Request counts, and a null signal in the init overrides it', async () => {
    const server = await serve(UP);
    const request = new Request(server.url, { signal: AbortSignal.abort(new Error('before')) });
    await expect(createFetch()(request)).rejects.toThrow('before');
    expect((await createFetch()(request, { signal: null })).status).toBe(200);
  });

  test('1,000 calls with one signal leave no listener on it', async () => {
    const { signal } = new AbortController();
    const clock = virtualClock({ startMs: 0 });
    let calls = 0;
    // A fetch that adds no listener; every second response is retried.
    const base = async () => new Response('x', { status: calls++ % 2 === 0 ? 503 : 200 });
    const ebbFetch = createFetch({ clock, ...atOnce }, base);
    await Promise.all(Array.from({ length: 1_000 }, () => ebbFetch('http://upstream/', { signal })));
    expect(calls).toBeGreaterThan(1_000);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
