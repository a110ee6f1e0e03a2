import type { Readable } from 'node:stream';
import { ebbInterceptor } from '@ebb/axios';
import { attemptsOf, constant, createPolicy, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter, AxiosError, type AxiosRequestConfig } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { responseTo } from '../../../axios/test/adapters.ts';
import { openStream } from '../../../axios/test/bodies.ts';
import { waysToCancel } from '../../../axios/test/cancel.ts';
import { errorOf } from '../../../axios/test/client.ts';
import { testsOfCancelledStreams } from '../../../axios/test/streamed.ts';
import { hedged } from '../axios.ts';

const URL_A = 'https://a.test/things';

interface Subscribing {
  subscribe(stop: (reason?: unknown) => void): void;
  unsubscribe(stop: (reason?: unknown) => void): void;
}

interface Plan {
  readonly ms: number;
  readonly status?: number;
}

/** A client whose hedges are sent after 10 ms, and whose tries take what the plans say; the last one is for all that follow. */
function setup(plans: readonly Plan[], options: PolicyOptions = {}, more: object = {}) {
  const clock = virtualClock();
  const sent: AxiosRequestConfig[] = [];
  let aborted = 0;
  const base: AxiosAdapter = (config) => {
    const { ms, status = 200 } = plans[Math.min(sent.length, plans.length - 1)] as Plan;
    const number = sent.push({ ...config, headers: { ...config.headers } }) - 1;
    // As the adapters of axios do.
    config.headers.set('x-sent', `${number}`);
    return new Promise((resolve, reject) => {
      let isOver = false;
      const cancel = clock.schedule(() => {
        isOver = true;
        const response = responseTo(config, { status, data: `try ${number}` });
        if (config.validateStatus?.(status) !== false) return resolve(response);
        reject(new AxiosError(`status ${status}`, 'ERR_BAD_RESPONSE', config, null, response));
      }, ms);
      const token = config.cancelToken as unknown as Subscribing | undefined;
      const stop = (reason?: unknown): void => {
        cancel();
        token?.unsubscribe(stop);
        if (!isOver) aborted += 1;
        isOver = true;
        reject((reason as Event).type ? new axios.CanceledError(undefined, config as never) : reason);
      };
      token?.subscribe(stop);
      config.signal?.addEventListener?.('abort', stop as never);
    });
  };
  const policy = createPolicy({ maxRetries: 0, backoff: constant(0), clock, ...options });
  const adapter = hedged({ policy, delayMs: 10, share: 1, ...more }, base);
  const bare = axios.create({ adapter });
  const client = axios.create({ adapter });
  client.interceptors.request.use(ebbInterceptor(policy));
  return { clock, sent, aborted: () => aborted, adapter, bare, client, policy };
}

