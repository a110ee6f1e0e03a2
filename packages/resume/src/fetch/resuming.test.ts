import { attemptsOf, concurrencyLimit, constant, createPolicy, type EbbEvent, HookError } from '@ebb/core';
import { createFetch, type EbbRequestInit } from '@ebb/fetch';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import {
  after,
  type Cutting,
  cutting,
  EVENT_STREAM,
  eventsOf,
  partOf,
  scripted,
  type Written,
} from '../../../fetch/test/cutting.ts';

import { type ResumingOptions, resuming } from '../fetch.ts';

const policy = createPolicy({ backoff: constant(0), maxRetries: 1 });
const events = eventsOf('\n');
const stream = (body: string, more: Written = {}): Written => ({ headers: EVENT_STREAM, body, ...more });
const body = Buffer.from('0123456789');

function resumingFetch(options: ResumingOptions = {}) {
  return resuming(createFetch(policy), { policy, ...options });
}

/** What a reader gets: the text until the end, or until the error. */
async function read(
  server: Cutting,
  init: EbbRequestInit = {},
  options: ResumingOptions = {},
): Promise<{
  readonly text: string;
  readonly error?: Error & { readonly cause?: Error };
  readonly response: Response;
}> {
  const response = await resumingFetch(options)(server.url, init);
  let text = '';
  try {
    for await (const part of response.body as ReadableStream<Uint8Array>)
      text += Buffer.from(part).toString();
    return { text, response };
  } catch (error) {
    return { text, error: error as Error & { readonly cause?: Error }, response };
  }
}

const whole = { etag: '"a"', 'content-length': 10 };
const rest = { etag: '"a"', 'content-length': 5, 'content-range': 'bytes 5-9/10' };
const broken: Written = { headers: whole, body, cutAfter: 5 };
const halfStream = stream('id: 1\ndata: a\n\ndata: b', { breaks: true });

interface Refusal {
  readonly name: string;
  readonly script: readonly Written[];
  readonly init?: EbbRequestInit;
  readonly options?: ResumingOptions;
  readonly why: RegExp;
  readonly text: string;
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
    script: [halfStream, { headers: { 'content-type': 'text/html' }, body: '<p>' }],
    why: /content type/,
    text: 'id: 1\ndata: a\n\n',
    requests: 2,
  },
  {
    name: 'a status',
    script: [halfStream, { status: 404 }],
    why: /status 404/,
    text: 'id: 1\ndata: a\n\n',
    requests: 2,
  },
  {
    name: 'a POST',
    script: [halfStream],
    init: { method: 'POST', body: 'x' },
    why: /POST/,
    text: 'id: 1\ndata: a\n\n',
    requests: 1,
  },
  {
    name: 'a POST of which nothing has come',
    script: [stream('data', { breaks: true })],
    init: { method: 'POST', body: 'x' },
    why: /POST/,
    text: '',
    requests: 1,
  },
  {
    name: 'a resumeWith that returns nothing',
    script: [halfStream],
    init: { method: 'POST', body: 'x' },
    options: { resumeWith: () => undefined },
    why: /POST/,
    text: 'id: 1\ndata: a\n\n',
    requests: 1,
  },
  {
    name: 'a total timeout that covers the body',
    script: [broken],
    options: { policy: { totalTimeoutMs: 60_000, totalTimeoutCovers: 'body' } },
    why: /a body within a total timeout/,
    text: '01234',
    requests: 1,
  },
  {
    name: 'a 200 in place of a 206',
    script: [broken, { headers: whole, body }],
    why: /status 200/,
    text: '01234',
    requests: 2,
  },
  {
    name: 'a changed file',
    script: [broken, { status: 412 }],
    why: /status 412/,
    text: '01234',
    requests: 2,
  },
  {
    name: 'another ETag',
    script: [broken, { status: 206, headers: { ...rest, etag: '"b"' }, body: '56789' }],
    why: /another ETag/,
    text: '01234',
    requests: 2,
  },
  {
    name: 'another offset',
    script: [broken, { status: 206, headers: { ...rest, 'content-range': 'bytes 4-8/10' }, body: '45678' }],
    why: /another range/,
    text: '01234',
    requests: 2,
  },
  {
    name: 'another end',
    script: [
      broken,
      {
        status: 206,
        headers: { ...rest, 'content-range': 'bytes 5-8/10', 'content-length': 4 },
        body: '5678',
      },
    ],
    why: /another range/,
    text: '01234',
    requests: 2,
  },
  {
    name: 'another total',
    script: [broken, { status: 206, headers: { ...rest, 'content-range': 'bytes 5-9/11' }, body: '56789' }],
    why: /another length/,
    text: '01234',
    requests: 2,
  },
  {
    name: 'another content coding',
    script: [broken, { status: 206, headers: { ...rest, 'content-encoding': 'br' }, body: '56789' }],
    why: /another content coding/,
    text: '01234',
    requests: 2,
  },
  {
    name: 'a weak ETag',
    script: [{ ...broken, headers: { ...whole, etag: 'W/"a"' } }],
    why: /strong ETag/,
    text: '01234',
    requests: 1,
  },
  {
    name: 'a content coding',
    script: [{ ...broken, headers: { ...whole, 'content-encoding': 'own' } }],
    why: /: a content coding$/,
    text: '01234',
    requests: 1,
  },
  {
    name: 'Accept-Ranges: none',
    script: [{ ...broken, headers: { ...whole, 'accept-ranges': 'none' } }],
    why: /Accept-Ranges/,
    text: '01234',
    requests: 1,
  },
  {
    name: 'no length',
    script: [{ headers: { etag: '"a"' }, body, cutAfter: 5 }],
    why: /no length/,
    text: '01234',
    requests: 1,
  },
  {
    name: 'a server that fails',
    script: [broken, { status: 500 }],
    why: /status 500/,
    text: '01234',
    requests: 3,
  },
];

