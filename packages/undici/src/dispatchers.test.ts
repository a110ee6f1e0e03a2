import type { Readable } from 'node:stream';
import { constant, createPolicy, type PolicyOptions } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bucketThat } from '../test/bucket.ts';
import { clients, versions } from '../test/clients.ts';
import { failing, upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const soon: PolicyOptions = { backoff: constant(0) };

async function textOf(source: Readable): Promise<string> {
  let text = '';
  for await (const chunk of source) text += chunk;
  return text;
}

describe.each(Object.entries(versions))('dispatchers of %s', (version, undici) => {
  const { Agent, Client, MockAgent } = undici;

  /** Has the dispatcher closed after the test. */
  function composed(base: Dispatcher, policy: PolicyOptions = soon): Dispatcher {
    onTestFinished(() => (base instanceof MockAgent ? base.close() : base.destroy()));
    return base.compose(ebbInterceptor(policy));
  }

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
});

test('ebbInterceptor has a name, and functions of the arity that compose requires', () => {
  const interceptor = ebbInterceptor();
  const dispatch = interceptor(() => true);
  const names = [ebbInterceptor.name, interceptor.name, dispatch.name];
  expect(names).toEqual(['ebbInterceptor', 'ebb', 'ebbDispatch']);
  expect(dispatch).toHaveLength(2);
});
