// What holds over each client.
import {
  attemptsOf,
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  HookError,
  type PolicyOptions,
} from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor } from '@ebb/undici';
import { Agent, request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/until.ts';
import {
  after,
  type Cutting,
  EVENT_STREAM,
  eventsOf,
  type Head,
  scripted,
  type Written,
} from '../../fetch/test/cutting.ts';
import { resumable as resumableFetch } from './fetch.ts';
import type { ResumeOptions } from './options.ts';
import { resumable as resumingUndici } from './undici.ts';

type Options = ResumeOptions<never>;

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** What a reader gets. */
interface Got {
  /** The parts until the end, or until an error. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Has the history. */
  readonly result: object;
}

interface Client {
  get(url: string, init: Init, policy: ReturnType<typeof createPolicy>, options: Options): Promise<Got>;
  make(options: object): unknown;
  /** What `resumeWith` returns: a GET. */
  rest(url: URL, headers?: Readonly<Record<string, string>>): unknown;
}

const clients: Readonly<Record<string, Client>> = {
  fetch: {
    async get(url, init, policy, options) {
      const result = await resumableFetch(createFetch(policy), { policy, ...options })(url, init);
      return { result, body: result.body as ReadableStream<Uint8Array> };
    },
    make: (options) => resumableFetch(fetch, options),
    rest: (url, headers = {}) => new Request(url, { headers }),
  },
  undici: {
    async get(url, init, policy, options) {
      const agent = new Agent();
      onTestFinished(() => agent.destroy());
      const dispatcher = agent.compose(ebbInterceptor(policy), resumingUndici({ policy, ...options }));
      const { body, context } = await request(url, { ...init, dispatcher } as never);
      return { body, result: context as object };
    },
    make: (options) => resumingUndici(options),
    rest: ({ pathname, search }, headers = {}) => ({ path: pathname + search, method: 'GET', headers }),
  },
};

/** A server of a script, which ends with the test. */
async function serving(...script: readonly (Written | ((head: Head) => Written))[]): Promise<Cutting> {
  const server = await scripted(...script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const events = eventsOf('\n');
const stream = (body: string, more: Written = {}): Written => ({ headers: EVENT_STREAM, body, ...more });
const half = stream('id: 1\ndata: a\n\ndata: b', { breaks: true });
const whole = { etag: '"a"', 'content-length': 10 };
const rest = { etag: '"b"', 'content-length': 5, 'content-range': 'bytes 5-9/10' };
const broken: Written = { headers: whole, body: '0123456789', cutAfter: 5 };
const post = { method: 'POST', body: 'x' };

interface Refusal {
  readonly name: string;
  readonly script: readonly Written[];
  readonly init?: Init;
  readonly options?: Options;
  readonly why: RegExp;
  /** What came before. */
  readonly text?: string;
  readonly requests: number;
}

// The other reasons, and all that `isLast` decides, are in the tests of event streams, downloads and resumers.
const refusals: readonly Refusal[] = [
  {
    name: 'events without ids',
    script: [stream('data: a\n\n', { breaks: true })],
    why: /without an id/,
    text: 'data: a\n\n',
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
  { name: 'a POST', script: [half], init: post, why: /POST/, requests: 1 },
  {
    name: 'another ETag',
    script: [broken, { status: 206, headers: rest, body: '56789' }],
    why: /another ETag/,
    requests: 2,
  },
  {
    name: 'a weak ETag',
    script: [{ ...broken, headers: { ...whole, etag: 'W/"a"' } }],
    why: /strong ETag/,
    text: '01234',
    requests: 1,
  },
  { name: 'a server that fails', script: [broken, { status: 500 }], why: /status 500/, requests: 3 },
];

describe.each(Object.entries(clients))('%s', (_, { get, make, rest: restOf }) => {
  /** The text until the end, or until the error. */
  async function read(
    url: string,
    options: Options = {},
    init: Init = {},
    policyOptions: PolicyOptions = {},
  ) {
    const policy = createPolicy({ backoff: constant(0), maxRetries: 1, ...policyOptions });
    const { body, result } = await get(url, init, policy, options);
    let text = '';
    try {
      for await (const part of body) text += Buffer.from(part).toString();
      return { text, result };
    } catch (error) {
      return { text, result, error: error as Error & { readonly cause?: Error } };
    }
  }

  describe('is not resumed, and the cause of the error says why', () => {
    test.each(refusals)('$name', async ({ script, init, options, why, text, requests }) => {
      const server = await serving(...script);
      const got = await read(server.url, options, init);
      expect(got.text).toBe(text ?? (script[0] === half ? 'id: 1\ndata: a\n\n' : '01234'));
      expect(got.error?.cause?.message).toMatch(/^not resumed: /);
      expect(got.error?.cause?.message).toMatch(why);
      // The result has it as well.
      const history = attemptsOf(got.error);
      expect(history.length).toBeGreaterThan(0);
      expect(history).toEqual(attemptsOf(got.result));
      expect(server.heads).toHaveLength(requests);
      // The response that was refused does not stay open.
      await until(() => server.open() === 0 || script.length > 1);
    });
  });

  test('the first Last-Event-ID is that of the request', async () => {
    const server = await serving(stream('', { breaks: true }), (head) => stream(after(events, head)));
    const { text } = await read(server.url, {}, { headers: { 'Last-Event-ID': '30' } });
    expect(text).toBe(events.slice(30).join(''));
    expect(server.heads.map((head) => head.header('last-event-id'))).toEqual(['30', '30']);
  });

  test('a 204 ends the stream, after the `retry` of the stream', async () => {
    const text = 'retry: 1\nid: 1\ndata: a\n\n';
    const server = await serving(stream(`${text}da`, { breaks: true }), { status: 204 });
    const got = await read(server.url, {}, {}, { backoff: constant(600_000) });
    expect([got.text, got.error]).toEqual([text, undefined]);
    expect(server.heads).toHaveLength(2);
  });

  test('resumeAtEnd: a clean end is a break', async () => {
    const server = await serving(
      stream('id: 1\nretry: 0\ndata:\n\n'),
      (head) => stream(`id: 2\ndata: after ${head.header('last-event-id')}\n\n`),
      { status: 204 },
    );
    const { text } = await read(server.url, { resumeAtEnd: true });
    expect(text).toBe('id: 1\nretry: 0\ndata:\n\nid: 2\ndata: after 1\n\n');
  });

  test('resumeWith: what a POST began goes on with a GET', async () => {
    const server = await serving(half, stream('id: 2\ndata: b\n\n', { breaks: true }), stream('data: c\n\n'));
    const { text } = await read(
      server.url,
      {
        resumeWith: (lastId, { url, header }) =>
          restOf(new URL(`?after=${lastId}`, url), { authorization: header('authorization') ?? '' }) as never,
      },
      { ...post, headers: { authorization: 'me' } },
    );
    expect(text).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: c\n\n');
    expect(
      server.heads.map(({ method, path, header }) => [
        ...[method, path, header('authorization'), header('content-length')],
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
        resumeWith: (id, { url }) => restOf(new URL(`?starting_after=${id}`, url)) as never,
      },
      post,
    );
    expect(text).toBe(data(1) + data(2) + data(3));
    expect(server.heads[1]?.path).toBe('/?starting_after=2');
  });

  test('isLast: a clean end before the last event is a break', async () => {
    const isLast = ({ data }: { readonly data: string }): boolean => data === 'last';

    const server = await serving(stream('id: 1\ndata: a\n\n'), stream('data: last\n\n'));
    expect((await read(server.url, { isLast })).text).toBe('id: 1\ndata: a\n\ndata: last\n\n');
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
      expect(error).toMatchObject({ hook });
      await until(() => server.open() === 0);
    },
  );

  test('a slot is released at the break, and taken again for the rest', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const server = await serving((head) => {
      const left = after(events, head);
      return stream(left, head.number < 6 ? { cutAfter: 200 } : {});
    });
    const got = await Promise.all([0, 1, 2].map(() => read(server.url, {}, {}, { concurrency })));
    expect(got.map(({ text }) => text)).toEqual(Array(3).fill(events.join('')));
    await until(() => concurrency.stats().inUse === 0);
  });

  test('events and history tell how far it came, and why it was resumed', async () => {
    const seen: EbbEvent[] = [];
    const server = await serving(half, stream('id: 2\ndata: b\n\n'));
    const { result } = await read(`${server.url}?secret`, {}, {}, { onEvent: (event) => seen.push(event) });
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
    const sent = { delayMs: 0, waitedMs: 0, status: 200 };
    expect(attemptsOf(result)).toEqual([
      { ...sent, attempt: 1, failure: 'network', code: 'UND_ERR_SOCKET', reason: 'resumed' },
      { ...sent, attempt: 2, reason: 'success' },
    ]);
  });

  test.each<[when: string, script: readonly Written[], requests: number]>([
    ['while the body is read', [stream('id: 1\ndata: a\n\n', { isSilent: true })], 1],
    ['during the wait', [stream('retry: 100000\nid: 1\ndata: a\n\n', { breaks: true })], 1],
    ['while the rest is read', [half, stream('', { isSilent: true })], 2],
  ])('the caller’s abort wins, with its own reason: %s', async (_when, script, requests) => {
    const server = await serving(...script);
    const abort = new AbortController();
    const got = read(server.url, {}, { signal: abort.signal });
    await until(() => server.heads.length === requests);
    // The break has to arrive.
    await new Promise((resolve) => setTimeout(resolve, 30));
    const reason = new Error('enough');
    abort.abort(reason);
    expect((await got).error).toBe(reason);
    await until(() => server.open() === 0);
  });

  test('a wrong option and a wrong policy are errors', () => {
    expect(() => make({ maxResumes: -1 })).toThrow('resumable: maxResumes must be a whole number');
    expect(() => make({ policy: { maxRetries: -1 } })).toThrow('maxRetries');
  });
});