describe('is not resumed, and the cause of the error says why', () => {
  test.each(refusals)('$name', async ({ script, init, options, why, text, requests }) => {
    await using server = await scripted(...script);
    const result = await read(server, init, options);
    expect(result.text).toBe(text);
    expect(result.error).toBeInstanceOf(TypeError);
    expect(result.error?.message).toBe('terminated');
    expect(result.error?.cause?.message).toMatch(/^not resumed: /);
    expect(result.error?.cause?.message).toMatch(why);
    // The response has it as well.
    const history = attemptsOf(result.error);
    expect(history.length).toBeGreaterThan(0);
    expect(history).toEqual(attemptsOf(result.response));
    expect(server.heads).toHaveLength(requests);
    // The response that was refused does not stay open.
    await until(() => server.open() === 0 || script.length > 1);
  });

  test.each<RequestInit>([{ headers: { authorization: 'Bearer x' } }, { credentials: 'include' }])(
    'a redirect to another origin, of a request with credentials: %j',
    async (init) => {
      await using other = await scripted(broken);
      await using server = await scripted({
        status: 302,
        headers: { location: other.url, 'content-length': 0 },
      });
      const { error } = await read(server, init);
      expect(error?.cause?.message).toMatch(/redirect/);
      expect(other.heads).toHaveLength(1);
      expect((await read(server)).error?.cause?.message).not.toMatch(/redirect/);
    },
  );
});

