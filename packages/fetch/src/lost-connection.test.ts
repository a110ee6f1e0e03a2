import { attemptsOf, constant } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { createFetch } from './create-fetch.ts';
import { FetchRequest } from './fetch-request.ts';
import { isLostConnection } from './lost-connection.ts';
import type { EbbRequestInit, FetchInput } from './request.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const URL_OF = 'http://upstream.test/';
const LOST = new TypeError('Load failed');

test.each<[story: string, error: unknown, isLost: boolean]>([
  ['a TypeError', LOST, true],
  ['that of another realm', Object.assign(new Error('Load failed'), { name: 'TypeError' }), true],
  ['another error', new RangeError('Load failed'), false],
  ['a string', 'Load failed', false],
])('a lost connection of a correct request: %s', (_, error, isLost) => {
  expect(isLostConnection(error, new FetchRequest(fetch, URL_OF, undefined))).toBe(isLost);
});

const stream = (): EbbRequestInit =>
  ({ method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' }) as never;

const posted = (): Request => new Request(URL_OF, { method: 'POST', body: 'x' });

/** Requests that fetch can send, but for their bodies. */
const CORRECT: [story: string, input: () => FetchInput, init?: () => EbbRequestInit][] = [
  ['a URL', () => URL_OF],
  ['an init', () => URL_OF, () => ({ headers: { a: 'b' }, ebb: { attemptTimeoutMs: 100 } })],
  ['a body', () => URL_OF, () => ({ method: 'PUT', body: 'x' })],
  ['a Request', () => new Request(URL_OF)],
  ['a Request with a body', posted],
  ['a body over the Request', posted, () => ({ body: 'y' })],
  ['a Request as its init', () => URL_OF, () => new Request(URL_OF) as EbbRequestInit],
  ['a stream', () => URL_OF, stream],
];

const WRONG: [story: string, input: FetchInput, init?: EbbRequestInit][] = [
  ['a URL', 'http://'],
  ['a method', URL_OF, { method: 'A B' }],
  ['the name of a header', URL_OF, { headers: { 'a b': 'c' } }],
  ['the value of a header', URL_OF, { headers: { a: 'b\nc' } }],
  ['a mode', URL_OF, { mode: 'none' as never }],
  ['a signal', URL_OF, { signal: {} as never }],
  ['the body of a GET', URL_OF, { body: 'x' }],
];

test.each(CORRECT)('a request that can be made has no mistake: %s', (_, input, init) => {
  expect(isLostConnection(LOST, new FetchRequest(fetch, input(), init?.()))).toBe(true);
});

test.each(WRONG)('a request that cannot be made has one: %s', (_, input, init) => {
  expect(isLostConnection(LOST, new FetchRequest(fetch, input, init))).toBe(false);
});

test('a body that it may be about is left alone', async () => {
  const body = new Blob(['x']).stream();
  const request = new FetchRequest(fetch, URL_OF, { method: 'POST', body, duplex: 'half' } as never);
  expect(isLostConnection(LOST, request)).toBe(true);
  expect([body.locked, await new Response(body).text()]).toEqual([false, 'x']);
});

const used = async (): Promise<Request> => {
  const request = new Request(URL_OF, { method: 'PUT', body: 'x' });
  await request.text();
  return request;
};
/** How a browser's error for a lost connection ends the requests of a client. */
async function endOf(input: FetchInput, init?: EbbRequestInit): Promise<unknown> {
  const client = createFetch({ maxRetries: 1, backoff: constant(0) }, () => Promise.reject(LOST));
  const error = await client(input, init).catch((one: unknown) => one);
  const last = attemptsOf(error).at(-1);
  return [last?.failure, last?.reason, attemptsOf(error).length];
}

// Other runtimes have codes, causes or messages of their own.
describe.runIf(isWeb)('in a browser a TypeError', () => {
  test('of a correct request is a lost connection, which is retried', async () => {
    expect(await endOf(URL_OF)).toEqual(['network', 'retries-exhausted', 2]);
  });

  test.each<[story: string, input: () => FetchInput | Promise<FetchInput>, init?: () => EbbRequestInit]>([
    ['a stream', () => URL_OF, () => ({ ...stream(), method: 'PUT' })],
    ['a Request whose body was read', used],
  ])('is one also if the body is %s, and is not retried', async (_, input, init) => {
    expect(await endOf(await input(), init?.())).toEqual(['network', 'not-replayable', 1]);
  });

  test.each<[story: string, input: FetchInput, init?: EbbRequestInit]>([
    ...WRONG,
    ['the header of a hook', URL_OF, { ebb: { beforeAttempt: () => ({ 'a b': 'c' }) } }],
  ])('of a request with a wrong member is a mistake: %s', async (_, input, init) => {
    expect(await endOf(input, init)).toEqual(['unknown', 'final', 1]);
  });
});
