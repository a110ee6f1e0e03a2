import { AsyncLocalStorage } from 'node:async_hooks';
import { gzipSync } from 'node:zlib';
import { constant, createPolicy, type PolicyOptions } from '@ebb/core';
import { ebbInterceptor } from '@ebb/undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import {
  after,
  type Cutting,
  EVENT_STREAM,
  eventsOf,
  type Head,
  scripted,
  type Written,
} from '../../../fetch/test/cutting.ts';
import { clients, versions } from '../../../undici/test/clients.ts';
import { HandlerSpy } from '../../../undici/test/wire.ts';
import { type ResumableOptions, resumable } from '../undici.ts';

const soon: PolicyOptions = { backoff: constant(0), maxRetries: 1 };
const events = eventsOf('\n');
const stream = (body: string, more: Written = {}): Written => ({ headers: EVENT_STREAM, body, ...more });
const half = stream('id: 1\ndata: a\n\ndata: b', { breaks: true });
const { Agent, Client, interceptors, request } = versions['undici 8'] as (typeof versions)[string];

/** A server of a script, which ends with the test. */
async function serving(...script: readonly (Written | ((head: Head) => Written))[]): Promise<Cutting> {
  const server = await scripted(...script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

function dispatcherOf(options: ResumableOptions = {}, policyOptions: PolicyOptions = {}) {
  const policy = createPolicy({ ...soon, ...policyOptions });
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  return agent.compose(ebbInterceptor(policy), resumable({ policy, ...options }));
}

type Init = Readonly<Record<string, unknown>>;

/** What a reader gets: the text until the end, or until the error. */
async function read(
  url: string,
  options: ResumableOptions = {},
  init: Init = {},
): Promise<{
  readonly text: string;
  readonly error?: Error & { readonly cause?: Error; readonly code?: string };
  readonly context: object;
}> {
  const response = await request(url, { dispatcher: dispatcherOf(options), ...init } as never);
  const context = response.context as object;
  let text = '';
  try {
    for await (const part of response.body) text += part;
    return { text, context };
  } catch (error) {
    return { text, context, error: error as Error & { readonly cause?: Error } };
  }
}

describe('is not resumed, and the cause of the error says why', () => {
  test('a rest that is compressed', async () => {
    const server = await serving(half, {
      ...stream('x'),
      headers: { ...EVENT_STREAM, 'content-encoding': 'gzip' },
    });
    const { text, error } = await read(server.url);
    expect([text, error?.code]).toEqual(['id: 1\ndata: a\n\n', 'UND_ERR_SOCKET']);
    expect(error?.cause?.message).toBe('not resumed: another content coding');
    expect(server.heads).toHaveLength(2);
  });

  test('a stream that is compressed, whose bytes are passed on', async () => {
    const coded = gzipSync('id: 1\ndata: a\n\n');
    const server = await serving({
      headers: { ...EVENT_STREAM, 'content-encoding': 'gzip' },
      body: coded,
      breaks: true,
    });
    const response = await request(server.url, { dispatcher: dispatcherOf() });
    const parts: Buffer[] = [];
    const error = await (async () => {
      for await (const part of response.body) parts.push(part);
    })().catch((broken: unknown) => broken);
    expect(Buffer.concat(parts)).toEqual(coded);
    expect((error as Error & { cause: Error }).cause.message).toBe('not resumed: a content coding');
  });

  test('a redirect to another origin below, of a request with credentials', async () => {
    const refused = { status: 404 };
    const other = await serving(half, half, refused);
    const server = await serving({ status: 302, headers: { location: other.url, 'content-length': 0 } });
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const policy = createPolicy(soon);
    const dispatcher = agent.compose(
      interceptors.redirect({ maxRedirections: 2 }),
      ebbInterceptor(policy),
      resumable({ policy }),
    );
    const headers = { authorization: 'Bearer x' };
    expect((await read(server.url, {}, { dispatcher, headers })).error?.cause?.message).toMatch(/redirect/);
    expect(other.heads).toHaveLength(1);
    expect((await read(server.url, {}, { dispatcher })).error?.cause?.message).not.toMatch(/redirect/);
    const here = await serving(
      { status: 302, headers: { location: '/rest', 'content-length': 0 } },
      half,
      refused,
    );
    expect((await read(here.url, {}, { dispatcher, headers })).error?.cause?.message).not.toMatch(/redirect/);
  });
});

test('event streams that are decompressed by undici below are read', async () => {
  const coded = (text: string): Written => ({
    headers: { ...EVENT_STREAM, 'content-encoding': 'gzip' },
    body: gzipSync(text),
  });
  const server = await serving(coded('id: 1\ndata: a\n\n'), coded('id: 2\ndata: b\n\n'), { status: 204 });
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const dispatcher = agent.compose(interceptors.decompress(), resumable({ policy: soon, resumeAtEnd: true }));
  expect((await read(server.url, {}, { dispatcher })).text).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\n\n');
  expect(server.heads[1]?.header('last-event-id')).toBe('1');
});

test('a backoff that throws ends it too', async () => {
  const server = await serving(half);
  const backoff = (): never => {
    throw new Error('no');
  };
  const { error } = await read(server.url, {}, { dispatcher: dispatcherOf({}, { backoff }) });
  expect(error).toMatchObject({ name: 'HookError', hook: 'backoff' });
});

test('each resumption is sent, and hooks are called, in the async context of the request', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seenIn: (string | undefined)[] = [];
  const dispatcher = dispatcherOf(
    { isLast: () => seenIn.push(storage.getStore()) > 9 },
    { onEvent: () => void seenIn.push(storage.getStore()) },
  );
  const server = await serving(half, stream('id: 2\ndata: b\n\n'), { status: 204 });
  for (const name of ['one', 'two']) await storage.run(name, () => read(server.url, {}, { dispatcher }));
  expect(new Set(seenIn)).toEqual(new Set(['one', 'two']));
});

test('a destroyed body ends the wait, and sends nothing more', async () => {
  const server = await serving(stream('retry: 150\nid: 1\ndata: a\n\n', { breaks: true }));
  const { body } = await request(server.url, { dispatcher: dispatcherOf() });
  await until(() => server.open() === 0);
  body.on('error', () => undefined).destroy();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(server.heads).toHaveLength(1);
});

describe('what it is given', () => {
  test.each<[name: string, options: unknown, handler: unknown]>([
    ['a handler without methods', { path: '/', method: 'GET', origin: 'http://a.test' }, {}],
    ['no handler', { path: '/', method: 'GET', origin: 'http://a.test' }, undefined],
    ['no options', undefined, new HandlerSpy()],
    ['no method', { path: '/', origin: 'http://a.test' }, new HandlerSpy()],
  ])('%s: as without it', (_, options, handler) => {
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const endOf = (dispatcher: { dispatch(options: never, handler: never): unknown }): unknown => {
      try {
        return [dispatcher.dispatch(options as never, handler as never), (handler as HandlerSpy).error];
      } catch (error) {
        return String(error);
      }
    };
    expect(endOf(agent.compose(resumable()))).toEqual(endOf(agent));
  });

  test('headers of an iterator are those of each request, and its error ends the request', async () => {
    const server = await serving(half, stream('id: 2\ndata: b\n\n'));
    const headers = new Map([['x-own', '1']]).entries();
    const dispatcher = dispatcherOf();
    const { body } = await request(server.url, { dispatcher, headers });
    await body.text();
    expect(server.heads.map((head) => head.header('x-own'))).toEqual(['1', '1']);
    const failing = (function* (): Generator<[string, string]> {
      yield ['a', '1'];
      throw new Error('no more headers');
    })();
    await expect(request(server.url, { dispatcher, headers: failing })).rejects.toThrow('no more headers');
  });

  test('of two around one another the inner one does it', async () => {
    const server = await serving(half, stream('', { breaks: true }));
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const policy = createPolicy(soon);
    const dispatcher = agent.compose(
      ebbInterceptor(policy),
      resumable({ policy, maxResumes: 2 }),
      resumable({ policy, maxResumes: 5 }),
    );
    const { error } = await read(server.url, {}, { dispatcher });
    expect(error?.cause?.message).toBe('not resumed: 2 resumptions in a row');
    expect(server.heads).toHaveLength(3);
  });

  test('`ebb: false` is not resumed', async () => {
    const server = await serving(half);
    expect((await read(server.url, {}, { ebb: false } as never)).error?.cause).toBeUndefined();
    expect(server.heads).toHaveLength(1);
  });

  test('a Client, which does not tell its origin', async () => {
    const server = await serving(half, stream('id: 2\ndata: b\n\n'));
    const client = new Client(new URL(server.url).origin);
    onTestFinished(() => client.destroy());
    const policy = createPolicy(soon);
    const { body } = await client
      .compose(ebbInterceptor(policy), resumable({ policy }))
      .request({ path: '/', method: 'GET' });
    expect(await body.text()).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\n\n');
  });
});

test.each(clients.map((client) => [client.name, client] as const))(
  '%s: a stream that is cut every 100 bytes arrives whole, and another response as it is',
  async (_, { undici, send }) => {
    const server = await serving((head) => {
      if (head.path === '/json') return { headers: { 'content-length': 2 }, body: '{}' };
      const rest = after(events, head);
      return stream(rest, rest.length > 100 ? { cutAfter: 100 } : {});
    });
    const agent = new undici.Agent();
    onTestFinished(() => agent.destroy());
    const policy = createPolicy(soon);
    const dispatcher = agent.compose(ebbInterceptor(policy), resumable({ policy }));
    const got = await send(server.url, dispatcher);
    expect([got.status, await got.text()]).toEqual([200, events.join('')]);
    expect(await (await send(`${server.url}json`, dispatcher)).text()).toBe('{}');
  },
);
