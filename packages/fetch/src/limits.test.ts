import { concurrencyLimit, constant, createPolicy } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { createFetch } from './index.ts';

function limited() {
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  const ebbFetch = createFetch(createPolicy({ concurrency, backoff: constant(0), maxRetries: 1 }));
  const free = () => concurrency.stats().inUse === 0;
  return { ebbFetch, free };
}

const UP: Step = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'up' };

describe('a slot is held until the end of the body, and released', () => {
  test('after it was read', async () => {
    const server = await serve(UP);
    const { ebbFetch, free } = limited();
    const response = await ebbFetch(server.url);
    expect(free()).toBe(false);
    expect(await response.text()).toBe('up');
    expect(free()).toBe(true);
  });

  test('after it was cancelled', async () => {
    const server = await serve('held-200');
    const { ebbFetch, free } = limited();
    const response = await ebbFetch(server.url);
    expect(free()).toBe(false);
    await response.body?.cancel();
    expect(free()).toBe(true);
  });

  test('after it broke', async () => {
    const server = await serve('half-body');
    const { ebbFetch, free } = limited();
    const response = await ebbFetch(server.url);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(free()).toBe(true);
  });

  test('after the caller aborted it', async () => {
    const server = await serve('endless-503');
    const { ebbFetch, free } = limited();
    const controller = new AbortController();
    const response = await ebbFetch(server.url, { signal: controller.signal, ebb: { maxRetries: 0 } });
    expect(free()).toBe(false);
    controller.abort(new Error('enough'));
    // Node 22's own fetch rejects with an AbortError here, not with the reason.
    await expect(response.text()).rejects.toThrow(/^(enough|The operation was aborted\.)$/);
    expect(free()).toBe(true);
  });

  test('at once if there is no body', async () => {
    const server = await serve({ status: 204 });
    const { ebbFetch, free } = limited();
    await ebbFetch(server.url);
    expect(free()).toBe(true);
  });

  test('after a failure, and after a hook that threw', async () => {
    const server = await serve('reset', 'reset', UP);
    const { ebbFetch, free } = limited();
    await expect(ebbFetch(server.url)).rejects.toThrow('fetch failed');
    expect(free()).toBe(true);
    const classify = () => {
      throw new Error('boom');
    };
    await expect(ebbFetch(server.url, { ebb: { classify } })).rejects.toThrow('boom');
    expect(free()).toBe(true);
  });

  test('when the response is garbage-collected', async () => {
    const server = await serve(UP);
    const { ebbFetch, free } = limited();
    const collect = globalThis.gc;
    if (collect === undefined) throw new Error('the tests run with --expose-gc');
    await ebbFetch(server.url);
    expect(free()).toBe(false);
    await expect.poll(() => collect() ?? free(), { timeout: 10_000 }).toBe(true);
  });
});

test('the response is the one that baseFetch returned', async () => {
  const server = await serve({ ...UP, headers: { 'content-type': 'text/plain', 'set-cookie': 'a=b' } });
  const { ebbFetch } = limited();
  const plain = await fetch(server.url);
  const response = await ebbFetch(server.url);
  for (const one of [response, response.clone()]) {
    expect(one).toBeInstanceOf(Response);
    const { url, status, statusText, ok, redirected, type } = one;
    expect({ url, status, statusText, ok, redirected, type }).toEqual({
      url: plain.url,
      status: 200,
      statusText: 'OK',
      ok: true,
      redirected: false,
      type: 'basic',
    });
    expect([...one.headers].filter(([name]) => name !== 'date')).toEqual(
      [...plain.headers].filter(([name]) => name !== 'date'),
    );
  }
  expect(await response.clone().text()).toBe('up');
  const reader = response.body?.getReader({ mode: 'byob' });
  const part = await reader?.read(new Uint8Array(8));
  expect(new TextDecoder().decode(part?.value)).toBe('up');
  expect((await reader?.read(new Uint8Array(8)))?.done).toBe(true);
});

test('one slot serves requests and retries one after the other', async () => {
  const server = await serve({ status: 503, body: 'down' }, { status: 503, body: 'down' }, UP);
  const { ebbFetch, free } = limited();
  const read = async () => (await ebbFetch(server.url)).text();
  expect(await Promise.all([read(), read()])).toEqual(['up', 'up']);
  expect(free()).toBe(true);
});
