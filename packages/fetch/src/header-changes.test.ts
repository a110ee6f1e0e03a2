import { constant } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { createFetch } from './index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const DOWN = { status: 503, body: 'down' };
const UP = { status: 200, body: 'up' };
const atOnce = { backoff: constant(0) };

describe('beforeAttempt', () => {
  const given: [string, string][] = [
    ['x-old', 'old'],
    ['x-own', 'own'],
  ];

  test.each<[story: string, input: (url: string) => Parameters<typeof fetch>]>([
    ['an object', (url) => [url, { headers: { 'x-old': 'old', 'X-Own': 'own' } }]],
    ['pairs', (url) => [url, { headers: given }]],
    ['Headers', (url) => [url, { headers: new Headers(given) }]],
    ['an iterator', (url) => [url, { headers: new Map(given).entries() as never }]],
    ['a Request', (url) => [new Request(url, { headers: given })]],
    ['a Request and its init', (url) => [new Request(url), { headers: given }]],
  ])('changes the headers of each attempt, given as %s', async (_, input) => {
    const server = await serve(DOWN, UP);
    const ebbFetch = createFetch({
      ...atOnce,
      beforeAttempt: ({ attempt, previous }) => ({
        'X-Old': undefined,
        'x-attempt': String(attempt),
        ...(previous?.type === 'response' ? { 'x-after': String(previous.status) } : {}),
      }),
    });
    await ebbFetch(...input(server.url));
    const names = ['x-old', 'x-own', 'x-attempt', 'x-after'];
    expect(server.seen.map(({ headers }) => names.map((name) => headers[name]))).toEqual([
      [undefined, 'own', '1', undefined],
      [undefined, 'own', '2', '503'],
    ]);
  });

  test('may be asynchronous, and keeps a body and its type', async () => {
    const server = await serve(DOWN, UP);
    const ebbFetch = createFetch({
      ...atOnce,
      beforeAttempt: async ({ attempt }) => ({ authorization: `token ${attempt}` }),
    });
    const body = JSON.stringify({ a: 1 });
    await ebbFetch(server.url, { method: 'PUT', body, headers: { 'content-type': 'application/json' } });
    await ebbFetch(new Request(server.url, { method: 'PUT', body: 'text' }));
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      'token 1',
      'token 2',
      'token 1',
    ]);
    expect(server.seen.map((request) => request.body)).toEqual([body, body, 'text']);
    expect(server.seen[2]?.headers['content-type']).toBe('text/plain;charset=UTF-8');
  });

  // With several clients a browser's init carries the mark of a layer.
  test.skipIf(isWeb)('that returns nothing changes nothing', async () => {
    const server = await serve(UP);
    const init = { headers: { 'x-own': 'own' } };
    let given: unknown;
    const base: typeof fetch = (input, sent) => {
      given = sent;
      return fetch(input, sent);
    };
    await createFetch({ beforeAttempt: () => undefined }, base)(server.url, init);
    expect(given).toBe(init);
  });
});

test('idempotencyKey: true makes a key for each POST, which its retries keep, and leaves one of the caller', async () => {
  const server = await serve(DOWN, UP);
  const ebbFetch = createFetch({ ...atOnce, idempotencyKey: true });
  const post = { method: 'POST', body: 'text' };
  await ebbFetch(server.url, post);
  await ebbFetch(server.url, post);
  await ebbFetch(server.url, { ...post, headers: { 'Idempotency-Key': 'own' } });
  const [first, second, third, own] = server.seen.map(({ headers }) => headers['idempotency-key']);
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([second === first, third === first, own]).toEqual([true, false, 'own']);
});
