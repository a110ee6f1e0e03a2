import { AsyncLocalStorage } from 'node:async_hooks';
import { gzipSync } from 'node:zlib';
import {
  attemptsOf,
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  HookError,
  type PolicyOptions,
} from '@ebb/core';
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
import { type ResumingOptions, resuming } from '../undici.ts';

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

function dispatcherOf(options: ResumingOptions = {}, policyOptions: PolicyOptions = {}) {
  const policy = createPolicy({ ...soon, ...policyOptions });
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  return agent.compose(ebbInterceptor(policy), resuming({ policy, ...options }));
}

type Init = Readonly<Record<string, unknown>>;

/** What a reader gets: the text until the end, or until the error. */
async function read(
  url: string,
  options: ResumingOptions = {},
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

const post: Init = { method: 'POST', body: 'x' };

interface Refusal {
  readonly name: string;
  readonly script: readonly Written[];
  readonly init?: Init;
  readonly options?: ResumingOptions;
  readonly why: RegExp;
  readonly text?: string;
  readonly requests: number;
}

const refusals: readonly Refusal[] = [
  {
    name: 'events without ids',
    script: [stream('data: a\n\n', { breaks: true })],
    why: /without an id/,
    text: 'data: a\n\n',
    requests: 1,
  },
  {
    name: 'events without ids after one with an id',
    script: [stream('id: 1\ndata: a\n\ndata: b\n\n', { breaks: true })],
    why: /without an id/,
    text: 'id: 1\ndata: a\n\ndata: b\n\n',
    requests: 1,
  },
  {
    name: 'an id that was taken back',
    script: [stream('id: 1\ndata: a\n\nid:\ndata: b\n\n', { breaks: true })],
    why: /taken back/,
    text: 'id: 1\ndata: a\n\nid:\ndata: b\n\n',
    requests: 1,
  },
  {
    name: 'an event that is too long',
    script: [stream('id: 1\ndata: a\n\nid: 2\ndata: bcdefgh', { breaks: true })],
    options: { maxEventBytes: 16 },
    why: /an event of more than 16 bytes/,
    text: 'id: 1\ndata: a\n\nid: 2\ndata: bcdefgh',
    requests: 1,
  },
  {
    name: 'a sign-in page',
    script: [half, { headers: { 'content-type': 'text/html' }, body: '<p>' }],
    why: /content type/,
    requests: 2,
  },
  { name: 'a status', script: [half, { status: 404 }], why: /status 404/, requests: 2 },
  { name: 'a server that fails', script: [half, { status: 500 }], why: /status 500/, requests: 3 },
  {
    name: 'a rest that is compressed',
    script: [half, { ...stream('x'), headers: { ...EVENT_STREAM, 'content-encoding': 'gzip' } }],
    why: /another content coding/,
    requests: 2,
  },
  { name: 'a POST', script: [half], init: post, why: /POST/, requests: 1 },
  {
    name: 'a POST of which nothing has come',
    script: [stream('data', { breaks: true })],
    init: post,
    why: /POST/,
    text: '',
    requests: 1,
  },
  {
    name: 'a resumeWith that returns nothing',
    script: [half],
    init: post,
    options: { resumeWith: () => undefined },
    why: /POST/,
    requests: 1,
  },
];

describe('is not resumed, and the cause of the error says why', () => {
  test.each(refusals)('$name', async ({ script, init, options, why, text, requests }) => {
    const server = await serving(...script);
    const result = await read(server.url, options, init);
    expect(result.text).toBe(text ?? 'id: 1\ndata: a\n\n');
    expect(result.error?.code).toBe('UND_ERR_SOCKET');
    expect(result.error?.cause?.message).toMatch(/^not resumed: /);
    expect(result.error?.cause?.message).toMatch(why);
    expect(server.heads).toHaveLength(requests);
    expect(attemptsOf(result.error).length).toBeGreaterThan(0);
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
      resuming({ policy }),
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

describe('event streams', () => {
  test.each([60, 100, 333, 1_287])(
    'arrive whole if every connection is cut after %i bytes, however often',
    async (cutAfter) => {
      const server = await serving((head) => {
        const rest = after(eventsOf('\r\n'), head);
        return stream(rest, rest.length > cutAfter ? { cutAfter } : {});
      });
      const { text, context } = await read(server.url);
      expect(text).toBe(eventsOf('\r\n').join(''));
      expect(attemptsOf(context)).toHaveLength(server.heads.length);
    },
  );

  test('the first Last-Event-ID is that of the request', async () => {
    const server = await serving(stream('', { breaks: true }), (head) => stream(after(events, head)));
    const { text } = await read(server.url, {}, { headers: { 'Last-Event-ID': '30' } });
    expect(text).toBe(events.slice(30).join(''));
    expect(server.heads.map((head) => head.header('last-event-id'))).toEqual(['30', '30']);
  });

  test('a 204 ends the stream, after the `retry` of the stream', async () => {
    const server = await serving(stream('retry: 1\nid: 1\ndata: a\n\nda', { breaks: true }), {
      status: 204,
    });
    const dispatcher = dispatcherOf({}, { backoff: constant(600_000) });
    expect(await read(server.url, {}, { dispatcher })).toMatchObject({
      text: 'retry: 1\nid: 1\ndata: a\n\n',
    });
    expect(server.heads).toHaveLength(2);
  });

  test('resumeAtEnd: a clean end is a break', async () => {
    const server = await serving(
      stream('id: 1\nretry: 0\ndata:\n\n'),
      (head) => stream(`id: 2\ndata: after ${head.header('last-event-id')}\n\n`),
      { status: 204 },
    );
    expect((await read(server.url, { resumeAtEnd: true })).text).toBe(
      'id: 1\nretry: 0\ndata:\n\nid: 2\ndata: after 1\n\n',
    );
  });

  test('resumeWith: what a POST began goes on with a GET', async () => {
    const server = await serving(half, stream('id: 2\ndata: b\n\n', { breaks: true }), stream('data: c\n\n'));
    const { text } = await read(
      server.url,
      {
        resumeWith: (lastId, { url, header }) => ({
          path: `${new URL(url).pathname}?after=${lastId}`,
          method: 'GET',
          headers: { authorization: header('authorization') ?? '' },
        }),
      },
      { ...post, headers: { authorization: 'me' } },
    );
    expect(text).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: c\n\n');
    expect(
      server.heads.map(({ method, path, header }) => [
        method,
        path,
        header('authorization'),
        header('content-length'),
      ]),
    ).toEqual([
      ['POST', '/', 'me', '1'],
      ['GET', '/?after=1', 'me', undefined],
      ['GET', '/?after=2', 'me', undefined],
    ]);
  });

  test('idOf: an id in the data', async () => {
    const data = (at: number): string => `data: {"sequence_number":${at}}\n\n`;
    const server = await serving(stream(data(1) + data(2), { breaks: true }), stream(data(3)));
    const { text } = await read(
      server.url,
      {
        idOf: (event) => String((JSON.parse(event.data) as { sequence_number: number }).sequence_number),
        resumeWith: (id) => ({ path: `/?starting_after=${id}`, method: 'GET' }),
      },
      post,
    );
    expect(text).toBe(data(1) + data(2) + data(3));
    expect(server.heads[1]?.path).toBe('/?starting_after=2');
  });

  test('decompressed by undici below, they are read', async () => {
    const coded = (text: string): Written => ({
      headers: { ...EVENT_STREAM, 'content-encoding': 'gzip' },
      body: gzipSync(text),
    });
    const server = await serving(coded('id: 1\ndata: a\n\n'), coded('id: 2\ndata: b\n\n'), { status: 204 });
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const dispatcher = agent.compose(
      interceptors.decompress(),
      resuming({ policy: soon, resumeAtEnd: true }),
    );
    expect((await read(server.url, {}, { dispatcher })).text).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\n\n');
    expect(server.heads[1]?.header('last-event-id')).toBe('1');
  });
});

describe('isLast', () => {
  const isLast = ({ data }: { readonly data: string }): boolean => data === 'last';

  test('a clean end before the last event is an error, also of a POST', async () => {
    const server = await serving(stream('data: a\n\n'));
    const { text, error } = await read(server.url, { isLast }, post);
    expect(text).toBe('data: a\n\n');
    expect(error).toMatchObject({ name: 'SocketError', code: 'UND_ERR_SOCKET' });
    expect(error?.cause?.message).toBe('not resumed: events without an id');
  });

  test('and a break, if the rest can be had', async () => {
    const server = await serving(stream('id: 1\ndata: a\n\n'), stream('data: last\n\n'));
    expect((await read(server.url, { isLast })).text).toBe('id: 1\ndata: a\n\ndata: last\n\n');
  });

  test('later events still pass, and a break after the last event is the end', async () => {
    const text = 'data: last\n\ndata: more\n\n';
    const server = await serving(stream(text, { breaks: true }));
    expect(await read(server.url, { isLast, resumeAtEnd: true }, post)).toMatchObject({ text });
    expect(server.heads).toHaveLength(1);
  });

  test('a 204 before the last event is an error', async () => {
    const server = await serving(half, { status: 204 });
    const seen: EbbEvent[] = [];
    const dispatcher = dispatcherOf({ isLast }, { onEvent: (event) => seen.push(event) });
    expect((await read(server.url, {}, { dispatcher })).error?.cause?.message).toBe('not resumed: a 204');
    expect(seen.at(-1)).toMatchObject({ type: 'resume-end', result: 'refused' });
  });

  test.each(['isLast', 'idOf', 'resumeWith'] as const)(
    '%s that throws ends the stream with a HookError',
    async (hook) => {
      const server = await serving(half);
      const fails = (): never => {
        throw new Error('no');
      };
      const { error } = await read(server.url, { [hook]: fails });
      expect(error).toBeInstanceOf(HookError);
      expect((error as unknown as HookError).hook).toBe(hook);
      await until(() => server.open() === 0);
    },
  );

  test('a backoff that throws ends it too', async () => {
    const server = await serving(half);
    const backoff = (): never => {
      throw new Error('no');
    };
    const { error } = await read(server.url, {}, { dispatcher: dispatcherOf({}, { backoff }) });
    expect(error).toMatchObject({ name: 'HookError', hook: 'backoff' });
  });
});

describe('limits', () => {
  test('maxResumes: so many in a row that bring nothing', async () => {
    const server = await serving(
      stream('retry: 0\nid: 1\ndata: a\n\n', { breaks: true }),
      stream('', { breaks: true }),
    );
    const { error } = await read(server.url, { maxResumes: 3 });
    expect(error?.cause?.message).toBe('not resumed: 3 resumptions in a row');
    expect(server.heads).toHaveLength(4);
  });

  test('0 explains, and resumes nothing', async () => {
    const server = await serving(half);
    expect((await read(server.url, { maxResumes: 0 })).error?.cause?.message).toMatch(/^not resumed/);
    expect(server.heads).toHaveLength(1);
  });

  test('a slot is released at the break, and taken again for the rest', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const dispatcher = dispatcherOf({}, { concurrency });
    const server = await serving((head) => {
      const rest = after(events, head);
      return stream(rest, head.number < 6 ? { cutAfter: 200 } : {});
    });
    const texts = await Promise.all(
      [0, 1, 2].map(async () => (await request(server.url, { dispatcher })).body.text()),
    );
    expect(texts).toEqual([events.join(''), events.join(''), events.join('')]);
    await until(() => concurrency.stats().inUse === 0);
  });
});

test('events and history tell how far it came, and why it was resumed', async () => {
  const seen: EbbEvent[] = [];
  const dispatcher = dispatcherOf({}, { onEvent: (event) => seen.push(event) });
  const server = await serving(half, stream('id: 2\ndata: b\n\n'));
  const { context } = await read(`${server.url}?secret`, {}, { dispatcher });
  const types = ['attempt', 'end', 'resume', 'attempt', 'end', 'resume-end'];
  expect(seen.map(({ type }) => type)).toEqual(types);
  expect(seen[5]).toMatchObject({ result: 'continued', passedBytes: 15, attempt: 2 });
  expect(seen[2]).toMatchObject({
    type: 'resume',
    reason: 'broken',
    passedBytes: 15,
    delayMs: 0,
    attempt: 1,
    request: { method: 'GET', url: server.url },
    outcome: { type: 'failure', kind: 'network', code: 'UND_ERR_SOCKET' },
  });
  expect(attemptsOf(context)).toMatchObject([
    { attempt: 1, status: 200, failure: 'network', code: 'UND_ERR_SOCKET', reason: 'resumed' },
    { attempt: 2, status: 200, reason: 'success' },
  ]);
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

describe('the caller’s abort wins, with its own reason', () => {
  const reason = new Error('enough');

  test.each<[when: string, script: readonly Written[], requests: number]>([
    ['while the body is read', [stream('id: 1\ndata: a\n\n', { isSilent: true })], 1],
    ['during the wait', [stream('retry: 100000\nid: 1\ndata: a\n\n', { breaks: true })], 1],
    ['while the rest is read', [half, stream('', { isSilent: true })], 2],
  ])('%s', async (_, script, requests) => {
    const server = await serving(...script);
    const abort = new AbortController();
    const { body } = await request(server.url, { dispatcher: dispatcherOf(), signal: abort.signal });
    const got = body.text().catch((error: unknown) => error);
    await until(() => server.heads.length === requests);
    // The break has to arrive.
    await new Promise((resolve) => setTimeout(resolve, 30));
    abort.abort(reason);
    expect(await got).toBe(reason);
    await until(() => server.open() === 0);
  });

  test('a destroyed body ends the wait, and sends nothing more', async () => {
    const server = await serving(stream('retry: 20\nid: 1\ndata: a\n\n', { breaks: true }));
    const { body } = await request(server.url, { dispatcher: dispatcherOf() });
    await until(() => server.open() === 0);
    body.on('error', () => undefined).destroy();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(server.heads).toHaveLength(1);
  });
});

describe('what it is given', () => {
  test.each<[name: string, options: object, error: RegExp]>([
    ['maxResumes below 0', { maxResumes: -1 }, /resuming: maxResumes must be a whole number ≥ 0, got -1/],
    ['a fraction', { maxResumes: 1.5 }, /maxResumes/],
    ['no idle time', { idleTimeoutMs: 0 }, /idleTimeoutMs must be a finite number > 0, got 0/],
    ['isLast', { isLast: true }, /isLast must be a function/],
    ['an unknown option', { maxResume: 1 }, /resuming has no option "maxResume"/],
    ['a wrong policy', { policy: { maxRetries: -1 } }, /maxRetries/],
  ])('throws for %s', (_, options, error) => {
    expect(() => resuming(options)).toThrow(error);
  });

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
    expect(endOf(agent.compose(resuming()))).toEqual(endOf(agent));
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
      resuming({ policy, maxResumes: 2 }),
      resuming({ policy, maxResumes: 5 }),
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
      .compose(ebbInterceptor(policy), resuming({ policy }))
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
    const dispatcher = agent.compose(ebbInterceptor(policy), resuming({ policy }));
    const got = await send(server.url, dispatcher);
    expect([got.status, await got.text()]).toEqual([200, events.join('')]);
    expect(await (await send(`${server.url}json`, dispatcher)).text()).toBe('{}');
  },
);