describe('event streams', () => {
  test('the first Last-Event-ID is that of the request', async () => {
    await using server = await scripted(stream('', { breaks: true }), (head) => stream(after(events, head)));
    const { text } = await read(server, { headers: { 'last-event-id': '30' } });
    expect(text).toBe(events.slice(30).join(''));
    expect(server.heads.map((head) => head.header('last-event-id'))).toEqual(['30', '30']);
  });

  test('a 204 ends the stream, without the unfinished event', async () => {
    await using server = await scripted(halfStream, { status: 204 });
    expect(await read(server)).toMatchObject({ text: 'id: 1\ndata: a\n\n' });
    expect(server.heads).toHaveLength(2);
  });

  test('a clean end is the end, with what has no blank line', async () => {
    await using server = await scripted(stream('id: 1\ndata: a\n\ndata: b'));
    const { text, error } = await read(server);
    expect({ text, error }).toEqual({ text: 'id: 1\ndata: a\n\ndata: b', error: undefined });
    expect(server.heads).toHaveLength(1);
  });

  test('resumeAtEnd: a clean end is a break', async () => {
    await using server = await scripted(
      stream('id: 1\nretry: 0\ndata:\n\n'),
      (head) => stream(`id: 2\ndata: after ${head.header('last-event-id')}\n\n`),
      { status: 204 },
    );
    expect((await read(server, {}, { resumeAtEnd: true })).text).toBe(
      'id: 1\nretry: 0\ndata:\n\nid: 2\ndata: after 1\n\n',
    );
  });

  test('resumeWith: what a POST began goes on with a GET', async () => {
    await using server = await scripted(
      halfStream,
      stream('id: 2\ndata: b\n\n', { breaks: true }),
      stream('data: c\n\n'),
    );
    const { text } = await read(
      server,
      { method: 'POST', body: 'x', headers: { authorization: 'me' } },
      {
        resumeWith: (lastId, { url, header }) =>
          new Request(`${url}?after=${lastId}`, {
            headers: { authorization: header('authorization') ?? '' },
          }),
      },
    );
    expect(text).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: c\n\n');
    expect(server.heads.map(({ method, path, header }) => [method, path, header('authorization')])).toEqual([
      ['POST', '/', 'me'],
      ['GET', '/?after=1', 'me'],
      ['GET', '/?after=2', 'me'],
    ]);
  });

  test('idOf: an id in the data', async () => {
    const data = (at: number): string => `data: {"sequence_number":${at}}\n\n`;
    await using server = await scripted(stream(data(1) + data(2), { breaks: true }), stream(data(3)));
    const { text } = await read(
      server,
      { method: 'POST', body: 'x' },
      {
        idOf: (event) => String((JSON.parse(event.data) as { sequence_number: number }).sequence_number),
        resumeWith: (id, { url }) => new Request(`${url}?starting_after=${id}`),
      },
    );
    expect(text).toBe(data(1) + data(2) + data(3));
    expect(server.heads[1]?.path).toBe('/?starting_after=2');
  });

  test('a byte order mark of the rest is not passed on', async () => {
    await using server = await scripted(
      stream('\uFEFFid: 1\ndata: a\n\n', { breaks: true }),
      stream('\uFEFFid: 2\ndata: b\n\n'),
    );
    expect((await read(server)).text).toBe('\uFEFFid: 1\ndata: a\n\nid: 2\ndata: b\n\n');
  });
});

describe('isLast', () => {
  const isLast = ({ data }: { readonly data: string }): boolean => data === 'last';
  const post = { method: 'POST', body: 'x' };

  test('a clean end before the last event is an error', async () => {
    await using server = await scripted(stream('data: a\n\n'));
    const { text, error } = await read(server, post, { isLast });
    expect(text).toBe('data: a\n\n');
    expect(error?.cause?.message).toBe('not resumed: events without an id');
  });

  test('and a break, if the rest can be had', async () => {
    await using server = await scripted(stream('id: 1\ndata: a\n\n'), stream('data: last\n\n'));
    expect((await read(server, {}, { isLast })).text).toBe('id: 1\ndata: a\n\ndata: last\n\n');
  });

  test('later events still pass, and a break after the last event is the end', async () => {
    const text = 'data: last\n\ndata: more\n\n';
    await using server = await scripted(stream(text, { breaks: true }));
    expect(await read(server, post, { isLast, resumeAtEnd: true })).toMatchObject({ text });
    expect(server.heads).toHaveLength(1);
  });

  test('a 204 before the last event is an error', async () => {
    await using server = await scripted(halfStream, { status: 204 });
    expect((await read(server, {}, { isLast })).error?.cause?.message).toBe('not resumed: a 204');
  });

  test.each(['isLast', 'idOf', 'resumeWith'] as const)(
    '%s that throws ends the stream with a HookError',
    async (hook) => {
      await using server = await scripted(halfStream);
      const fails = (): never => {
        throw new Error('no');
      };
      const { error } = await read(server, {}, { [hook]: fails });
      expect(error).toBeInstanceOf(HookError);
      expect((error as HookError).hook).toBe(hook);
      await until(() => server.open() === 0);
    },
  );
});

