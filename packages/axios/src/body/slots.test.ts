import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { concurrencyLimit, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { Step } from '../../../../test/server.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { bytesServer, inUse, slotFreed } from '../../test/slots.ts';
import { DOWN, UP } from '../../test/steps.ts';

const MIB_8 = 8 * 1024 * 1024;

test('a call whose response is not streamed frees its slot, however it ends', async () => {
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  for (const adapter of ['http', 'fetch']) {
    const server = await serve(DOWN, 'reset', 'half-body', UP, { status: 404 }, { status: 503 });
    const client = clientOf({ adapter }, { ...atOnce, concurrency, maxRetries: 3 });
    expect((await client.get(server.url)).data).toBe('up');
    expect(inUse(concurrency)).toBe(0);
    await errorOf(client.get(server.url));
    expect(inUse(concurrency)).toBe(0);
    await errorOf(client.get(server.url));
    await errorOf(client.get('/nonsense'));
    await errorOf(client.put('/', () => expect.fail()));
    expect(inUse(concurrency)).toBe(0);
  }
});

describe.each(['http', 'fetch'])('a streamed response of the %s adapter holds its slot', (adapter) => {
  const setup = (config: AxiosRequestConfig = {}, options: PolicyOptions = {}) => {
    const { clock } = options;
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    const client = clientOf(
      { adapter, responseType: 'stream', ...config },
      { ...atOnce, ...options, concurrency },
    );
    return { concurrency, client };
  };
  const open = async (step: Step, config: AxiosRequestConfig = {}) => {
    const { concurrency, client } = setup(config);
    const { data } = await client.get((await serve(DOWN, step)).url, { validateStatus: null });
    expect(inUse(concurrency)).toBe(1);
    return { data, concurrency };
  };

  test('until it fails while no one reads it', async () => {
    const { data, concurrency } = await open('half-body');
    if (adapter === 'http') data.on('error', () => undefined);
    const closed = adapter === 'fetch' ? expect(data.getReader().closed).rejects.toThrow() : undefined;
    await slotFreed(concurrency);
    await closed;
  });

  test('until it is aborted while no one reads it', async () => {
    const controller = new AbortController();
    const { data, concurrency } = await open('slow-200', { signal: controller.signal });
    if (adapter === 'http') data.on('error', () => undefined);
    controller.abort();
    await slotFreed(concurrency);
  });

  test('while it is unread and longer than what is read ahead', async () => {
    const clock = virtualClock({ startMs: 0 });
    const { concurrency, client } = setup({}, { clock });
    const { data } = await client.get(await bytesServer(MIB_8));
    for (let look = 0; look < 20; look += 1) {
      await clock.advance(1_000);
      await setImmediate();
    }
    expect(inUse(concurrency)).toBe(1);
    expect((await text(data)).length).toBe(MIB_8);
    await slotFreed(concurrency);
  });

  test.each<[what: string, step: Step, config: AxiosRequestConfig]>([
    ['a short body', { status: 200, body: '123456789' }, {}],
    ['a body in two parts', 'slow-200', {}],
    ['the body of an error', { status: 404, body: 'no' }, {}],
    ['the body of an unusual status', { status: 999, body: 'odd' }, {}],
    ['a body with maxContentLength', { status: 200, body: 'abc' }, { maxContentLength: 100 }],
    ['a body with onDownloadProgress', { status: 200, body: 'abc' }, { onDownloadProgress: () => undefined }],
    ['a gzipped body', { status: 200, body: gzipSync('abc'), headers: { 'content-encoding': 'gzip' } }, {}],
    ['an empty body', { status: 200 }, {}],
    ['no body, after a HEAD', { status: 200, headers: { 'content-length': '9' } }, { method: 'HEAD' }],
    ['no body, with a 204', { status: 204 }, {}],
  ])('until it has arrived, even if no one reads it: %s', async (_, step, config) => {
    const { concurrency, client } = setup();
    const server = await serve(step);
    const read = () => client.request({ url: server.url, validateStatus: null, ...config });
    const first = await read();
    // Each waits for the slot of the previous response, which is not read.
    for (let call = 0; call < 3; call += 1) await read();
    await slotFreed(concurrency);
    // The body is complete.
    const plain = clientOf({ adapter, validateStatus: null, transformResponse: [] });
    const whole = await plain.request({ url: server.url, ...config });
    if (first.data !== null) expect(await text(first.data)).toBe(whole.data);
  });
});
