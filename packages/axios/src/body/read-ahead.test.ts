import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { concurrencyLimit, type PolicyOptions } from '@ebb/core';
import { describe, test } from 'vitest';
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
});