describe.each(['bare', 'client'] as const)('%s: what the caller gets', (which) => {
  test.each<[string, readonly Plan[], string, number, string]>([
    ['the first try, without a hedge', [{ ms: 5 }], 'try 0', 1, '0'],
    ['the first try, which was faster after all', [{ ms: 12 }, { ms: 9 }], 'try 0', 2, '0'],
    ['the hedge', [{ ms: 100 }, { ms: 5 }], 'try 1', 2, '1'],
  ])('%s: with its own config, and the headers that were sent', async (_, plans, data, sends, number) => {
    const one = setup(plans);
    const seen: unknown[] = [];
    one[which].interceptors.request.use((config) => {
      seen.push(config);
      return config;
    });
    const response = await one.clock.runUntilSettled(one[which].get(URL_A, { params: { a: 1 } }));
    expect([response.data, one.sent.length, response.config.params]).toEqual([data, sends, { a: 1 }]);
    expect(response.config).toBe(seen[0]);
    expect(String(response.config.headers['x-sent'])).toBe(number);
    expect(Object.getOwnPropertySymbols(response.config.fetchOptions ?? {})).toEqual([]);
    expect(one.aborted()).toBe(sends - 1);
  });

  test('an error of the last try, with its config and response', async () => {
    const { clock, [which]: client } = setup([{ ms: 100 }, { ms: 5, status: 404 }]);
    const error = await clock.runUntilSettled(errorOf(client.get(URL_A)));
    expect(error).toBeInstanceOf(AxiosError);
    expect([error.response?.status, error.response?.data]).toEqual([404, 'try 1']);
    expect(error.response?.config).toBe(error.config);
    expect(error.config?.signal).toBeUndefined();
  });

  test.each(waysToCancel)('axios’s CanceledError after an abort by %s', async (way, make) => {
    for (const afterMs of [5, 15]) {
      const one = setup([{ ms: 100 }]);
      const { config, abort, listeners } = make();
      const response = errorOf(one[which].get(URL_A, config));
      await one.clock.advance(afterMs);
      expect(one.sent.length).toBe(afterMs > 10 ? 2 : 1);
      abort(new Error('enough'));
      const error = await response;
      expect(error).toBeInstanceOf(axios.CanceledError);
      expect(error.config?.signal).toBe(way.startsWith('cancelToken') ? undefined : config.signal);
      if (way.startsWith('cancelToken')) expect(error).toBe(config.cancelToken?.reason);
      expect([one.aborted(), listeners()]).toEqual([one.sent.length, 0]);
    }
  });
});

test('each attempt is hedged, within its timeout, which ends both', async () => {
  const plans = [{ ms: 900 }, { ms: 900 }, { ms: 900 }, { ms: 5 }];
  const { clock, client, sent, aborted } = setup(plans, { maxRetries: 1, attemptTimeoutMs: 50 });
  const response = await clock.runUntilSettled(client.get<string>(URL_A));
  expect([response.data, sent.length, aborted()]).toEqual(['try 3', 4, 3]);
  expect(attemptsOf(response)).toMatchObject([
    { failure: 'timeout' },
    { status: 200, hedges: [{ delayMs: 10, won: true }] },
  ]);
});

test('another origin gets the path, the parameters and the headers, and what the hook says for it', async () => {
  const { clock, client, sent } = setup(
    [{ ms: 100 }, { ms: 5 }],
    {
      trustedOrigins: () => true,
      beforeAttempt: ({ request }) => ({ 'x-for': new URL(request.url).host }),
    },
    { to: () => 'https://b.test:8443/ignored' },
  );
  const config = { baseURL: 'https://a.test', params: { x: 1 }, headers: { 'x-own': '1' } };
  await clock.runUntilSettled(client.get('/things', config));
  const [first, hedge] = sent;
  expect([first?.url, first?.baseURL, first?.params]).toEqual(['/things', 'https://a.test', { x: 1 }]);
  expect([hedge?.url, hedge?.baseURL, hedge?.params]).toEqual([
    'https://b.test:8443/things?x=1',
    undefined,
    undefined,
  ]);
  expect(sent.map(({ headers }) => [headers?.['x-own'], headers?.['x-for']])).toEqual([
    ['1', 'a.test'],
    ['1', 'b.test:8443'],
  ]);
});

test('a header function is called at the send of the hedge as well, and plain values stay', async () => {
  let made = 0;
  const beforeAttempt = () => ({ 'x-plain': `${++made}`, 'x-nonce': () => `${++made}` });
  const { clock, client, sent } = setup([{ ms: 100 }, { ms: 5 }], { beforeAttempt });
  await clock.runUntilSettled(client.get(URL_A));
  expect(sent.map(({ headers }) => [headers?.['x-plain'], headers?.['x-nonce']])).toEqual([
    ['1', '2'],
    ['1', '3'],
  ]);
});

