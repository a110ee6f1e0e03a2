import { constant, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { resuming } from '@ebb/fetch/resuming';
import { ebbInterceptor } from '@ebb/undici';
import { eventStreams } from '@ebb/undici/resuming';
import axios from 'axios';
import { Agent, request, fetch as undiciFetch } from 'undici';
import { describe, expect, test } from 'vitest';
import {
  after,
  cutting,
  EVENT_STREAM,
  eventsOf,
  partOf,
  type Written,
} from '../packages/fetch/test/cutting.ts';

// Event streams and downloads over real connections, in the clients besides fetch.

const policy = createPolicy({ backoff: constant(0) });
const RESUME = { resume: eventStreams };
const events = eventsOf('\r\n');
const whole = events.join('');
const body = Buffer.from('0123456789');

/** Every connection is cut after so many bytes. */
const streaming = (cutAfter: number) =>
  cutting((head): Written => {
    const rest = after(events, head);
    return { headers: EVENT_STREAM, body: rest, ...(rest.length > cutAfter && { cutAfter }) };
  });

/** How often each client is cut: once at each of the first bytes of a stream. */
const CUTS = 1_000;

describe('an event stream arrives whole in each client, if it is cut once at any of its first 1,000 bytes', () => {
  const fetch = resuming(createFetch(policy), { policy });
  const client = axios.create({ adapter: 'fetch', env: { fetch: fetch as typeof globalThis.fetch } });
  const dispatcher = new Agent().compose(ebbInterceptor(policy, RESUME));

  test.each<[name: string, read: (url: string) => Promise<string>]>([
    ['fetch', async (url) => (await fetch(url)).text()],
    ['axios over fetch', async (url) => (await client.get<string>(url, { responseType: 'text' })).data],
    ['undici.request', async (url) => (await request(url, { dispatcher })).body.text()],
    ['undici.fetch', async (url) => (await undiciFetch(url, { dispatcher })).text()],
  ])('%s', async (_, read) => {
    await using server = await cutting((head) => ({
      headers: EVENT_STREAM,
      body: after(events, head),
      ...(head.header('last-event-id') === undefined &&
        !cut.has(head.path) && { cutAfter: cutAt(head.path) }),
    }));
    const cut = new Set<string>();
    const cutAt = (path: string): number => {
      cut.add(path);
      return Number(path.slice(1));
    };
    const wrong: number[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < CUTS; at = next++) {
        const got = await read(`${server.url}${at}`).catch(String);
        if (got !== whole) wrong.push(at);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(wrong).toEqual([]);
    expect(server.heads).toHaveLength(2 * CUTS);
  });
});

test('axios over fetch: a download and an event stream arrive whole', async () => {
  const fetch = resuming(createFetch(policy), { policy });
  const client = axios.create({ adapter: 'fetch', env: { fetch: fetch as typeof globalThis.fetch } });
  await using files = await cutting((head) => ({
    ...partOf(body, head),
    ...(head.header('range') === undefined && { cutAfter: 3 }),
  }));
  const headers = { 'accept-encoding': 'identity' };
  expect(
    (await client.get<string>(files.url, { headers, responseType: 'text', transformResponse: [] })).data,
  ).toBe('0123456789');
  await using streams = await streaming(333);
  const { data } = await client.get<ReadableStream<Uint8Array>>(streams.url, { responseType: 'stream' });
  expect(await new Response(data).text()).toBe(whole);
});

describe('undici: an event stream arrives whole', () => {
  test.each([60, 100, 333, 1_287])('if every connection is cut after %i bytes', async (cutAfter) => {
    await using server = await streaming(cutAfter);
    // Its retries are those of one request, however often its connections break.
    const dispatcher = new Agent().compose(ebbInterceptor({ backoff: constant(0), maxRetries: 99 }, RESUME));
    const response = await request(server.url, { dispatcher });
    expect(await response.body.text()).toBe(whole);
    const fetched = await undiciFetch(server.url, { dispatcher });
    expect(await fetched.text()).toBe(whole);
    await dispatcher.close();
  });

  test.each<[name: string, first: string, rest: Written, text: string]>([
    ['no ids', 'data: a\n\n', {}, 'data: a\n\n'],
    [
      'HTML in place of the rest',
      'id: 1\ndata: a\n\nda',
      { headers: { 'content-type': 'text/html' } },
      'id: 1\ndata: a\n\n',
    ],
  ])('and not with %s', async (_, first, rest, text) => {
    await using server = await cutting(({ number }) =>
      number === 0 ? { headers: EVENT_STREAM, body: first, breaks: true } : rest,
    );
    const dispatcher = new Agent().compose(ebbInterceptor({ backoff: constant(0) }, RESUME));
    const response = await request(server.url, { dispatcher });
    let got = '';
    await expect(
      (async () => {
        for await (const part of response.body) got += part;
      })(),
    ).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(got).toBe(text);
    await dispatcher.close();
  });

  test('and not without `resume`', async () => {
    await using server = await streaming(100);
    const dispatcher = new Agent().compose(ebbInterceptor({ backoff: constant(0) }));
    const response = await request(server.url, { dispatcher });
    await expect(response.body.text()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(server.heads).toHaveLength(1);
    await dispatcher.close();
  });

  test.each<[name: string, options: unknown, error: RegExp]>([
    ['no function', { resume: true }, /^ebbInterceptor: resume must be a function, got true$/],
    ['unknown', { resumes: eventStreams }, /has no option "resumes"; it takes resume$/],
  ])('and an option that is %s is refused', (_, options, error) => {
    expect(() => ebbInterceptor({}, options as never)).toThrow(error);
  });

  test('a 204 ends it', async () => {
    await using server = await cutting(({ number }) =>
      number === 0
        ? { headers: EVENT_STREAM, body: 'retry: 1\nid: 1\ndata: a\n\nda', breaks: true }
        : { status: 204 },
    );
    const dispatcher = new Agent().compose(ebbInterceptor({ backoff: constant(60_000) }, RESUME));
    const response = await request(server.url, { dispatcher });
    expect(await response.body.text()).toBe('retry: 1\nid: 1\ndata: a\n\n');
    await dispatcher.close();
  });
});
