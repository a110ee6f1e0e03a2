import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { concurrencyLimit, type PolicyOptions } from '@ebb/core';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { atOnce, clientOf } from '../../test/client.ts';
import { listen } from '../../test/servers.ts';
import { collectGarbage, slotFreed } from '../../test/slots.ts';

describe('a streamed response of the fetch adapter', () => {
  const streaming = (options: PolicyOptions) =>
    clientOf({ adapter: 'fetch', responseType: 'stream' }, { ...atOnce, ...options });

  test('frees its slot and its connection when it is garbage collected', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const broken = Promise.withResolvers<void>();
    const url = await listen(
      createServer((_, response) => {
        response.on('close', broken.resolve).write(Buffer.alloc(8 * 1024 * 1024));
      }),
    );
    await streaming({ concurrency }).get(url);
    let isFree = false;
    const free = slotFreed(concurrency).then(() => {
      isFree = true;
    });
    while (!isFree) {
      collectGarbage();
      await setImmediate();
    }
    await free;
    await broken.promise;
  });

  test('supports BYOB readers, and does not transfer the buffer of a pool', async () => {
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
    await slotFreed(concurrency);
  });
});
