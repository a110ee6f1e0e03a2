import { constant, createPolicy, type Policy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/fetch';
import { resumable as resumingDispatch } from '@ebb/resume/undici';
import { type Respond, suite } from '@ebb/testing';
import { ebbInterceptor } from '@ebb/undici';
import axios from 'axios';
import { Agent, request, fetch as undiciFetch } from 'undici';
import { Agent as NodeFetchAgent } from 'undici7';
import { describe, expect, test } from 'vitest';
import {
  after,
  cutting,
  EVENT_STREAM,
  eventsOf,
  partOf,
  type Written,
} from '../packages/fetch/test/cutting.ts';
import { clientOf } from './fetch-client.ts';
import { mock, mockBehindServer } from './msw.ts';
import { traits } from './traits.ts';
import { undiciClient } from './undici-client.ts';

// Event streams and downloads over real connections, in the clients besides fetch.

const policy = createPolicy({ backoff: constant(0) });
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
  const fetch = resumable(createFetch(policy), { policy });
  const client = axios.create({ adapter: 'fetch', env: { fetch: fetch as typeof globalThis.fetch } });
  const dispatcher = new Agent().compose(ebbInterceptor(policy), resumingDispatch({ policy }));

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
  const fetch = resumable(createFetch(policy), { policy });
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

/** An agent that resumes above what is composed with it. */
function resumingAgent(policy: Policy): typeof Agent {
  return class extends Agent {
    override compose(...interceptors: never[]) {
      return super.compose(...interceptors, resumingDispatch({ policy }));
    }
  } as typeof Agent;
}

// All that holds for a client holds for one that resumes.
for (const [where, overFetch, overUndici] of [
  ['sockets', undefined, undefined],
  ['MSW', mock, mockBehindServer],
] as const) {
  suite(
    { describe, test },
    {
      ...traits.fetch,
      name: `fetch with resuming, over ${where}`,
      does: ['resumes', 'resumesStreams'],
      client(policy, limits) {
        const agent = limits && new NodeFetchAgent(limits);
        const client = clientOf(resumable(createFetch(policy), { policy }), agent && { dispatcher: agent });
        return { ...client, close: async () => agent?.close() };
      },
      ...(overFetch && { mock: overFetch }),
    },
  );
  suite(
    { describe, test },
    {
      ...traits.undici,
      name: `undici with resuming, over ${where}`,
      does: ['resumes', 'resumesStreams'],
      client: (policy, limits) => undiciClient({ Agent: resumingAgent(policy), request }, policy, limits),
      ...(overUndici && { mock: overUndici }),
    },
  );
}

describe('over MSW, which ends a body that breaks: an event stream arrives whole in spite of its ends', () => {
  const respond: Respond = async (asked) => {
    const rest = events.slice(Number(asked.headers.get('last-event-id') ?? 0));
    return rest.length === 0
      ? new Response(null, { status: 204 })
      : new Response(`${rest.slice(0, 10).join('')}da`, { headers: EVENT_STREAM });
  };

  test('fetch', async () => {
    const mocked = await mock(respond);
    const fetch = resumable(createFetch(policy), { policy, resumeAtEnd: true });
    expect(await (await fetch(mocked.url)).text()).toBe(whole);
    await mocked.close?.();
  });

  test('undici', async () => {
    const mocked = await mockBehindServer(respond);
    const dispatcher = new Agent().compose(
      ebbInterceptor(policy),
      resumingDispatch({ policy, resumeAtEnd: true }),
    );
    expect(await (await request(mocked.url, { dispatcher })).body.text()).toBe(whole);
    await mocked.close?.();
  });
});
