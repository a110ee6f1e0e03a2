import { constant, createPolicy } from '@ebb/core';
import { createFetch, type EbbRequestInit } from '@ebb/fetch';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import { type Cutting, EVENT_STREAM, scripted, type Written } from '../../../fetch/test/cutting.ts';
import { resumable } from '../fetch.ts';

const policy = createPolicy({ backoff: constant(0), maxRetries: 1 });
const stream = (body: string, more: Written = {}): Written => ({ headers: EVENT_STREAM, body, ...more });

const resumableFetch = resumable(createFetch(policy), { policy });

/** What a reader gets: the text until the end, or until the error. */
async function read(
  server: Cutting,
  init: EbbRequestInit = {},
): Promise<{
  readonly text: string;
  readonly error?: Error & { readonly cause?: Error };
  readonly response: Response;
}> {
  const response = await resumableFetch(server.url, init);
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
const broken: Written = { headers: whole, body: '0123456789', cutAfter: 5 };
const halfStream = stream('id: 1\ndata: a\n\ndata: b', { breaks: true });

describe('is not resumed, and the cause of the error says why', () => {
  test('a content coding', async () => {
    await using server = await scripted({ ...broken, headers: { ...whole, 'content-encoding': 'own' } });
    const { text, error } = await read(server);
    expect(text).toBe('01234');
    expect([error?.message, error?.cause?.message]).toEqual(['terminated', 'not resumed: a content coding']);
    expect(server.heads).toHaveLength(1);
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

describe('what it is given and gives', () => {
  test('a clean end is the end, with what has no blank line', async () => {
    await using server = await scripted(stream('id: 1\ndata: a\n\ndata: b'));
    const { text, error } = await read(server);
    expect({ text, error }).toEqual({ text: 'id: 1\ndata: a\n\ndata: b', error: undefined });
    expect(server.heads).toHaveLength(1);
  });

  test('a cancelled body ends the wait, and sends nothing more', async () => {
    await using server = await scripted(stream('retry: 150\nid: 1\ndata: a\n\n', { breaks: true }));
    const response = await resumableFetch(server.url);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    // It may come in pieces.
    for (let text = ''; !text.endsWith('data: a\n\n'); )
      text += Buffer.from((await reader.read()).value ?? []);
    const next = reader.read();
    await until(() => server.open() === 0);
    await reader.cancel();
    expect(await next).toEqual({ done: true, value: undefined });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server.heads).toHaveLength(1);
  });

  test('throws for a fetch that is none', () => {
    expect(() => resumable({} as never)).toThrow(
      new TypeError('resumable: fetch must be a function, got object'),
    );
  });

  test('of two around one another the inner one does it', async () => {
    await using server = await scripted(halfStream, stream('', { breaks: true }));
    const outer = resumable(resumable(createFetch(policy), { policy, maxResumes: 2 }), {
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
    const fetch = resumable(async (...args) => {
      given = await base(...args);
      return given;
    });
    expect(await fetch(server.url)).toBe(given);
  });

  test('the response has the members of the first', async () => {
    await using server = await scripted(broken, { status: 206, headers: rest, body: '56789' });
    const response = await resumableFetch(server.url);
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

test.each<[story: string, init: RequestInit, end: string]>([
  ['ends its body', {}, 'left'],
  ['leaves it alone if the init takes it away', { signal: null }, 'up'],
])('the signal of a Request %s', async (_, init, end) => {
  const sending = Promise.withResolvers<void>();
  const base = async (): Promise<Response> => {
    const body = new ReadableStream({
      async pull(controller) {
        await sending.promise;
        controller.enqueue(new TextEncoder().encode('up'));
        controller.close();
      },
    });
    return new Response(body, { headers: EVENT_STREAM });
  };
  const caller = new AbortController();
  const request = new Request('http://upstream/', { signal: caller.signal });
  const response = await resumable(createFetch(policy, base), { policy })(request, init);
  const text = response.text().catch((error: Error) => error.message);
  caller.abort(new Error('left'));
  sending.resolve();
  expect(await text).toBe(end);
});