test.each<[string, AxiosRequestConfig, object, number]>([
  ['a GET', {}, {}, 2],
  ['a HEAD', { method: 'head' }, {}, 2],
  ['a POST', { method: 'post', data: 'x' }, {}, 1],
  ['a POST if all are', { method: 'post', data: { a: 1 } }, { methods: 'all' }, 2],
  ['a stream if all are', { method: 'post', data: new ReadableStream() }, { methods: 'all' }, 1],
  ['a signal of a polyfill', { signal: { aborted: false } as never }, {}, 1],
  ['a request whose download is listened to', { onDownloadProgress: () => undefined }, {}, 1],
  ['a request whose upload is listened to', { onUploadProgress: () => undefined }, {}, 1],
])('what is hedged: %s', async (_, config, more, sends) => {
  const { clock, client, sent } = setup([{ ms: 100 }], {}, more);
  await clock.runUntilSettled(client.request({ url: URL_A, transformRequest: [], ...config }));
  expect(sent.length).toBe(sends);
});

test.each([
  ['that fails, before the hedge wins', [12, 20], 503],
  ['that comes after the hedge has won, from an adapter that ignores its signal', [40, 5], 200],
])('the stream of a try is closed: one %s', async (_, [first = 0, second = 0], status) => {
  const clock = virtualClock();
  const policy = createPolicy({ maxRetries: 0, clock });
  const streams: Readable[] = [];
  const base: AxiosAdapter = (config) =>
    new Promise((resolve) => {
      const number = streams.push(openStream()) - 1;
      const response = responseTo(config, { status: number === 0 ? status : 200, data: streams[number] });
      clock.schedule(() => resolve(response), number === 0 ? first : second);
    });
  const client = axios.create({ adapter: hedged({ policy, delayMs: 10 }, base), responseType: 'stream' });
  client.interceptors.request.use(ebbInterceptor(policy));
  const response = await clock.runUntilSettled(client.get<Readable>(URL_A));
  await clock.advance(100);
  expect(response.data).toBe(streams[1]);
  expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, false]);
});

describe.each(['http', 'fetch'])('a streamed response over the %s adapter', (below) => {
  const policy = createPolicy({ attemptTimeoutMs: 60_000 });
  const client = axios.create({ adapter: hedged({ policy }, below), responseType: 'stream' });
  client.interceptors.request.use(ebbInterceptor(policy));
  testsOfCancelledStreams(client);
});

describe('wrong options', () => {
  const policy = createPolicy();

  test('are named by the function', () => {
    expect(() => hedged({} as never)).toThrow(/^hedged: policy must be/);
  });

  test('one below another', async () => {
    const base = vi.fn<AxiosAdapter>(async (config) => responseTo(config));
    const one = hedged({ policy }, base);
    expect(() => hedged({ policy }, one)).toThrow(RangeError);
    expect(() => hedged({ policy }, ['http', one])).toThrow(
      /hedged: adapter must be a function that does not/,
    );
    // With a client of ebb between.
    const below = axios.create({ adapter: one });
    below.interceptors.request.use(ebbInterceptor());
    const above = axios.create({
      adapter: hedged({ policy }, (config) => below.request({ ...config, adapter: one } as never)),
    });
    const error = await errorOf(above.get(URL_A));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toMatch(/does not hedge already/);
    expect(base).not.toHaveBeenCalled();
    expect((await below.get(URL_A)).status).toBe(200);
  });

  test('a keyOf that throws fails its request', async () => {
    const keyOf = (): never => {
      throw new Error('oops');
    };
    const client = axios.create({ adapter: hedged({ policy, keyOf }, async (config) => responseTo(config)) });
    expect(await errorOf(client.get(URL_A))).toMatchObject({ name: 'HookError', hook: 'keyOf' });
  });

  test('an adapter that axios does not know is an error of axios', async () => {
    const client = axios.create({ adapter: hedged({ policy }, 'carrier-pigeon') });
    expect(await errorOf(client.get(URL_A))).toBeInstanceOf(AxiosError);
  });
});
