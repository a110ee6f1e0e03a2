import { createServer } from 'node:http';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { concurrencyLimit, type Inspect, inspectBody, type PolicyOptions } from '@ebb/core';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { responseTo } from '../../test/adapters.ts';
import { clientOf, errorOf } from '../../test/client.ts';
import { textIn } from '../../test/read.ts';
import { listen } from '../../test/servers.ts';
import { inUse } from '../../test/slots.ts';

/** Judges by the first event. */
const byEvent: Inspect = async (response) =>
  (await response.firstEvent())?.event === 'error' ? { verdict: 'transient' } : undefined;

/** Reads the whole text. */
const byText: Inspect = async (response) => {
  await response.text();
  return undefined;
};

describe.each(['http', 'fetch'])('a stream of the %s adapter', (adapter) => {
  const config: AxiosRequestConfig = { adapter, responseType: 'stream' };

  test('holds its slot until it has been read to its end', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const inspect = inspectBody(() => undefined);
    for (const options of [{ inspect }, { inspect: inspectBody(byEvent, { timeoutMs: 1 }) }]) {
      const server = await serve('held-200');
      const { data } = await clientOf(config, { concurrency, ...options }).get(server.url);
      expect(inUse(concurrency)).toBe(1);
      server.letGo();
      expect(await textIn(data)).toBe('1234567890');
      await expect.poll(() => inUse(concurrency)).toBe(0);
    }
  });

  test('that is longer than the look is not read further than that', async () => {
    const bytes = 64 * 1024 * 1024;
    let sent = 0;
    const url = await listen(
      createServer((_, response) => {
        const part = Buffer.alloc(64 * 1024, 'x');
        const source = new Readable({
          read() {
            sent += part.length;
            this.push(sent < bytes ? part : null);
          },
        });
        pipeline(source, response, () => undefined);
      }),
    );
    const { data } = await clientOf(config, { inspect: inspectBody(byText) }).get(url);
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    expect(sent).toBeLessThan(bytes / 2);
    if (adapter === 'http') (data as Readable).destroy();
    else await (data as ReadableStream).cancel();
  });
});

/** A response with a stream that a test makes. */
async function look(data: unknown, inspect: Inspect, options: PolicyOptions = {}) {
  const adapter: AxiosRequestConfig['adapter'] = async (config) => responseTo(config, { data });
  const client = clientOf(
    { adapter, transformResponse: [] },
    { inspect: inspectBody(inspect), maxRetries: 0, ...options },
  );
  return client.get('/');
}

test('a Node stream that was destroyed before the look is broken', async () => {
  const stream = new PassThrough();
  stream.destroy();
  const response = await errorOf(
    look(stream, async (response) => {
      throw await response.text();
    }),
  );
  expect(response.cause).toBe('');
  const { data } = await look(stream, byText);
  await expect(textIn(data)).rejects.toThrow('closed before its end');
});
