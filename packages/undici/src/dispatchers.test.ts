import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { constant, createPolicy, type PolicyOptions } from '@ebb/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bucketThat } from '../test/bucket.ts';
import { clients, versions } from '../test/clients.ts';
import { failing, rawUpstream, upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const soon: PolicyOptions = { backoff: constant(0) };

describe.each(Object.entries(versions))('dispatchers of %s', (version, undici) => {
  const { Agent, Client, MockAgent, Pool, request } = undici;

  test.each<[string, (origin: string) => InstanceType<typeof Agent | typeof Client | typeof Pool>]>([
    ['Agent', () => new Agent()],
    ['Pool', (origin) => new Pool(origin)],
    ['Client', (origin) => new Client(origin)],
  ])('%s', async (_, make) => {
    await using server = await upstream(failing(503, 429));
    const origin = new URL(server.url).origin;
    const dispatcher = make(origin).compose(ebbInterceptor(soon));
    const got = await request(`${server.url}path`, { dispatcher });
    expect([got.statusCode, await got.body.text()]).toEqual([200, 'ok']);
    const own = await dispatcher.request({ origin, path: '/own', method: 'GET' });
    expect(await own.body.text()).toBe('ok');
    expect(server.seen.map(({ path }) => path)).toEqual(['/path', '/path', '/path', '/own']);
    await dispatcher.close();
  });

  test('a composed Client keeps its origin, and the policy sees it with undici 8', async () => {
    await using server = await upstream(failing());
    const urls: string[] = [];
    const cost = ({ url }: { url: string }): number => urls.push(url);
    const policy = createPolicy({ bucket: bucketThat({ tryAcquire: () => true }), cost });
    const { origin } = new URL(server.url);
    const dispatcher = new Client(origin).compose(ebbInterceptor(policy));
    const got = await dispatcher.request({ path: '/own', method: 'GET', query: { a: '1' } });
    await got.body.dump();
    expect(server.seen[0]?.path).toBe('/own?a=1');
    // undici 7 does not tell an interceptor the origin of a Client.
    const known = version === 'undici 7' ? 'http://dispatcher-0.invalid' : origin;
    expect(urls.map((url) => url.replace(/-\d+/, '-0'))).toEqual([`${known}/own?a=1`]);
    await dispatcher.close();
  });

  const ways = clients.filter((client) => client.undici === undici);

  test.each(ways)('MockAgent, by $name, with bodies', async (client) => {
    const mock = new MockAgent();
    mock.disableNetConnect();
    const pool = mock.get('http://mocked.test');
    const asked = { path: '/', method: 'PUT', body: 'text' };
    pool.intercept(asked).reply(503, 'no');
    pool.intercept(asked).replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    pool.intercept(asked).reply(200, 'ok', { trailers: { sum: '1' } });
    const dispatcher = mock.compose(ebbInterceptor(soon));
    const got = await client.send('http://mocked.test/', dispatcher, { method: 'PUT', body: 'text' });
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
    mock.assertNoPendingInterceptors();
    const unknown = client.send('http://mocked.test/', dispatcher).catch((error: unknown) => error);
    const error = (await unknown) as Error;
    expect(client.isFetch ? error.cause : error).toMatchObject({ code: 'UND_MOCK_ERR_MOCK_NOT_MATCHED' });
    await mock.close();
  });

  test.each(ways)('MockAgent that lets through, by $name, with bodies', async (client) => {
    await using server = await upstream(failing(503));
    const mock = new MockAgent();
    mock.enableNetConnect();
    const dispatcher = mock.compose(ebbInterceptor(soon));
    const got = await client.send(server.url, dispatcher, { method: 'PUT', body: 'text' });
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
    expect(server.seen.map(({ body }) => String(body))).toEqual(['text', 'text']);
    await mock.close();
  });

  test('setGlobalDispatcher, for undici and for Node', async () => {
    const { fetch: undiciFetch, getGlobalDispatcher, setGlobalDispatcher } = undici;
    const before = getGlobalDispatcher();
    onTestFinished(() => setGlobalDispatcher(before));
    const dispatcher = new Agent().compose(ebbInterceptor(soon));
    setGlobalDispatcher(dispatcher);
    const texts = [
      async (url: string) => (await request(url)).body.text(),
      async (url: string) => (await undiciFetch(url)).text(),
      async (url: string) => (await fetch(url, { method: 'PUT', body: 'text' })).text(),
    ];
    for (const text of texts) {
      await using server = await upstream(failing(503));
      expect(await text(server.url)).toBe('ok');
      expect(server.seen).toHaveLength(2);
    }
    await dispatcher.close();
  });

  test('a closed dispatcher and invalid options give undici’s own errors', async () => {
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor(soon));
    await expect(
      request('http://upstream.test/', { dispatcher, method: 'not a method' }),
    ).rejects.toMatchObject({
      code: 'UND_ERR_INVALID_ARG',
    });
    await agent.close();
    await expect(request('http://upstream.test/', { dispatcher })).rejects.toMatchObject({
      code: 'UND_ERR_DESTROYED',
    });
    const options = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;
    expect(() => dispatcher.dispatch(options, undefined as never)).toThrow();
    expect(() => dispatcher.dispatch(undefined as never, {})).toThrow();
    expect(() => dispatcher.dispatch(options, { onRequestStart: () => undefined })).toThrow();
  });
});

