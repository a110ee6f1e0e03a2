import { inspectBody } from '@ebb/core';
import { expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { deduplicate } from './deduplicate.ts';
import { createFetch } from './index.ts';

const { signal } = new AbortController();
const look = inspectBody((response) => response.text().then(() => undefined));

test.each([
  ['after a look', createFetch({ inspect: look })],
  ['that was joined', createFetch({ middleware: [deduplicate()] })],
])('a response %s is like bare, and so are its clones', async (_, fetchOf) => {
  const server = await serve({ status: 200, body: 'up', headers: { 'x-a': '1' } });
  const bare = await fetch(server.url);
  const [one, other] = await Promise.all([1, 2].map(() => fetchOf(server.url, { signal })));
  const { url, redirected, type } = bare;
  for (const response of [one, other, one?.clone(), other?.clone().clone()]) {
    expect(response).toMatchObject({ url, redirected, type });
    expect(response?.headers.get('x-a')).toBe('1');
    expect(() => response?.headers.set('x-a', '2')).toThrow('immutable');
    expect(Object.keys(response ?? {})).toEqual(Object.keys(bare));
    // As nock and MSW do.
    for (const name of ['url', 'redirected', 'type', 'headers', 'clone'])
      Object.defineProperty(response, name, { value: 'another' });
    expect(response?.url).toBe('another');
    expect(await response?.text()).toBe('up');
  }
});

test('an init with a `url` and a `clone` of its own is no Request', async () => {
  const inits: unknown[] = [];
  const base = async (_: unknown, init?: object) => {
    inits.push(init);
    return new Response('', { status: 503 });
  };
  const init = { url: 'https://b.test/', clone: () => init, headers: { 'x-a': '1' }, agent: 'own' };
  await createFetch({ maxRetries: 1, backoff: () => 0, attemptTimeoutMs: 1_000 }, base)(
    'https://a.test/',
    init,
  );
  expect(inits).toHaveLength(2);
  for (const sent of inits) expect(sent).toMatchObject({ agent: 'own', headers: { 'x-a': '1' } });
});