describe('limits', () => {
  test('maxResumes: so many in a row that bring nothing', async () => {
    await using server = await scripted(
      stream('retry: 0\nid: 1\ndata: a\n\n', { breaks: true }),
      stream('', { breaks: true }),
    );
    const { error } = await read(server, {}, { maxResumes: 3 });
    expect(error?.cause?.message).toBe('not resumed: 3 resumptions in a row');
    expect(server.heads).toHaveLength(4);
  });

  test('one that brings something begins the count again', async () => {
    await using server = await cutting((head) => partOf(body, head));
    await using slow = await cutting((head) => ({ ...partOf(body, head), cutAfter: head.number % 2 }));
    expect((await read(server)).text).toBe('0123456789');
    expect((await read(slow, {}, { maxResumes: 2 })).text).toBe('0123456789');
    expect(slow.heads).toHaveLength(20);
  });

  test('0 explains, and resumes nothing', async () => {
    await using server = await scripted(broken);
    expect((await read(server, {}, { maxResumes: 0 })).error?.cause?.message).toMatch(/^not resumed/);
    expect(server.heads).toHaveLength(1);
  });

  test('a slot is released at the break, and taken again for the rest', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const limited = createPolicy({ backoff: constant(0), concurrency });
    const fetch = resuming(createFetch(limited), { policy: limited });
    await using server = await cutting((head) => ({
      ...partOf(body, head),
      ...(head.number < 3 && { cutAfter: 2 }),
    }));
    const responses = await Promise.all([0, 1, 2].map(async () => (await fetch(server.url)).text()));
    expect(responses).toEqual(['0123456789', '0123456789', '0123456789']);
    await until(() => concurrency.stats().inUse === 0);
  });
});

test('events and history tell how far it came, and why it was resumed', async () => {
  const seen: EbbEvent[] = [];
  const observed = createPolicy({ backoff: constant(0), onEvent: (event) => seen.push(event) });
  const fetch = resuming(createFetch(observed), { policy: observed });
  await using server = await cutting((head) => ({
    ...partOf(body, head),
    ...(head.number === 0 && { cutAfter: 4 }),
  }));
  const response = await fetch(`${server.url}?secret`);
  await response.text();
  const types = ['attempt', 'end', 'resume', 'attempt', 'end', 'resume-end'];
  expect(seen.map(({ type }) => type)).toEqual(types);
  expect(seen[5]).toMatchObject({ result: 'continued', passedBytes: 4, attempt: 2 });
  expect(seen[2]).toMatchObject({
    type: 'resume',
    reason: 'broken',
    passedBytes: 4,
    delayMs: 0,
    attempt: 1,
    request: { method: 'GET', url: server.url },
    outcome: { type: 'failure', kind: 'network', code: 'UND_ERR_SOCKET' },
  });
  expect(attemptsOf(response)).toEqual([
    {
      attempt: 1,
      delayMs: 0,
      waitedMs: 0,
      status: 200,
      failure: 'network',
      code: 'UND_ERR_SOCKET',
      reason: 'resumed',
    },
    { attempt: 2, delayMs: 0, waitedMs: 0, status: 206, reason: 'success' },
  ]);
});

