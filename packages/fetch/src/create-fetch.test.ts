import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { attemptsOf, constant, createPolicy, type EbbEvent, HookError, NotSentError } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step, Upstream } from '../../../test/server.ts';
import { ownBucket } from '../../core/test/own.ts';
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
    expect(createFetch().name).toBe('fetch');
    expect(createFetch().length).toBe(fetch.length);
    expect(createFetch().length).toBe(1);
  });

  test('ebb: false bypasses the policy', async () => {
    const server = await serve(DOWN);
    const classify = vi.fn();
    const response = await createFetch({ classify })(server.url, { ebb: false });
    expect(response.status).toBe(503);
    expect(classify).not.toHaveBeenCalled();
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
  const url = (server: Upstream) => new URL('path?q=1', server.url);
  test.each<[string, (server: Upstream) => Parameters<ReturnType<typeof createFetch>>, body?: string]>([
    ['a string', (server) => [url(server).href]],
    ['a URL', (server) => [url(server)]],
    ['a Request', (server) => [new Request(url(server), { headers: { a: 'b' } })]],
    ['a string body', (server) => [url(server), { method: 'PUT', body: 'text' }], 'text'],
    ['a Blob', (server) => [url(server), { method: 'PUT', body: new Blob(['te', 'xt']) }], 'text'],
    [
      'a buffer',
      (server) => [url(server), { method: 'PUT', body: new TextEncoder().encode('text') }],
      'text',
    ],
    [
      'an ArrayBuffer',
      (server) => [url(server), { method: 'PUT', body: new TextEncoder().encode('text').buffer }],
      'text',
    ],
    [
      'a DataView',
      (server) => [url(server), { method: 'PUT', body: new DataView(new ArrayBuffer(4)) }],
      '\0\0\0\0',
    ],
    [
      'URLSearchParams',
      (server) => [url(server), { method: 'PUT', body: new URLSearchParams({ a: '1 2' }) }],
      'a=1+2',
    ],
    [
      'a Request with a body',
      (server) => [new Request(url(server), { method: 'PUT', body: 'text' })],
      'text',
    ],
    [
      'a Request with a body and an init with another',
      (server) => [new Request(url(server), { method: 'PUT', body: 'one' }), { body: 'two' }],
      'two',
    ],
    [
      'a Request in place of an init',
      (server) => [
        url(server),
        new Request('http://other/', { method: 'PUT', headers: { a: 'b' } }) as never,
      ],
    ],
    [
      'a factory of streams',
      (server) => [url(server), { method: 'PUT', body: () => new Blob(['text']).stream() }],
      'text',
    ],
    ['a factory of strings', (server) => [url(server), { method: 'PUT', body: async () => 'text' }], 'text'],
  ])('%s', async (_, args, body = '') => {
    const server = await serve(DOWN, DOWN, UP, DOWN, DOWN, UP);
    // Unchanged, and with a signal for the attempt.
    for (const options of [atOnce, { ...atOnce, attemptTimeoutMs: 60_000 }]) {
      const response = await createFetch(options)(...args(server));
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

  test('FormData keeps its parts and gets a new boundary for each attempt', async () => {
    const server = await serve(DOWN, UP);
    const body = new FormData();
    body.set('field', 'value');
    body.set('file', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
    await createFetch(atOnce)(server.url, { method: 'PUT', body });
    for (const request of server.seen) {
      const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1] ?? 'none';
      expect(request.body).toContain(`--${boundary}--`);
      expect(request.body).toContain('filename="a.txt"');
      expect(Number(request.headers['content-length'])).toBe(request.body.length);
    }
  });
});

describe('a body that can be sent once is sent once', () => {
  async function* parts() {
    yield new TextEncoder().encode('text');
  }
  test.each<[string, () => unknown]>([
    ['a web stream', () => new Blob(['text']).stream()],
    ['a Node stream', () => Readable.from([Buffer.from('text')])],
    ['an async iterator', parts],
  ])('%s', async (_, make) => {
    const server = await serve(DOWN, UP);
    const init = { method: 'PUT', body: make(), duplex: 'half' } as never;
    const response = await createFetch(atOnce)(server.url, init);
    expect([response.status, await response.text()]).toEqual([503, 'down']);
    expect(attemptsOf(response).map(({ status, reason }) => [status, reason])).toEqual([
      [503, 'not-replayable'],
    ]);
    expect(server.seen.map((request) => request.body)).toEqual(['text']);
  });

  test('a buffer that was transferred in the meantime is not sent empty', async () => {
    const server = await serve(DOWN, UP);
    const body = new TextEncoder().encode('text');
    const onEvent = ({ type }: { type: string }) => {
      if (type === 'attempt')
        setImmediate(() => body.buffer.byteLength > 0 && structuredClone(0, { transfer: [body.buffer] }));
    };
    const response = await createFetch({ ...atOnce, onEvent })(server.url, { method: 'PUT', body });
    expect(attemptsOf(response).at(-1)?.reason).toBe('not-replayable');
  });

  test.each([
    ['a mebibyte is sent again', 1024 * 1024, 2],
    ['a byte more is sent once, whole', 1024 * 1024 + 1, 1],
    ['three mebibytes are sent once, whole', 3 * 1024 * 1024, 1],
  ])('a Request with %s', async (_, length, times) => {
    const server = await serve(DOWN, UP);
    const request = new Request(server.url, { method: 'PUT', body: 'x'.repeat(length) });
    const response = await createFetch(atOnce)(request);
    expect(response.status).toBe(times === 1 ? 503 : 200);
    expect(request.bodyUsed).toBe(true);
    expect(server.seen.map(({ body }) => body.length)).toEqual(Array(times).fill(length));
  });

  test('a Request whose body was used rejects with the error of fetch', async () => {
    const server = await serve(UP);
    const request = new Request(server.url, { method: 'PUT', body: 'text' });
    await request.text();
    const plain = await fetch(request).catch((error: unknown) => error);
    await expect(createFetch(atOnce)(request)).rejects.toEqual(plain);
  });

  test('a factory that throws rejects with a HookError, and nothing is sent', async () => {
    const server = await serve(UP);
    const body = () => Promise.reject(Object.assign(new Error('no such file'), { code: 'ECONNRESET' }));
    const call = createFetch(atOnce)(server.url, { method: 'PUT', body });
    await expect(call).rejects.toThrow(HookError);
    await expect(call).rejects.toThrow('body failed: no such file');
    expect(server.seen).toEqual([]);
  });
});

describe('an abort', () => {
  test.each([new Error('enough'), 'a string', undefined])(
    'during a wait settles with the reason %j',
    async (reason) => {
      const server = await serve(DOWN, UP);
      const clock = virtualClock({ startMs: 0 });
      const controller = new AbortController();
      const waiting = Promise.withResolvers<void>();
      const onEvent = ({ type }: { type: string }) => type === 'retry' && setImmediate(waiting.resolve);
      const call = createFetch({ clock, onEvent: onEvent as never })(server.url, {
        signal: controller.signal,
      });
      const settled = call.catch((error: unknown) => ({ error }));
      await waiting.promise;
      controller.abort(reason);
      expect(await settled).toEqual({ error: controller.signal.reason });
      if (reason !== undefined) expect(controller.signal.reason).toBe(reason);
      expect(clock.pending).toBe(0);
      expect(server.seen).toHaveLength(1);
    },
  );

  test('before the call is left to baseFetch, which is called once', async () => {
    const base = vi.fn(fetch);
    const reason = new Error('before');
    await expect(
      createFetch({}, base)('http://upstream/', { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(base).toHaveBeenCalledOnce();
  });

  test('of the signal of a Request counts, and a null signal in the init overrides it', async () => {
    const server = await serve(UP);
    const request = new Request(server.url, { signal: AbortSignal.abort(new Error('before')) });
    await expect(createFetch()(request)).rejects.toThrow('before');
    expect((await createFetch()(request, { signal: null })).status).toBe(200);
  });

  test('during an attempt is final, with its reason, even if that looks like a timeout', async () => {
    const server = await serve('hang');
    const controller = new AbortController();
    server.onHang = () => controller.abort(new DOMException('mine', 'TimeoutError'));
    const ends: string[] = [];
    const onEvent = (event: { type: string; reason?: string }) =>
      event.type === 'end' && ends.push(event.reason ?? '');
    const call = createFetch({ ...atOnce, onEvent: onEvent as never })(server.url, {
      signal: controller.signal,
    });
    expect(await call.catch((error: unknown) => error)).toBe(controller.signal.reason);
    expect(ends).toEqual(['aborted']);
    expect(server.seen).toHaveLength(1);
  });

  test('after the response ends its body, also with an attempt timeout', async () => {
    const server = await serve('endless-503');
    const controller = new AbortController();
    const options = { ...atOnce, maxRetries: 0, attemptTimeoutMs: 60_000 };
    const response = await createFetch(options)(server.url, { signal: controller.signal });
    const bare = await fetch(server.url, { signal: controller.signal });
    controller.abort(new Error('enough'));
    // Node 22's own fetch rejects with an AbortError here, not with the reason.
    const error = await bare.text().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    await expect(response.text()).rejects.toEqual(error);
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

describe('attemptTimeoutMs', () => {
  test('is a transient outcome, and the last timeout rejects as AbortSignal.timeout does', async () => {
    const server = await serve('hang', 'hang', UP);
    const clock = virtualClock({ startMs: 0 });
    server.onHang = () => clock.tick(100);
    const policy = createPolicy({ ...atOnce, clock, attemptTimeoutMs: 100, maxRetries: 1 });
    const error = await createFetch(policy)(server.url).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'TimeoutError', message: 'no response within 100 ms' });
    expect(attemptsOf(error).map(({ failure, reason }) => [failure, reason])).toEqual([
      ['timeout', 'transient'],
      ['timeout', 'retries-exhausted'],
    ]);
    expect((await createFetch(policy)(server.url)).status).toBe(200);
    expect(clock.pending).toBe(0);
  });
});

test('a failure after a timeout has its own kind', async () => {
  const server = await serve('hang', 'reset', UP);
  const clock = virtualClock({ startMs: 0 });
  server.onHang = () => clock.tick(100);
  const response = await createFetch({ ...atOnce, clock, attemptTimeoutMs: 100 })(server.url);
  expect(attemptsOf(response).map(({ status, failure }) => status ?? failure)).toEqual([
    'timeout',
    'network',
    200,
  ]);
});

describe('discarded responses', () => {
  test('a 503 that never ends is cancelled after a second', async () => {
    const server = await serve('endless-503', UP);
    const clock = virtualClock({ startMs: 0 });
    const onEvent = ({ type }: EbbEvent): void => {
      if (type === 'retry') void clock.advance(1_000);
    };
    const response = await createFetch({ ...atOnce, clock, onEvent })(server.url);
    expect(await response.text()).toBe('up');
    expect(clock.pending).toBe(0);
  });

  test('a 503 of more than 64 KiB is cancelled at once', async () => {
    const server = await serve({ status: 503, body: 'x'.repeat(65_537) }, UP);
    const clock = virtualClock({ startMs: 0 });
    expect((await createFetch({ ...atOnce, clock })(server.url)).status).toBe(200);
    expect(clock.pending).toBe(0);
  });
});

describe('hooks', () => {
  const boom = () => {
    throw new Error('boom');
  };
  test.each(['classify', 'backoff', 'cost'] as const)(
    '%s that throws rejects only its own request',
    async (hook) => {
      const server = await serve(DOWN);
      const bucket = ownBucket({
        tryAcquire: () => ({ cost: 1, waitedMs: 0 }),
        acquire: async () => ({ cost: 1, waitedMs: 0 }),
      } as never);
      const ebbFetch = createFetch({ ...atOnce, maxRetries: 1, bucket });
      const [broken, sound] = await Promise.allSettled([
        ebbFetch(server.url, { ebb: { [hook]: boom } }),
        ebbFetch(server.url),
      ]);
      expect(broken).toMatchObject({ status: 'rejected', reason: { name: 'HookError', hook } });
      expect(sound).toMatchObject({ status: 'fulfilled', value: { status: 503 } });
    },
  );
});

test('without a token the call rejects with a NotSentError, and nothing is sent', async () => {
  const base = vi.fn(fetch);
  const notSent = new NotSentError('no token', 1_000);
  const bucket = ownBucket({ tryAcquire: () => undefined, acquire: () => Promise.reject(notSent) });
  const call = createFetch({ bucket }, base)('http://upstream/');
  await expect(call).rejects.toBe(notSent);
  expect(base).not.toHaveBeenCalled();
});

test('attemptsOf lists every attempt, for a response and for an error', async () => {
  const server = await serve({ status: 429, headers: { 'retry-after': '0' } }, 'reset', UP);
  const response = await createFetch(atOnce)(server.url);
  expect(attemptsOf(response)).toEqual([
    { attempt: 1, delayMs: 0, waitedMs: 0, status: 429, reason: 'refused' },
    {
      attempt: 2,
      delayMs: 0,
      waitedMs: 0,
      failure: 'network',
      code: 'UND_ERR_SOCKET',
      reason: 'transient',
    },
    { attempt: 3, delayMs: 0, waitedMs: 0, status: 200, reason: 'success' },
  ]);
  await server.close();
  const error = await createFetch({ ...atOnce, maxRetries: 1 })(server.url).catch(
    (thrown: unknown) => thrown,
  );
  expect(attemptsOf(error).map(({ code, reason }) => [code, reason])).toEqual([
    ['ECONNREFUSED', 'refused'],
    ['ECONNREFUSED', 'retries-exhausted'],
  ]);
});
