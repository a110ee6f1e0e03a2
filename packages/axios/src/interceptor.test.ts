import { attemptsOf, constant, createPolicy, type EbbEvent, HookError, type TokenBucket } from '@ebb/core';
import axios, { type AxiosAdapter, AxiosError, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { ebbInterceptor } from './index.ts';

const atOnce = { backoff: constant(0) };
const DOWN: Step = { status: 503, body: 'down' };
const UP: Step = { status: 200, body: '{"up":true}', headers: { 'content-type': 'application/json' } };

/** An adapter that answers with these statuses, one after the other, and goes on with the last. */
function stub(...statuses: number[]) {
  let next = 0;
  return vi.fn<AxiosAdapter>(async (config) => {
    const status = statuses[Math.min(next++, statuses.length - 1)] ?? 200;
    const response = { status, statusText: '', data: 'text', headers: {}, config };
    if (!config.validateStatus || config.validateStatus(status)) return response;
    throw new AxiosError(`status ${status}`, 'ERR_BAD_RESPONSE', config, null, response);
  });
}

function clientOf(adapter: AxiosAdapter, ...args: Parameters<typeof ebbInterceptor>) {
  const client = axios.create({ adapter });
  client.interceptors.request.use(ebbInterceptor(...args));
  return client;
}

async function errorOf(promise: Promise<unknown>): Promise<AxiosError> {
  return promise.then(
    () => expect.fail('did not reject'),
    (error) => error,
  );
}

describe('what the caller gets is what the adapter gave', () => {
  test('the response, the same object, after its transforms', async () => {
    const response = { status: 200, statusText: 'OK', data: '{"a":1}', headers: {}, request: {} };
    const client = clientOf(async (config) => Object.assign(response, { config }), atOnce);
    const result = await client.get('http://upstream/');
    expect(result).toBe(response);
    expect(result.data).toEqual({ a: 1 });
    expect(attemptsOf(result)).toMatchObject([{ attempt: 1, status: 200, reason: 'success' }]);
  });

  test('the last error, the same object, with the config of the request', async () => {
    const errors: AxiosError[] = [];
    const adapter = stub(503, 502, 500);
    const client = clientOf(
      (config) => adapter(config).catch((error) => Promise.reject(errors[errors.push(error) - 1])),
      { ...atOnce, maxRetries: 2 },
    );
    const error = await errorOf(client.get('http://upstream/', { headers: { a: 'b' } }));
    expect(error).toBe(errors[2]);
    expect(error.response?.status).toBe(500);
    expect(error.config?.headers.get('a')).toBe('b');
    expect(error.config).toBe(error.response?.config);
    const statuses = [503, 502, 500].map((status) => ({ status }));
    expect(attemptsOf(error)).toMatchObject(statuses);
    expect(attemptsOf(error.response)).toBe(attemptsOf(error));
  });

  test.each([
    ['a validateStatus that accepts all', () => true],
    ['no validateStatus', null],
  ])('%s does not hide a 503: it is retried, and the last response is given', async (_, validateStatus) => {
    const adapter = stub(503, 503, 200);
    const client = clientOf(adapter, atOnce);
    expect((await client.get('http://upstream/', { validateStatus })).status).toBe(200);
    const down = clientOf(stub(503), { ...atOnce, maxRetries: 1 });
    const last = await down.get('http://upstream/', { validateStatus });
    expect([last.status, attemptsOf(last).length]).toEqual([503, 2]);
  });

  test('a success that validateStatus refuses is refused, once', async () => {
    const adapter = stub(200);
    const error = await errorOf(clientOf(adapter, atOnce).get('/', { validateStatus: () => false }));
    expect([error.response?.status, adapter.mock.calls.length]).toEqual([200, 1]);
  });

  test('headers of a custom adapter are read whatever they are', async () => {
    const given = [{ 'Retry-After': '7' }, new Headers({ 'retry-after': '7' }), { 'retry-after': ['7'] }];
    for (const headers of [...given, axios.AxiosHeaders.from({ 'RETRY-AFTER': '7' })]) {
      const client = clientOf(
        async (config) => ({ status: 429, statusText: '', data: '', headers: headers as never, config }),
        { maxRetryAfterMs: 6_999 },
      );
      const response = await client.get('/', { validateStatus: null });
      expect(attemptsOf(response)).toMatchObject([{ reason: 'retry-after-too-long' }]);
    }
  });

  const timeout = (cause: unknown) =>
    Object.assign(new AxiosError('timeout of 5ms exceeded', 'ETIMEDOUT'), { cause });
  test.each<[what: string, error: unknown, kind: string]>([
    // So in browsers: what ended the exchange was an abort, why it did was the timeout.
    ['a timeout by an abort', timeout(new DOMException('aborted', 'AbortError')), 'timeout'],
    [
      'a timeout while connecting',
      timeout(Object.assign(new Error(), { code: 'ETIMEDOUT', syscall: 'connect' })),
      'connect',
    ],
    ['a body that breaks off', new AxiosError('stream has been aborted', 'ERR_BAD_RESPONSE'), 'network'],
    [
      'a body that breaks off, in an older axios',
      new AxiosError('maxContentLength size of -1 exceeded', 'ERR_BAD_RESPONSE'),
      'network',
    ],
    [
      'a body that is too long',
      new AxiosError('maxContentLength size of 1 exceeded', 'ERR_BAD_RESPONSE'),
      'unknown',
    ],
    ['an upload that its stream gave up', new axios.CanceledError('aborted'), 'aborted'],
    ['nothing at all', undefined, 'unknown'],
  ])('%s is understood', async (_, error, kind) => {
    const ends: EbbEvent[] = [];
    const classify = vi.fn(() => 'final' as const);
    const client = clientOf(() => Promise.reject(error), { classify, onEvent: (event) => ends.push(event) });
    expect(await errorOf(client.get('/'))).toBe(error);
    expect(classify.mock.calls).toEqual([[expect.objectContaining({ kind })]]);
    expect(ends.at(-1)).toMatchObject({ type: 'end', reason: kind === 'aborted' ? 'aborted' : 'final' });
  });

  test('an adapter that throws, or gives nothing, fails as it does in axios', async () => {
    const thrown = new Error('broken');
    const throws = clientOf((() => {
      throw thrown;
    }) as AxiosAdapter);
    expect(await errorOf(throws.get('/'))).toBe(thrown);
    expect(await errorOf(clientOf(async () => undefined as never).get('/'))).toBeInstanceOf(TypeError);
  });
});

describe('interceptors and transforms run once', () => {
  test('around three attempts', async () => {
    const server = await serve(DOWN, DOWN, UP);
    const calls: string[] = [];
    const note =
      (name: string) =>
      <T>(value: T): T => {
        calls.push(name);
        return value;
      };
    const client = axios.create({
      transformRequest: [(data) => calls.push('transformRequest') && JSON.stringify(data)],
      transformResponse: [(data) => calls.push('transformResponse') && JSON.parse(data)],
    });
    client.interceptors.request.use(note('request 1'));
    client.interceptors.request.use(ebbInterceptor(atOnce));
    client.interceptors.request.use(note('request 2'));
    client.interceptors.response.use(note('response'));
    const { data } = await client.put('path', { a: 1 }, { baseURL: server.url, params: { q: '1 2' } });
    expect(data).toEqual({ up: true });
    expect(calls).toEqual(['request 2', 'request 1', 'transformRequest', 'transformResponse', 'response']);
    for (const request of server.seen) {
      expect([request.path, request.body]).toEqual(['/path?q=1+2', '{"a":1}']);
      expect(request.headers).toEqual(server.seen[0]?.headers);
    }
    expect(server.seen).toHaveLength(3);
  });

  test('each attempt starts from the headers of the request, whatever the adapter wrote', async () => {
    const seen: unknown[] = [];
    const adapter = stub(503, 503, 200);
    const client = clientOf(
      (config) => {
        seen.push({ ...config.headers });
        config.headers.set('signature', `of attempt ${seen.length}`);
        return adapter(config);
      },
      { ...atOnce, methods: 'all' },
    );
    const { config } = await client.post('http://upstream/', 'text', { headers: { a: 'b' } });
    expect(seen).toEqual([seen[0], seen[0], seen[0]]);
    expect(seen[0]).toMatchObject({ a: 'b' });
    expect(config.headers.get('signature')).toBe('of attempt 3');
    expect(config.headers).toBeInstanceOf(axios.AxiosHeaders);
  });
});

describe('the adapter', () => {
  test('is the caller’s own, in the attempt as in what comes back', async () => {
    const during: unknown[] = [];
    const adapter: AxiosAdapter = async (config) => {
      during.push(config.adapter);
      return stub(during.length % 2 === 1 ? 503 : 200)(config);
    };
    const { config } = await clientOf(adapter, atOnce).get('/');
    expect(during).toEqual([adapter, adapter]);
    expect(config.adapter).toBe(adapter);
    expect(Reflect.ownKeys(config).filter((key) => typeof key === 'symbol')).toEqual([]);
  });

  test.each([
    ['a name', 'http' as const, 'http'],
    ['a list', ['nothing', 'http', 'fetch'].slice(1) as 'http'[], ['http', 'fetch']],
    ['a list with a function', [stub(503, 200)], undefined],
    ['the default', undefined, axios.defaults.adapter],
  ])('%s is resolved as axios does it', async (_, adapter, expected) => {
    const server = await serve(DOWN, UP);
    const client = axios.create(adapter === undefined ? {} : { adapter });
    client.interceptors.request.use(ebbInterceptor(atOnce));
    const { status, config } = await client.get(server.url);
    expect(status).toBe(200);
    expect(config.adapter).toEqual(expected ?? adapter);
  });

  test('none at all falls back to axios’s default', async () => {
    const server = await serve(DOWN, UP);
    const client = axios.create();
    client.interceptors.request.use(ebbInterceptor(atOnce));
    client.interceptors.request.use(({ adapter, ...config }) => config as InternalAxiosRequestConfig);
    const { config } = await client.get(server.url);
    expect([server.seen.length, 'adapter' in config]).toEqual([2, false]);
  });

  test('an unknown one is axios’s own error', async () => {
    const plain = await errorOf(axios.get('/', { adapter: 'nonsense' }));
    const client = axios.create({ adapter: 'nonsense' });
    client.interceptors.request.use(ebbInterceptor());
    expect((await errorOf(client.get('/'))).message).toBe(plain.message);
  });

  test('a config that came back can be sent again, and is retried afresh', async () => {
    const adapter = stub(503, 503, 503, 200, 503, 200);
    const client = clientOf(adapter, { ...atOnce, maxRetries: 1 });
    const error = await errorOf(client.put('http://upstream/', { a: 1 }));
    expect(adapter).toHaveBeenCalledTimes(2);
    expect(error.config?.adapter).toBe(adapter);
    expect(Object.getOwnPropertySymbols(error.config)).toEqual([]);
    const response = await client.request(error.config ?? {});
    expect([response.status, attemptsOf(response).length]).toEqual([200, 2]);
    const again = await client.request(response.config);
    expect([again.status, attemptsOf(again).length]).toEqual([200, 2]);
    expect(again.config.adapter).toBe(adapter);
    expect(again.config.data).toBe('{"a":1}');
  });

  test('an error can be made JSON of', async () => {
    const client = clientOf(stub(503), { ...atOnce, maxRetries: 1 });
    const error = await errorOf(client.get('/', { ebb: { onEvent: () => undefined } }));
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'ERR_BAD_RESPONSE', status: 503 });
  });
});

