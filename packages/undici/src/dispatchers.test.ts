import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { constant, createPolicy, type PolicyOptions } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bucketThat } from '../test/bucket.ts';
import { clients, versions } from '../test/clients.ts';
import { failing, rawUpstream, upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const soon: PolicyOptions = { backoff: constant(0) };

async function textOf(source: Readable): Promise<string> {
  let text = '';
  for await (const chunk of source) text += chunk;
  return text;
}

describe.each(Object.entries(versions))('dispatchers of %s', (version, undici) => {
  const { Agent, Client, MockAgent, Pool, request } = undici;

  /** Has the dispatcher closed after the test. */
  function composed(base: Dispatcher, policy: PolicyOptions = soon): Dispatcher {
    onTestFinished(() => (base instanceof MockAgent ? base.close() : base.destroy()));
    return base.compose(ebbInterceptor(policy));
  }

  test.each<[string, (origin: string) => Dispatcher]>([
    ['Agent', () => new Agent()],
    ['Pool', (origin) => new Pool(origin)],
    ['Client', (origin) => new Client(origin)],
  ])('%s', async (_, make) => {
    await using server = await upstream(failing(503, 429));
    const { origin } = new URL(server.url);
    const dispatcher = composed(make(origin));
    const got = await request(`${server.url}path`, { dispatcher });
    expect([got.statusCode, await got.body.text()]).toEqual([200, 'ok']);
    const own = await dispatcher.request({ origin, path: '/own', method: 'GET' });
    expect(await own.body.text()).toBe('ok');
    expect(server.seen.map(({ path }) => path)).toEqual(['/path', '/path', '/path', '/own']);
  });

  test('a composed Client keeps its origin, and the policy sees it with undici 8', async () => {
    await using server = await upstream(failing());
    const urls: string[] = [];
    const cost = ({ url }: { url: string }): number => urls.push(url);
    const policy = createPolicy({ bucket: bucketThat({ tryAcquire: () => true }), cost });
    const { origin } = new URL(server.url);
    const dispatcher = composed(new Client(origin), policy);
    const got = await dispatcher.request({ path: '/own', method: 'GET', query: { a: '1' } });
    await got.body.dump();
    expect(server.seen[0]?.path).toBe('/own?a=1');
    // undici 7 does not tell an interceptor the origin of a Client.
    const known = version === 'undici 7' ? 'http://dispatcher-0.invalid' : origin;
    expect(urls.map((url) => url.replace(/-\d+/, '-0'))).toEqual([`${known}/own?a=1`]);
  });

  const ways = clients.filter((client) => client.undici === undici);
  const put = { method: 'PUT', body: 'text' };

  test.each(ways)('MockAgent, by $name, with bodies', async (client) => {
    const mock = new MockAgent();
    mock.disableNetConnect();
    const pool = mock.get('http://mocked.test');
    const asked = { path: '/', ...put };
    pool.intercept(asked).reply(503, 'no');
    pool.intercept(asked).replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    pool.intercept(asked).reply(200, 'ok', { trailers: { sum: '1' } });
    const dispatcher = composed(mock);
    const got = await client.send('http://mocked.test/', dispatcher, put);
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
    mock.assertNoPendingInterceptors();
    const error = await client.send('http://mocked.test/', dispatcher).catch((thrown: Error) => thrown);
    const own = client.isFetch ? (error as Error).cause : error;
    expect(own).toMatchObject({ code: 'UND_MOCK_ERR_MOCK_NOT_MATCHED' });
  });

  test.each(ways)('MockAgent that lets through, by $name, with bodies', async (client) => {
    await using server = await upstream(failing(503));
    const mock = new MockAgent();
    mock.enableNetConnect();
    const got = await client.send(server.url, composed(mock), put);
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
    expect(server.seen.map(({ body }) => String(body))).toEqual(['text', 'text']);
  });

  test('setGlobalDispatcher, for undici and for Node', async () => {
    const { fetch: undiciFetch, getGlobalDispatcher, setGlobalDispatcher } = undici;
    const before = getGlobalDispatcher();
    onTestFinished(() => setGlobalDispatcher(before));
    setGlobalDispatcher(composed(new Agent()));
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
  });

  test('a closed dispatcher gives undici’s own error', async () => {
    const agent = new Agent();
    await agent.close();
    const sent = request('http://upstream.test/', { dispatcher: agent.compose(ebbInterceptor(soon)) });
    await expect(sent).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' });
  });

  test('stream', async () => {
    await using server = await upstream(failing(503));
    const sink = new PassThrough();
    const statuses: number[] = [];
    const options = { method: 'GET', dispatcher: composed(new Agent()) } as const;
    await undici.stream(server.url, options, ({ statusCode }) => {
      statuses.push(statusCode);
      return sink;
    });
    expect([await textOf(sink), statuses]).toEqual(['ok', [200]]);
  });

  // The upload of the second was read, so it cannot be sent again.
  test.each([
    ['nothing', 'GET', '', 'ok', ['', '']],
    ['something', 'PUT', 'text', 'no 1', ['text']],
  ] as const)('pipeline, with %s to send', async (_, method, text, got, sent) => {
    await using server = await upstream(failing(503));
    const options = { method, dispatcher: composed(new Agent()) };
    const through = undici.pipeline(server.url, options, ({ body }) => body);
    through.end(text);
    expect(await textOf(through)).toBe(got);
    expect(server.seen.map(({ body }) => String(body))).toEqual(sent);
  });

  test('connect and upgrade', async () => {
    await using server = await rawUpstream((socket, head, number) => {
      if (number === 0) socket.end('HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n');
      else if (head.startsWith('CONNECT')) socket.write('HTTP/1.1 200 OK\r\n\r\nhello');
      else socket.write('HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nhello');
    });
    const dispatcher = composed(new Agent());
    const upgraded = await undici.upgrade(server.url, { protocol: 'echo', dispatcher });
    expect(upgraded.headers.upgrade).toBe('echo');
    const connected = await undici.connect(server.url, { dispatcher });
    expect(connected.statusCode).toBe(200);
    for (const { socket } of [upgraded, connected]) {
      expect(String((await once(socket, 'data'))[0])).toBe('hello');
      socket.destroy();
    }
  });
});

test('ebbInterceptor has a name, and functions of the arity that compose requires', () => {
  const interceptor = ebbInterceptor();
  const dispatch = interceptor(() => true);
  const names = [ebbInterceptor.name, interceptor.name, dispatch.name];
  expect(names).toEqual(['ebbInterceptor', 'ebb', 'ebbDispatch']);
  expect(dispatch).toHaveLength(2);
});

test('ebbInterceptor rejects values that are not a policy', () => {
  expect(() => ebbInterceptor({ maxRetries: Number.NaN })).toThrow(RangeError);
  expect(() => ebbInterceptor({ retries: 1 } as PolicyOptions)).toThrow(/retries/);
  expect(() => ebbInterceptor('fast' as PolicyOptions)).toThrow(TypeError);
});
