import { text } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { concurrencyLimit, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { Step } from '../../../../test/server.ts';
import { atOnce, clientOf } from '../../test/client.ts';
import { bytesServer, collectGarbage, inUse, slotFreed } from '../../test/slots.ts';
import { DOWN } from '../../test/steps.ts';

const MIB_8 = 8 * 1024 * 1024;

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

  test('so that there are never more than maxConcurrent, even while garbage is collected', async () => {
    const server = await serve('slow-200');
    const concurrency = concurrencyLimit({ maxConcurrent: 3 });
    const client = clientOf({ adapter, responseType: 'stream' }, { ...atOnce, concurrency });
    const call = async (way: number) => {
      const { data } = await client.get(server.url);
      if (way % 3 === 0) return;
      if (way % 3 === 1) return expect(await text(data)).toBe('1234567890');
      for await (const part of data) expect(part.length).toBeGreaterThan(0);
    };
    let isOver = false;
    const collecting = (async () => {
      while (!isOver) {
        collectGarbage();
        await setTimeout(20);
      }
    })();
    await Promise.all(Array.from({ length: 18 }, (_, way) => call(way)));
    isOver = true;
    await collecting;
    expect(server.mostAtOnce()).toBeLessThanOrEqual(3);
    const slots = await Promise.all([concurrency.acquire(), concurrency.acquire(), concurrency.acquire()]);
    expect(inUse(concurrency)).toBe(3);
    for (const slot of slots) slot.release();
  });
});
