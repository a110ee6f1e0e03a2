import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { createFetch as Create } from './index.ts';

/** As in a browser, without async context. */
let createFetch: typeof Create;
let constant: (delayMs: number) => () => number;
const SHARED = Symbol.for('@ebb/core nested');
const holder = globalThis as { [SHARED]?: unknown };
const before = holder[SHARED];

beforeAll(async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  delete holder[SHARED];
  vi.resetModules();
  ({ createFetch } = await import('./index.ts'));
  ({ constant } = (await import('@ebb/core')) as never);
});

afterAll(() => {
  holder[SHARED] = before;
  vi.restoreAllMocks();
});

const options = () => ({ backoff: constant(0), maxRetries: 2 });

describe.each([
  ['a URL', (url: string) => url],
  ['a Request', (url: string) => new Request(url)],
])('of two layers the outer one retries %s, by a symbol in the init', (_, inputOf) => {
  test.each<[string, (inner: typeof fetch) => typeof fetch]>([
    ['the same init', (inner) => inner],
    ['a copy of the init', (inner) => (input, init) => inner(input, { ...init })],
    [
      'a copy of the init in another turn',
      (inner) => async (input, init) => {
        await new Promise(setImmediate);
        return inner(input, { ...init });
      },
    ],
    ['a new Request beside the init', (inner) => (input, init) => inner(new Request(input, init), init)],
  ])('%s', async (__, glue) => {
    const server = await serve({ status: 503 });
    const ebbFetch = createFetch(options(), glue(createFetch(options())));
    expect((await ebbFetch(inputOf(server.url))).status).toBe(503);
    expect(server.seen).toHaveLength(3);
    // The mark does not reach the innermost base fetch.
    for (const { headers } of server.seen) expect(JSON.stringify(headers)).not.toContain('ebb');
  });
});

test('a Request that is made of the init does not carry the symbol: both layers retry', async () => {
  const server = await serve({ status: 503 });
  const inner = createFetch(options());
  const ebbFetch = createFetch(options(), (input, init) => inner(new Request(input, init)));
  expect((await ebbFetch(server.url)).status).toBe(503);
  expect(server.seen).toHaveLength(3 * 3);
});

test('a POST whose connection is refused is sent once, because it may have been redirected', async () => {
  const server = await serve({ status: 200 });
  await server.close();
  const attempts: string[] = [];
  const onEvent = ({ type }: { type: string }) => attempts.push(type);
  const ebbFetch = createFetch({ backoff: constant(0), onEvent: onEvent as never });
  await expect(ebbFetch(server.url, { method: 'POST', body: 'text' })).rejects.toThrow('fetch failed');
  expect(attempts).toEqual(['attempt', 'end']);
});
