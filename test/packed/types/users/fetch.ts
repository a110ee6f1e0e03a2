import { createPolicy } from '@ebb/core';
import {
  type BodyFactory,
  createFetch,
  type EbbFetch,
  type EbbRequestInit,
  type FetchInput,
} from '@ebb/fetch';

const policy = createPolicy({ maxRetries: 1 });
const ebbFetch: EbbFetch = createFetch(policy);

// It is assignable to `fetch`, and its base may be any function that sends.
export const asGlobal: typeof globalThis.fetch = ebbFetch;
globalThis.fetch = createFetch(policy, createFetch({}, globalThis.fetch));
createFetch(policy, async () => new Response('text'));
createFetch(policy, (input, init) => ebbFetch(input, init));

const url = 'http://upstream.test/';
const input: FetchInput = new URL(url);
const body: BodyFactory = async () => new Blob(['text']);
const init: EbbRequestInit = { method: 'PUT', body, ebb: { maxRetries: 0, cost: 2 } };

export const accepted: (() => Promise<Response>)[] = [
  () => ebbFetch(url),
  () => ebbFetch(input, init),
  () => ebbFetch(new Request(url), { ebb: false }),
  () =>
    ebbFetch(url, {
      headers: { accept: 'text/plain' },
      signal: AbortSignal.timeout(1000),
      redirect: 'error',
    }),
  () => ebbFetch(url, { method: 'PUT', body: 'text' }),
  () => ebbFetch(url, { method: 'PUT', body: null }),
  () => ebbFetch(url, { method: 'PUT', body: new TextEncoder().encode('text') }),
  () => ebbFetch(url, { method: 'PUT', body: new URLSearchParams({ name: 'value' }) }),
  () => ebbFetch(url, { method: 'PUT', body: new FormData() }),
  () => ebbFetch(url, { method: 'PUT', body: new Blob(['text']).stream() }),
  () => ebbFetch(url, { method: 'PUT', body: () => 'text' }),
  () => ebbFetch(url, { method: 'PUT', body: () => new Blob(['text']).stream() }),
];
export const status: Promise<number> = ebbFetch(url).then((response) => response.status);

export const refused: (() => unknown)[] = [
  // @ts-expect-error: not a body
  () => ebbFetch(url, { method: 'PUT', body: 12345 }),
  // @ts-expect-error: makes no body
  () => ebbFetch(url, { method: 'PUT', body: () => 12345 }),
  // @ts-expect-error: makes no body
  () => ebbFetch(url, { method: 'PUT', body: async () => 12345 }),
  // @ts-expect-error: not a method
  () => ebbFetch(url, { method: 5 }),
  // @ts-expect-error: fetch has no such option
  () => ebbFetch(url, { retries: 3 }),
  // @ts-expect-error: ebb has no such option
  () => ebbFetch(url, { ebb: { retries: 3 } }),
  // @ts-expect-error: a string for a number
  () => ebbFetch(url, { ebb: { maxRetries: '3' } }),
  // @ts-expect-error: `true` says nothing
  () => ebbFetch(url, { ebb: true }),
  // @ts-expect-error: nothing to fetch
  () => ebbFetch(),
  // @ts-expect-error: not an address
  () => ebbFetch(12345),
  // @ts-expect-error: not an option
  () => createFetch({ retries: 3 }),
  // @ts-expect-error: sends nothing
  () => createFetch(policy, () => 12345),
  // @ts-expect-error: a response, not a number
  async (): Promise<number> => ebbFetch(url),
];