describe('more than one interceptor', () => {
  const seven = { ...atOnce, maxRetries: 7 };
  const two = { ...atOnce, maxRetries: 2 };

  test('of one instance: the one that axios runs first holds', async () => {
    const adapter = stub(503);
    const client = clientOf(adapter, seven);
    client.interceptors.request.use(ebbInterceptor(two));
    await errorOf(client.get('/'));
    expect(adapter).toHaveBeenCalledTimes(3);
  });

  test('without the legacy order that is the one that was added first', async () => {
    const adapter = stub(503);
    const client = clientOf(adapter, two);
    client.interceptors.request.use(ebbInterceptor(seven));
    await errorOf(client.get('/', { transitional: { legacyInterceptorReqResOrdering: false } }));
    expect(adapter).toHaveBeenCalledTimes(3);
  });

  test('with somebody’s adapter around the inner one: the outer holds', async () => {
    const adapter = stub(503);
    const client = clientOf(adapter, two);
    client.interceptors.request.use((config) => {
      const inner = axios.getAdapter(config.adapter);
      return Object.assign(config, { adapter: (sent: InternalAxiosRequestConfig) => inner({ ...sent }) });
    });
    client.interceptors.request.use(ebbInterceptor(seven));
    const error = await errorOf(client.get('/'));
    expect([adapter.mock.calls.length, attemptsOf(error).length]).toEqual([3, 3]);
  });

  test('with an adapter that sends through another client of ours', async () => {
    const adapter = stub(503);
    const inner = clientOf(adapter, seven);
    const outer = clientOf((config) => inner.request({ ...config, adapter }), two);
    await errorOf(outer.get('/'));
    expect(adapter).toHaveBeenCalledTimes(3);
    // What was copied from a call that is over is a request like any other.
    const { config } = await errorOf(outer.get('/'));
    adapter.mockClear();
    await errorOf(inner.request({ ...config, adapter }));
    expect(adapter).toHaveBeenCalledTimes(8);
  });

  test('eject removes it', async () => {
    const adapter = stub(503);
    const client = axios.create({ adapter });
    const id = client.interceptors.request.use(ebbInterceptor(two));
    client.interceptors.request.eject(id);
    await errorOf(client.get('/'));
    expect(adapter).toHaveBeenCalledTimes(1);
  });
});

