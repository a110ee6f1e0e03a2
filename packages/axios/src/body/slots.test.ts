import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type ConcurrencyLimit, concurrencyLimit, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { AxiosAdapter, AxiosRequestConfig } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { Step } from '../../../../test/server.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { listen } from '../../test/servers.ts';

const collect = globalThis.gc as () => void;

const DOWN: Step = { status: 503, body: 'down' };
const UP: Step = { status: 200, body: 'up' };

const inUse = (limit: ConcurrencyLimit) => limit.stats().inUse;
/** Waits until a slot is free, for as long as the test may run. */
const freed = async (limit: ConcurrencyLimit) => (await limit.acquire()).release();

test('a buffered answer gives its slot back, whatever it is', async () => {
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

/** Answers with so many bytes, which come at once. */
function sending(bytes: number) {
  return listen(createServer((_, response) => response.end(Buffer.alloc(bytes, 'x'))));
}

describe.each(['http', 'fetch'])('a streamed response of the %s adapter holds its slot', (adapter) => {
  const setup = (config: AxiosRequestConfig = {}, options: PolicyOptions = {}) => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
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

  test('until it was read', async () => {
    const { data, concurrency } = await open('slow-200');
    expect(await text(data)).toBe('1234567890');
    await freed(concurrency);
  });

  test('until it was given up', async () => {
    const { concurrency, client } = setup();
    const { data } = await client.get(await sending(8 * 1024 * 1024));
    expect(inUse(concurrency)).toBe(1);
    if (adapter === 'http') data.destroy();
    else await data.cancel();
    await freed(concurrency);
  });

  test('until it failed', async () => {
    const { data, concurrency } = await open('half-body');
    await expect(text(data)).rejects.toThrow();
    await freed(concurrency);
  });

  test('until it failed while its reader was idle', async () => {
    const { data, concurrency } = await open('half-body');
    if (adapter === 'http') data.on('error', () => undefined);
    const closed = adapter === 'fetch' ? expect(data.getReader().closed).rejects.toThrow() : undefined;
    await freed(concurrency);
    await closed;
  });

  test('until it was aborted, though no one reads it', async () => {
    const controller = new AbortController();
    const { data, concurrency } = await open('slow-200', { signal: controller.signal });
    if (adapter === 'http') data.on('error', () => undefined);
    controller.abort();
    await freed(concurrency);
  });

  test('as long as there is more to come than was read ahead, and no one reads it', async () => {
    const clock = virtualClock();
    const { concurrency, client } = setup({}, { clock });
    const { data } = await client.get(await sending(8 * 1024 * 1024));
    for (let look = 0; look < 20; look += 1) {
      await clock.advance(1_000);
      await setImmediate();
    }
    expect(inUse(concurrency)).toBe(1);
    expect((await text(data)).length).toBe(8 * 1024 * 1024);
    await freed(concurrency);
  });

  test.each<[what: string, step: Step, config: AxiosRequestConfig]>([
    ['a short body', { status: 200, body: '123456789' }, {}],
    ['one that comes in two parts', 'slow-200', {}],
    ['one of an error', { status: 404, body: 'no' }, {}],
    ['of an odd status', { status: 999, body: 'odd' }, {}],
    ['one that is counted', { status: 200, body: 'abc' }, { maxContentLength: 100 }],
    ['one that is watched', { status: 200, body: 'abc' }, { onDownloadProgress: () => undefined }],
    [
      'one that is packed',
      { status: 200, body: gzipSync('abc'), headers: { 'content-encoding': 'gzip' } },
      {},
    ],
    ['one of nothing', { status: 200 }, {}],
    ['none, after a HEAD', { status: 200, headers: { 'content-length': '9' } }, { method: 'HEAD' }],
    ['none, of a 204', { status: 204 }, {}],
  ])('no longer than it takes to arrive, though no one reads it: %s', async (_, step, config) => {
    const { concurrency, client } = setup();
    const server = await serve(step);
    const read = () => client.request({ url: server.url, validateStatus: null, ...config });
    const first = await read();
    // Each waits for the slot of the one before, which is not read.
    for (let call = 0; call < 3; call += 1) await read();
    await freed(concurrency);
    // Nothing of it is lost.
    const plain = clientOf({ adapter, validateStatus: null, transformResponse: [] });
    const whole = await plain.request({ url: server.url, ...config });
    if (first.data !== null) expect(await text(first.data)).toBe(whole.data);
  });

  test('no longer, if it is the response of an error', async () => {
    const { concurrency, client } = setup();
    const server = await serve({ status: 404, body: 'no' });
    const errors = [await errorOf(client.get(server.url)), await errorOf(client.get(server.url))];
    await freed(concurrency);
    expect(await text(errors[0]?.response?.data as Readable)).toBe('no');
  });

  test('and never are there more than allowed, whatever is collected', async () => {
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
        collect();
        await setImmediate();
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

describe('the fetch adapter', () => {
  const streaming = (options: PolicyOptions) =>
    clientOf({ adapter: 'fetch', responseType: 'stream' }, { ...atOnce, ...options });

  test('gives back the slot of a body that was dropped, connection and all', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const broken = Promise.withResolvers<void>();
    const url = await listen(
      createServer((_, response) => {
        response.on('close', broken.resolve).write(Buffer.alloc(8 * 1024 * 1024));
      }),
    );
    await streaming({ concurrency }).get(url);
    let isFree = false;
    const free = freed(concurrency).then(() => {
      isFree = true;
    });
    while (!isFree) {
      collect();
      await setImmediate();
    }
    await free;
    await broken.promise;
  });

  test('leaves a reader its own buffers, and pooled parts in one piece', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const server = await serve('slow-200');
    const { data } = await streaming({ concurrency }).get(server.url);
    const reader = data.getReader({ mode: 'byob' });
    let whole = '';
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(4));
      if (done) break;
      whole += Buffer.from(value).toString();
    }
    expect(whole).toBe('1234567890');
    const pool = Buffer.from('..pooled..').subarray(2, 8);
    const pooling = async () =>
      new Response(
        new ReadableStream({
          type: 'bytes',
          start(controller) {
            controller.enqueue(new Uint8Array(pool));
            controller.close();
          },
        }),
      );
    const client = streaming({ concurrency });
    const response = await client.get('http://upstream/', { env: { fetch: pooling } } as AxiosRequestConfig);
    expect(await text(response.data)).toBe('pooled');
    await freed(concurrency);
  });
});

describe('the http adapter', () => {
  test('looks for bodies on one timer, which keeps no process alive, and only while there are any', async () => {
    const { now, ...clock } = virtualClock();
    const schedule = vi.spyOn(clock, 'schedule');
    const concurrency = concurrencyLimit({ maxConcurrent: 3 });
    const client = clientOf(
      { adapter: 'http', responseType: 'stream' },
      { ...atOnce, concurrency, clock: { now, schedule: clock.schedule } },
    );
    const ends: (() => void)[] = [];
    const url = await listen(
      createServer((_, response) => {
        response.write('some');
        ends.push(() => response.end());
      }),
    );
    const bodies = await Promise.all([client.get(url), client.get(url), client.get(url)]);
    await setImmediate();
    await setImmediate();
    expect(schedule.mock.calls.map(([, delayMs, inBackground]) => [delayMs, inBackground])).toEqual([
      [250, true],
    ]);
    for (const end of ends) end();
    while (bodies.some(({ request }) => !request.res.complete)) await setImmediate();
    await clock.advance(250);
    expect([inUse(concurrency), clock.pending]).toEqual([0, 0]);
  });
});

test('a slot is waited for by those who come later', async () => {
  const concurrency = concurrencyLimit({ maxConcurrent: 2 });
  let now = 0;
  let most = 0;
  const adapter: AxiosAdapter = async (config) => {
    now += 1;
    most = Math.max(most, now);
    await setImmediate();
    now -= 1;
    return { status: now % 2 === 0 ? 503 : 200, statusText: '', data: '', headers: {}, config };
  };
  const client = clientOf({ adapter, validateStatus: null }, { ...atOnce, concurrency });
  await Promise.all(Array.from({ length: 20 }, () => client.get('/')));
  expect([most, inUse(concurrency)]).toEqual([2, 0]);
});