describe('the caller’s abort wins, with its own reason', () => {
  const reason = new Error('enough');

  test.each<[when: string, script: readonly Written[], options: ResumingOptions, requests: number]>([
    ['while the body is read', [stream('id: 1\ndata: a\n\n', { isSilent: true })], {}, 1],
    ['during the wait', [stream('retry: 100000\nid: 1\ndata: a\n\n', { breaks: true })], {}, 1],
    ['while the rest is read', [halfStream, stream('', { isSilent: true })], {}, 2],
  ])('%s', async (_, script, options, requests) => {
    await using server = await scripted(...script);
    const abort = new AbortController();
    const response = await resumingFetch(options)(server.url, { signal: abort.signal });
    const reader = (response.body as ReadableStream).getReader();
    await reader.read();
    const second = reader.read().then(
      () => undefined,
      (error: unknown) => error,
    );
    await until(() => server.heads.length === requests);
    // The break has to arrive.
    await new Promise((resolve) => setTimeout(resolve, 30));
    abort.abort(reason);
    expect(await second).toBe(reason);
    await until(() => server.open() === 0);
  });

  test('a cancelled body ends the wait, and sends nothing more', async () => {
    await using server = await scripted(stream('retry: 20\nid: 1\ndata: a\n\n', { breaks: true }));
    const response = await resumingFetch()(server.url);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    // It may come in pieces.
    for (let text = ''; !text.endsWith('data: a\n\n'); )
      text += Buffer.from((await reader.read()).value ?? []);
    const next = reader.read();
    await until(() => server.open() === 0);
    await reader.cancel();
    expect(await next).toEqual({ done: true, value: undefined });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(server.heads).toHaveLength(1);
  });
});

describe('what it is given and gives', () => {
  test.each<[name: string, options: object, error: RegExp]>([
    ['maxResumes below 0', { maxResumes: -1 }, /resuming: maxResumes must be a whole number ≥ 0, got -1/],
    ['a fraction', { maxResumes: 1.5 }, /maxResumes/],
    [
      'maxEventBytes below 0',
      { maxEventBytes: -1 },
      /resuming: maxEventBytes must be a whole number ≥ 0, got -1/,
    ],
    ['no idle time', { idleTimeoutMs: 0 }, /idleTimeoutMs must be a finite number > 0, got 0/],
    ['isLast', { isLast: true }, /isLast must be a function/],
    ['an unknown option', { maxResume: 1 }, /resuming has no option "maxResume"/],
    ['a wrong policy', { policy: { maxRetries: -1 } }, /maxRetries/],
  ])('throws for %s', (_, options, error) => {
    expect(() => resuming(fetch, options)).toThrow(error);
  });

  test('throws for a fetch that is none', () => {
    expect(() => resuming({} as never)).toThrow(
      new TypeError('resuming: fetch must be a function, got object'),
    );
  });

  test('of two around one another the inner one does it', async () => {
    await using server = await scripted(halfStream, stream('', { breaks: true }));
    const outer = resuming(resuming(createFetch(policy), { policy, maxResumes: 2 }), {
      policy,
      maxResumes: 5,
    });
    const response = await outer(server.url);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(server.heads).toHaveLength(3);
    expect(response.url).toBe(server.url);
  });

  test('a response that is neither stays as it is', async () => {
    await using server = await scripted({ headers: { 'content-type': 'application/json' }, body: '{}' });
    let given: Response | undefined;
    const base = createFetch(policy);
    const fetch = resuming(async (...args) => {
      given = await base(...args);
      return given;
    });
    expect(await fetch(server.url)).toBe(given);
  });

  test('the response has the members of the first', async () => {
    await using server = await scripted(broken, { status: 206, headers: rest, body: '56789' });
    const response = await resumingFetch()(server.url);
    expect(response).toBeInstanceOf(Response);
    const { url, redirected, type, status, ok } = response;
    expect({ url, redirected, type, status, ok }).toEqual({
      url: server.url,
      redirected: false,
      type: 'basic',
      status: 200,
      ok: true,
    });
    expect(await response.clone().text()).toBe('0123456789');
    expect(await response.text()).toBe('0123456789');
  });
});
