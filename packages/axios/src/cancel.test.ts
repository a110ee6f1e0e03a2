import { EventEmitter, getEventListeners, once } from 'node:events';
import { Agent, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { attemptsOf, constant, type PolicyOptions, ThrottledError, type TokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter, AxiosError, type AxiosRequestConfig } from 'axios';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Step, type Upstream, upstream } from '../../../test/server.ts';
import { atOnce, clientOf, errorOf } from '../test/client.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function serve(...script: Step[]): Promise<Upstream> {
  const server = await upstream(script);
  closing.push(() => server.close());
  return server;
}

const DOWN: Step = { status: 503, body: 'down' };
const UP: Step = { status: 200, body: 'up' };

const answer: AxiosAdapter = async (config) => ({
  status: 200,
  statusText: '',
  data: '',
  headers: {},
  config,
});
const refuse: AxiosAdapter = async (config) => ({ ...(await answer(config)), status: 503 });
const never: AxiosAdapter = () => new Promise(() => undefined);

/** Tells of events of a policy as they come. */
function watch() {
  const emitter = new EventEmitter();
  const onEvent: NonNullable<PolicyOptions['onEvent']> = (event) => emitter.emit(event.type, event);
  return { onEvent, next: (type: string) => once(emitter, type) };
}

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('an abort is axios’s own CanceledError', () => {
  const ways: [string, () => { config: AxiosRequestConfig; abort(reason: unknown): void; left(): number }][] =
    [
      [
        'signal',
        () => {
          const controller = new AbortController();
          return {
            config: { signal: controller.signal },
            abort: (reason) => controller.abort(reason),
            left: () => listenersOf(controller.signal),
          };
        },
      ],
      [
        'cancelToken',
        () => {
          const { token, cancel } = axios.CancelToken.source();
          return {
            config: { cancelToken: token },
            abort: (reason) => cancel((reason as Error).message),
            left: () => (token as unknown as { _listeners?: unknown[] })._listeners?.length ?? 0,
          };
        },
      ],
      [
        'signal beside a cancelToken',
        () => {
          const { token } = axios.CancelToken.source();
          const controller = new AbortController();
          return {
            config: { signal: controller.signal, cancelToken: token },
            abort: (reason) => controller.abort(reason),
            left: () =>
              listenersOf(controller.signal) +
              ((token as unknown as { _listeners?: unknown[] })._listeners?.length ?? 0),
          };
        },
      ],
      [
        'cancelToken beside a signal',
        () => {
          const { token, cancel } = axios.CancelToken.source();
          const { signal } = new AbortController();
          return {
            config: { signal, cancelToken: token },
            abort: (reason) => cancel((reason as Error).message),
            left: () => listenersOf(signal),
          };
        },
      ],
    ];
  const reason = new Error('enough');

  describe.each(ways)('by %s', (way, make) => {
    const isToken = way.startsWith('cancelToken');
    const expectCanceled = (error: AxiosError) => {
      expect(axios.isCancel(error)).toBe(true);
      expect(error).toBeInstanceOf(axios.CanceledError);
      expect([error.name, error.code]).toEqual(['CanceledError', 'ERR_CANCELED']);
      if (isToken) expect(error.message).toBe('enough');
      else expect(error.cause).toBe(reason);
    };

    test('before the request', async () => {
      const adapter = vi.fn(answer);
      const { config, abort, left } = make();
      abort(reason);
      const error = await errorOf(clientOf({ adapter }).get('/', config));
      expect(axios.isCancel(error)).toBe(true);
      expect([adapter.mock.calls.length, left()]).toEqual([0, 0]);
    });

    test('while it waits to be sent again, at once', async () => {
      const clock = virtualClock();
      const adapter = vi.fn(refuse);
      const { onEvent, next } = watch();
      const { config, abort, left } = make();
      const waiting = next('retry');
      const response = clientOf({ adapter }, { clock, onEvent }).get('http://upstream/', config);
      await waiting;
      await setImmediate();
      expect([left() > 0, clock.pending]).toEqual([true, 1]);
      const settled = vi.fn();
      response.catch(settled);
      abort(reason);
      await setImmediate();
      expect(settled).toHaveBeenCalled();
      const error = await errorOf(response);
      expectCanceled(error);
      if (!isToken) expect(error.config?.url).toBe('http://upstream/');
      expect(attemptsOf(error)).toMatchObject([{ status: 503, reason: 'transient' }]);
      expect([adapter.mock.calls.length, clock.pending, left()]).toEqual([1, 0, 0]);
    });

    test('while it waits for a token', async () => {
      const bucket = {
        tryAcquire: () => undefined,
        acquire: ({ signal }: { signal: AbortSignal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
      } as unknown as TokenBucket;
      const adapter = vi.fn(answer);
      const { config, abort, left } = make();
      const response = clientOf({ adapter }, { bucket }).get('/', config);
      await setImmediate();
      abort(reason);
      expectCanceled(await errorOf(response));
      expect([adapter.mock.calls.length, left()]).toEqual([0, 0]);
    });

    test.each(['http', 'fetch'])('during an attempt of the %s adapter', async (adapter) => {
      const server = await serve(DOWN, 'hang');
      const hangs = new Promise<void>((resolve) => {
        server.onHang = resolve;
      });
      const { config, abort, left } = make();
      const response = clientOf({ adapter }).get(server.url, config);
      await hangs;
      abort(reason);
      const error = await errorOf(response);
      expectCanceled(error);
      expect(attemptsOf(error)).toMatchObject([{ status: 503 }, { failure: 'aborted', reason: 'aborted' }]);
      await setImmediate();
      expect([server.seen.length, left()]).toEqual([2, 0]);
    });

    test('after an attempt that failed as it came', async () => {
      const { config, abort } = make();
      const adapter = vi.fn<AxiosAdapter>(async (sent) => {
        abort(reason);
        await setImmediate();
        return refuse(sent);
      });
      expectCanceled(await errorOf(clientOf({ adapter }).get('/', config)));
      expect(adapter).toHaveBeenCalledOnce();
    });

    test('while the body is made', async () => {
      const adapter = vi.fn(answer);
      const { config, abort } = make();
      const response = clientOf({ adapter }).put(
        '/',
        async () => {
          abort(reason);
          await setImmediate();
          return 'text';
        },
        config,
      );
      expectCanceled(await errorOf(response));
      expect(adapter).not.toHaveBeenCalled();
    });

    test.each(['http', 'fetch'])('while a response is discarded, over the %s adapter', async (adapter) => {
      const server = await serve('endless-503');
      const clock = virtualClock();
      const { onEvent, next } = watch();
      const { config, abort, left } = make();
      const retried = next('retry');
      const client = clientOf({ adapter, responseType: 'stream' }, { ...atOnce, clock, onEvent });
      const response = client.get(server.url, config);
      await retried;
      await setImmediate();
      abort(reason);
      expectCanceled(await errorOf(response));
      await setImmediate();
      expect([server.seen.length, clock.pending, left()]).toEqual([1, 0, 0]);
    });
  });

  test.each([
    ['a string', 'enough'],
    ['nothing', undefined],
    ['a timeout', new DOMException('too late', 'TimeoutError')],
    ['an error of axios', new AxiosError('mine', 'ECONNABORTED')],
  ])('whatever the reason: %s', async (_, reason) => {
    const { onEvent, next } = watch();
    const controller = new AbortController();
    const waiting = next('retry');
    const response = clientOf({ adapter: refuse }, { onEvent }).get('/', { signal: controller.signal });
    await waiting;
    controller.abort(reason);
    const error = await errorOf(response);
    expect(error).toBeInstanceOf(axios.CanceledError);
    expect(error.cause).toBe(controller.signal.reason);
    expect(Object.keys(error)).not.toContain('cause');
  });

  test('by a signal of a polyfill, which has no reason', async () => {
    const target = new EventTarget();
    const signal = Object.assign(target, { aborted: false });
    const { onEvent, next } = watch();
    const waiting = next('retry');
    const response = clientOf({ adapter: refuse }, { onEvent }).get('/', { signal });
    await waiting;
    signal.aborted = true;
    target.dispatchEvent(new Event('abort'));
    expect(await errorOf(response)).toBeInstanceOf(axios.CanceledError);
  });

  test('reaches a streamed response that the caller reads', async () => {
    const server = await serve(DOWN, 'held-200');
    const controller = new AbortController();
    const client = clientOf({ adapter: 'http', responseType: 'stream' });
    const { data } = await client.get(server.url, { signal: controller.signal });
    const reading = text(data);
    controller.abort();
    await expect(reading).rejects.toThrow('canceled');
    await setImmediate();
    expect(listenersOf(controller.signal)).toBe(0);
  });
});

describe('attemptTimeoutMs', () => {
  test.each<[what: string, adapter: string, step: Step]>([
    ['silence', 'http', 'hang'],
    ['silence', 'fetch', 'hang'],
    ['a 503 whose body never ends', 'http', 'endless-503'],
    ['a 503 whose body never ends', 'fetch', 'endless-503'],
  ])('ends %s over the %s adapter', async (_, adapter, step) => {
    const server = await serve(step, UP);
    const clock = virtualClock();
    const client = clientOf({ adapter }, { ...atOnce, clock, attemptTimeoutMs: 5_000 });
    const response = client.get(server.url);
    while (server.seen.length < 1) await setImmediate();
    await clock.advance(4_999);
    expect([server.seen.length, clock.pending]).toEqual([1, 1]);
    await clock.advance(1);
    const { config } = await response;
    expect(attemptsOf(await response)).toMatchObject([{ failure: 'timeout' }, { status: 200 }]);
    expect([clock.pending, config.timeout, 'cancelToken' in config]).toEqual([0, 0, false]);
  });

  test('ends a body that trickles, which axios’s own timeout does not', async () => {
    const clock = virtualClock();
    let written = 0;
    const server = createServer((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => {
        response.write('x');
        written += 1;
        // By then it has trickled for longer than axios's own timeout.
        if (written === 100) clock.tick(60_000);
      }, 5);
      response.on('close', () => clearInterval(timer));
    });
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const options = { clock, attemptTimeoutMs: 60_000, maxRetries: 0 };
    const error = await errorOf(clientOf({ adapter: 'http', timeout: 400 }, options).get(url));
    expect([error.message, attemptsOf(error)[0]?.failure]).toEqual([
      'timeout of 60000ms exceeded',
      'timeout',
    ]);
  });

  test.each<[AxiosRequestConfig, code: string, message: string]>([
    [{}, 'ECONNABORTED', 'timeout of 50ms exceeded'],
    [{ transitional: { clarifyTimeoutError: true } }, 'ETIMEDOUT', 'timeout of 50ms exceeded'],
    [{ timeoutErrorMessage: 'too slow' }, 'ECONNABORTED', 'too slow'],
  ])('is told as axios tells a timeout: %j', async (config, code, message) => {
    const clock = virtualClock();
    const options = { ...atOnce, clock, attemptTimeoutMs: 50, maxRetries: 1 };
    const response = clientOf({ adapter: never, ...config }, options).get('/', { headers: { a: 'b' } });
    const told = errorOf(response);
    await clock.advance(100);
    const error = await told;
    expect(error).toBeInstanceOf(AxiosError);
    expect(error).toMatchObject({ code, message });
    expect(error.config?.headers.get('a')).toBe('b');
    expect(attemptsOf(error).map(({ failure }) => failure)).toEqual(['timeout', 'timeout']);
  });

  test('lets axios’s own timeout go first where that is shorter', async () => {
    const server = await serve('hang');
    const client = clientOf({ adapter: 'http', timeout: 20 }, { attemptTimeoutMs: 60_000, maxRetries: 0 });
    expect((await errorOf(client.get(server.url))).message).toBe('timeout of 20ms exceeded');
  });

  test('is for the attempt, and not for the caller’s reading of its response', async () => {
    for (const adapter of ['http', 'fetch']) {
      const server = await serve('held-200');
      const clock = virtualClock();
      const client = clientOf({ adapter, responseType: 'stream' }, { clock, attemptTimeoutMs: 50 });
      const { data } = await client.get(server.url);
      expect(clock.pending).toBe(0);
      await clock.advance(1_000);
      server.letGo();
      expect(await text(data)).toBe('1234567890');
    }
  });

  test('keeps the caller’s own cancelToken in its place', async () => {
    const server = await serve('hang', 'hang', UP);
    const { token, cancel } = axios.CancelToken.source();
    const clock = virtualClock();
    const client = clientOf({ adapter: 'http' }, { ...atOnce, clock, attemptTimeoutMs: 50 });
    const response = client.get(server.url, { cancelToken: token });
    while (server.seen.length < 1) await setImmediate();
    await clock.advance(50);
    while (server.seen.length < 2) await setImmediate();
    await clock.advance(50);
    expect((await response).config.cancelToken).toBe(token);
    expect((token as unknown as { _listeners: unknown[] })._listeners).toEqual([]);
    const down = await serve('hang');
    const canceled = client.get(down.url, { cancelToken: token });
    while (down.seen.length < 1) await setImmediate();
    cancel('enough');
    expect(await errorOf(canceled)).toMatchObject({ code: 'ERR_CANCELED', message: 'enough' });
    expect(clock.pending).toBe(0);
  });

  test('gives up an adapter that does not listen; what comes of it late is let go', async () => {
    const clock = virtualClock();
    const server = await serve({ status: 200, body: 'x'.repeat(64 * 1024) });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    closing.push(() => agent.destroy());
    const late: ReturnType<AxiosAdapter>[] = [];
    const adapter = vi.fn<AxiosAdapter>(async ({ cancelToken, ...deaf }) => {
      if (adapter.mock.calls.length > 1) return answer(deaf);
      late.push(axios.getAdapter('http')(deaf));
      await new Promise<void>((resolve) => clock.schedule(resolve, 100));
      return late[0] as ReturnType<AxiosAdapter>;
    });
    const client = clientOf(
      { adapter, responseType: 'stream', httpAgent: agent },
      { ...atOnce, clock, attemptTimeoutMs: 50 },
    );
    const response = client.get(server.url);
    await clock.advance(50);
    expect((await response).status).toBe(200);
    const { data } = (await late[0]) ?? {};
    const ended = once(data, 'end');
    await clock.advance(50);
    await ended;
    await setImmediate();
    expect(clock.pending).toBe(0);
  });

  test('gives up one that fails late without a trace', async () => {
    const clock = virtualClock();
    const adapter: AxiosAdapter = () =>
      new Promise((_, reject) => clock.schedule(() => reject(new Error('late')), 100));
    const client = clientOf({ adapter }, { clock, attemptTimeoutMs: 50, maxRetries: 0 });
    const told = errorOf(client.get('/'));
    await clock.advance(200);
    expect((await told).code).toBe('ECONNABORTED');
  });

  test('makes a token for the attempt that is one in all respects', async () => {
    const clock = virtualClock();
    const seen: unknown[] = [];
    const adapter: AxiosAdapter = async ({ cancelToken }) => {
      cancelToken?.throwIfRequested();
      const promise = cancelToken?.promise;
      const signal = cancelToken?.toAbortSignal();
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      seen.push(await promise, signal?.reason, cancelToken?.reason);
      cancelToken?.subscribe((reason) => seen.push(reason));
      expect(() => cancelToken?.throwIfRequested()).toThrow('timeout of 50ms exceeded');
      throw cancelToken?.reason;
    };
    const client = clientOf({ adapter }, { clock, attemptTimeoutMs: 50, maxRetries: 0 });
    const told = errorOf(client.get('/'));
    await clock.advance(50);
    const error = await told;
    await setImmediate();
    expect(seen).toEqual([error, error, error, error]);
  });
});

describe('what is not axios’s', () => {
  test('a ThrottledError comes as it is', async () => {
    const throttled = new ThrottledError('no token');
    const bucket = {
      tryAcquire: () => undefined,
      acquire: () => Promise.reject(throttled),
    } as unknown as TokenBucket;
    const adapter = vi.fn(answer);
    expect(await errorOf(clientOf({ adapter }, { bucket }).get('/'))).toBe(throttled);
    expect(adapter).not.toHaveBeenCalled();
  });

  test('totalTimeoutMs ends with the last response, unslept', async () => {
    const clock = virtualClock();
    const options = { clock, backoff: constant(100), totalTimeoutMs: 150 };
    const response = clientOf({ adapter: refuse, validateStatus: null }, options).get('/');
    await clock.advance(100);
    expect(attemptsOf(await response).map(({ reason }) => reason)).toEqual([
      'transient',
      'deadline-exceeded',
    ]);
    expect(clock.pending).toBe(0);
  });
});

describe('nothing is left behind', () => {
  test('on a signal that 10 000 calls share, nor on a token', async () => {
    const { signal } = new AbortController();
    const { token } = axios.CancelToken.source();
    let calls = 0;
    const adapter: AxiosAdapter = (config) => (calls++ % 2 === 0 ? refuse(config) : answer(config));
    const clock = virtualClock();
    const client = clientOf({ adapter }, { ...atOnce, clock, attemptTimeoutMs: 50 });
    for (let call = 0; call < 10_000; call += 1) {
      await client.get('/', call % 10 === 0 ? { signal, cancelToken: token } : { signal });
    }
    expect([listenersOf(signal), (token as unknown as { _listeners: unknown[] })._listeners.length]).toEqual([
      0, 0,
    ]);
    expect([calls, clock.pending]).toEqual([20_000, 0]);
  });

  test('on a signal, by real attempts that fail in each way', async () => {
    const { signal } = new AbortController();
    for (const adapter of ['http', 'fetch']) {
      for (const responseType of ['text', 'stream'] as const) {
        const server = await serve(DOWN, 'reset', 'half-body', UP);
        const client = clientOf({ adapter, responseType, signal });
        const { data } = await client.get(server.url).catch(() => ({ data: undefined }));
        if (typeof data === 'object') await text(data).catch(() => undefined);
      }
    }
    await setImmediate();
    expect(listenersOf(signal)).toBe(0);
  });

  test('no timer where none is needed', async () => {
    const schedule = vi.fn();
    const clock = { now: () => 0, schedule };
    await clientOf({ adapter: answer }, { clock }).get('/');
    expect(schedule).not.toHaveBeenCalled();
  });
});