describe.each(Object.entries(versions))('the API of %s', (_, undici) => {
  const { Agent, connect, pipeline, stream, upgrade } = undici;

  async function textOf(source: Readable): Promise<string> {
    let text = '';
    for await (const chunk of source) text += chunk;
    return text;
  }

  test('stream', async () => {
    await using server = await upstream(failing(503));
    const dispatcher = new Agent().compose(ebbInterceptor(soon));
    const sink = new PassThrough();
    const statuses: number[] = [];
    await stream(server.url, { method: 'GET', dispatcher }, ({ statusCode }) => {
      statuses.push(statusCode);
      return sink;
    });
    expect(await textOf(sink)).toBe('ok');
    expect(statuses).toEqual([200]);
    await dispatcher.close();
  });

  test('pipeline, with nothing to send and with something', async () => {
    await using server = await upstream(failing(503));
    const dispatcher = new Agent().compose(ebbInterceptor(soon));
    const send = (method: 'GET' | 'PUT', text: string): Promise<string> => {
      const through = pipeline(server.url, { method, dispatcher }, ({ body }) => body);
      through.end(text);
      return textOf(through);
    };
    expect(await send('GET', '')).toBe('ok');
    expect(server.seen).toHaveLength(2);
    server.seen.length = 0;
    // The upload was read, so it cannot be sent again.
    expect(await send('PUT', 'text')).toBe('no 1');
    expect(server.seen.map(({ body }) => String(body))).toEqual(['text']);
    await dispatcher.close();
  });

  test('connect and upgrade', async () => {
    await using server = await rawUpstream((socket, head, number) => {
      if (number === 0) socket.end('HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n');
      else if (head.startsWith('CONNECT')) socket.write('HTTP/1.1 200 OK\r\n\r\nhello');
      else socket.write('HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nhello');
    });
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor(soon));
    const upgraded = await upgrade(server.url, { protocol: 'echo', dispatcher });
    expect(upgraded.headers.upgrade).toBe('echo');
    expect(String((await once(upgraded.socket, 'data'))[0])).toBe('hello');
    upgraded.socket.destroy();
    const connected = await connect(server.url, { dispatcher });
    expect(connected.statusCode).toBe(200);
    expect(String((await once(connected.socket, 'data'))[0])).toBe('hello');
    connected.socket.destroy();
    await agent.destroy();
  });
});

describe('ebbInterceptor', () => {
  test('has a name, and functions of the arity that compose requires', () => {
    const interceptor = ebbInterceptor();
    const dispatch = interceptor(() => true);
    expect([ebbInterceptor.name, interceptor.name, dispatch.name]).toEqual([
      'ebbInterceptor',
      'ebb',
      'ebbDispatch',
    ]);
    expect(dispatch).toHaveLength(2);
  });

  test('rejects values that are not a policy', () => {
    expect(() => ebbInterceptor({ maxRetries: Number.NaN })).toThrow(RangeError);
    expect(() => ebbInterceptor({ retries: 1 } as PolicyOptions)).toThrow(/retries/);
    expect(() => ebbInterceptor('fast' as PolicyOptions)).toThrow(TypeError);
  });
});
