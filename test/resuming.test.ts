import { constant, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { resuming } from '@ebb/fetch/resuming';
import { ebbInterceptor } from '@ebb/undici';
import { resuming as resumingDispatch } from '@ebb/undici/resuming';
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