describe('it runs', () => {
  test.each([true, false])('as an interceptor that is synchronous or not: %s', async (synchronous) => {
    const server = await serve(DOWN, DOWN, UP);
    let isAsked = false;
    const transformRequest = (data: unknown) => {
      isAsked = true;
      return data;
    };
    const client = axios.create({ transformRequest });
    client.interceptors.request.use(ebbInterceptor(atOnce), null, { synchronous });
    const response = client.request({ url: server.url });
    // axios has the request on its way in the turn of the call, without a promise for each interceptor.
    expect(isAsked).toBe(synchronous);
    expect(attemptsOf(await response).map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  test('as a synchronous interceptor, and leaves what is not its own', async () => {
    const adapter = stub(503, 200);
    const client = axios.create({ adapter });
    client.interceptors.request.use(ebbInterceptor(atOnce), null, { synchronous: true });
    expect((await client.get('/')).status).toBe(200);
    const config = { headers: new axios.AxiosHeaders() } as InternalAxiosRequestConfig;
    const left = { ...config, ebb: false } as const;
    expect(ebbInterceptor()({ ...left })).toEqual(left);
    expect(ebbInterceptor()(config)).toBe(config);
  });

  test('on axios itself', async () => {
    const adapter = stub(503, 200);
    const id = axios.interceptors.request.use(ebbInterceptor(atOnce));
    try {
      expect((await axios({ url: '/', adapter })).status).toBe(200);
    } finally {
      axios.interceptors.request.eject(id);
    }
  });

  test('with runWhen, under a name', async () => {
    expect(ebbInterceptor().name).toBe('ebb');
    const adapter = stub(503);
    const client = axios.create({ adapter });
    const runWhen = ({ url }: InternalAxiosRequestConfig) => url === '/yes';
    client.interceptors.request.use(ebbInterceptor({ ...atOnce, maxRetries: 1 }), null, { runWhen });
    await errorOf(client.get('/no'));
    expect(adapter).toHaveBeenCalledTimes(1);
    await errorOf(client.get('/yes'));
    expect(adapter).toHaveBeenCalledTimes(3);
  });
});

describe('the options of one request', () => {
  test('change the policy for it', async () => {
    const adapter = stub(503);
    const client = clientOf(adapter, { ...atOnce, maxRetries: 3 });
    await errorOf(client.get('/', { ebb: { maxRetries: 1 } }));
    expect(adapter).toHaveBeenCalledTimes(2);
    await errorOf(client.get('/', { ebb: { methods: ['post'], classify: () => 'transient' } }));
    expect(adapter).toHaveBeenCalledTimes(3);
  });

  test('false sends as if ebb were not there', async () => {
    const adapter = stub(503);
    const classify = vi.fn();
    await errorOf(clientOf(adapter, { classify }).get('/', { ebb: false }));
    const byLater = axios.create({ adapter });
    byLater.interceptors.request.use((config) => Object.assign(config, { ebb: false }));
    byLater.interceptors.request.use(ebbInterceptor({ classify }));
    await errorOf(byLater.get('/'));
    expect([adapter.mock.calls.length, classify.mock.calls.length]).toEqual([2, 0]);
  });

  test('may stand in the defaults of an instance, under those of the request', async () => {
    const adapter = stub(503);
    const client = axios.create({ adapter, ebb: { ...atOnce, maxRetries: 4, cost: 2 } });
    client.interceptors.request.use(ebbInterceptor());
    await errorOf(client.get('/'));
    expect(adapter).toHaveBeenCalledTimes(5);
    await errorOf(client.get('/', { ebb: { maxRetries: 1 } }));
    expect(adapter).toHaveBeenCalledTimes(7);
    await errorOf(client.get('/', { ebb: false }));
    expect(adapter).toHaveBeenCalledTimes(8);
  });

  class Counting {
    left = 3;
    readonly balance = 1;
    deposits = 0;
    tryAcquire(): object {
      this.left -= 1;
      return { cost: 1, waitedMs: 0 };
    }
    async acquire(): Promise<object> {
      this.left -= 1;
      return { cost: 1, waitedMs: 0 };
    }
    deposit(): void {
      this.deposits += 1;
    }
    withdraw(): boolean {
      return true;
    }
  }

  test('a bucket and a budget reach the request as they are, not as copies', async () => {
    const bucket = new Counting();
    const budget = new Counting();
    const ebb = { ...atOnce, bucket: bucket as unknown as TokenBucket, budget };
    const client = axios.create({ adapter: stub(503, 200), ebb });
    client.interceptors.request.use(ebbInterceptor());
    await client.get('/');
    await client.get('/', { ebb });
    expect([bucket.left, budget.deposits]).toEqual([0, 2]);
  });

  test('a plain object in their place, which axios copies, is refused', async () => {
    const adapter = stub(200);
    const bucket = { tryAcquire: () => true, acquire: () => true } as unknown as TokenBucket;
    const error = await errorOf(clientOf(adapter).get('/', { ebb: { bucket } }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^ebb: bucket must be an instance of a class/);
    expect(adapter).not.toHaveBeenCalled();
    // axios does not copy what the interceptor itself is given.
    expect((await clientOf(adapter, { bucket }).get('/')).status).toBe(200);
  });
});

describe('wrong options', () => {
  test.each([
    [{ maxRetries: -1 }, 'createPolicy: maxRetries'],
    [{ retries: 3 }, 'createPolicy has no option "retries"'],
    [null, 'createPolicy takes an object of options'],
    ['x', 'createPolicy takes an object of options'],
  ])('%j is told at once', (options, message) => {
    expect(() => ebbInterceptor(options as never)).toThrow(message);
  });

  test.each([
    [
      { maxRetries: Number.NaN },
      RangeError,
      'ebb: maxRetries takes a whole number from 0, and was given NaN',
    ],
    [{ maxRetries: '3' }, TypeError, 'ebb: maxRetries'],
    [{ retries: 3 }, TypeError, 'ebb has no option "retries"'],
    [true, TypeError, 'ebb takes an object of options, and was given true'],
    [null, TypeError, 'ebb takes an object of options, and was given null'],
  ])('%j in a request rejects it alone', async (ebb, kind, message) => {
    const adapter = stub(200);
    const client = clientOf(adapter);
    const error = await errorOf(client.get('/', { ebb: ebb as never }));
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toContain(message);
    expect(adapter).not.toHaveBeenCalled();
    expect((await client.get('/')).status).toBe(200);
  });

  test.each(['classify', 'backoff', 'cost'])('a %s that throws rejects its request', async (hook) => {
    const cause = new Error('mine');
    const throws = () => {
      throw cause;
    };
    const bucket = {
      tryAcquire: () => ({ waitedMs: 0 }),
      acquire: async () => undefined,
    } as unknown as TokenBucket;
    const client = clientOf(stub(503), { [hook]: throws, bucket });
    const error = await errorOf(client.get('/'));
    expect(error).toBeInstanceOf(HookError);
    expect(error).toMatchObject({ hook, cause });
  });
});

describe('what a policy may know of a request', () => {
  const traitsOf = async (config: Parameters<typeof axios.request>[0]) => {
    const events: EbbEvent[] = [];
    await clientOf(stub(200), { onEvent: (event) => events.push(event) }).request(config);
    expect(events.map((event) => event.type)).toEqual(['attempt', 'end']);
    expect(events[1]?.request).toBe(events[0]?.request);
    return events[0]?.request;
  };

  test('the method in upper case, the URL with all that axios puts into it, the headers', async () => {
    const request = await traitsOf({
      method: 'pAtCh',
      baseURL: 'http://upstream/v1/',
      url: 'things',
      params: { a: [1, 2], b: 'ü' },
      headers: { 'Idempotency-Key': 'k', list: ['a', 'b'], off: false },
    });
    expect(request?.method).toBe('PATCH');
    expect(request?.url).toBe('http://upstream/v1/things?a%5B%5D=1&a%5B%5D=2&b=%C3%BC');
    const headers = ['idempotency-key', 'list', 'off', 'none'].map((name) => request?.header(name));
    expect(headers).toEqual(['k', 'a, b', undefined, undefined]);
  });

  test('the URL takes nothing of the defaults of axios itself', async () => {
    axios.defaults.baseURL = 'http://elsewhere/';
    try {
      expect((await traitsOf({ url: 'http://upstream/' }))?.url).toBe('http://upstream/');
      expect((await traitsOf({ baseURL: '', url: '/path' }))?.url).toBe('/path');
    } finally {
      delete axios.defaults.baseURL;
    }
  });

  test('a relative URL is that of the page', async () => {
    vi.stubGlobal('location', { href: 'http://page/a/b' });
    try {
      expect((await traitsOf({ url: '../c' }))?.url).toBe('http://page/c');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test.each([
    ['GET', {}, 2],
    ['PUT', {}, 2],
    ['DELETE', {}, 2],
    ['POST', {}, 1],
    ['PATCH', {}, 1],
    ['POST', { 'idempotency-key': 'k' }, 2],
    ['POST', { 'Idempotency-Key': 'k' }, 2],
  ])('%s with %j after a 503: %i attempts', async (method, headers, attempts) => {
    const server = await serve(DOWN, UP);
    const client = axios.create();
    client.interceptors.request.use(ebbInterceptor(atOnce));
    await client.request({ method, url: server.url, headers, validateStatus: null });
    expect(server.seen).toHaveLength(attempts);
    for (const request of server.seen) {
      expect(request.headers['idempotency-key']).toBe(Object.values(headers)[0]);
    }
  });

  test('a policy is shared with what else it is given to', async () => {
    const onEvent = vi.fn();
    const policy = createPolicy({ ...atOnce, onEvent });
    await clientOf(stub(200), policy).get('/');
    await clientOf(stub(200), policy).get('/');
    expect(onEvent).toHaveBeenCalledTimes(4);
  });
});
