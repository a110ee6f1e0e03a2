import { once } from 'node:events';
import { createServer } from 'node:http';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  concurrencyLimit,
  type Inspect,
  type InspectedResponse,
  inspectBody,
  type PolicyOptions,
} from '@ebb/core';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { responseTo } from '../../test/adapters.ts';
import { clientOf, errorOf } from '../../test/client.ts';
import { bytesIn, textIn } from '../../test/read.ts';
import { listen } from '../../test/servers.ts';
import { inUse } from '../../test/slots.ts';

const DELTA = 'data: {"text":"a"}\n\n';

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

test('a Node stream that goes on stays the same object, without listeners of ebb', async () => {
  const stream = new PassThrough();
  const before = stream.eventNames().length;
  stream.write(DELTA);
  const { data } = await look(stream, byEvent);
  expect([data === stream, stream.eventNames().length]).toEqual([true, before]);
  stream.end('end');
  expect(await textIn(data)).toBe(`${DELTA}end`);
});

test('a Node stream that has arrived stays the same object', async () => {
  const slowly = async (response: InspectedResponse) => {
    await response.firstEvent();
    // The stream is looked at for some more turns of the event loop.
    await setImmediate();
    return undefined;
  };
  for (const [text, inspect] of [
    ['', byText],
    ['ab', byText],
    ['', slowly],
    [DELTA, slowly],
  ] as const) {
    const stream = new PassThrough().end(text);
    await setImmediate();
    const { data } = await look(stream, inspect);
    await setImmediate();
    expect([data === stream, stream.readableEnded, stream.readableHighWaterMark]).toEqual([
      true,
      false,
      new PassThrough().readableHighWaterMark,
    ]);
    expect(await textIn(data)).toBe(text);
  }
});

test('a Node stream that emits its end during the look emits it to the caller as well', async () => {
  const stream = new Readable({ read: () => undefined });
  const ended = once(stream, 'end');
  // It ends before Node reads on for the new listener.
  stream.on('newListener', (event) => event === 'readable' && queueMicrotask(() => stream.push(null)));
  const { data } = await look(stream, byText);
  await ended;
  await once((data as Readable).resume(), 'end');
});

test('the end of a Node stream is emitted when the caller reads it', async () => {
  for (const make of [
    () => Readable.from([]),
    () => Readable.from(['a', 'b']),
    () => new PassThrough().end(),
    () => new PassThrough().end('ab'),
    () => {
      const stream = new PassThrough();
      stream.write('a');
      setTimeout(() => stream.end('b'), 1);
      return stream;
    },
    () => {
      const stream = new PassThrough();
      setTimeout(() => stream.end(), 1);
      return stream;
    },
    () => {
      const stream = new PassThrough();
      void Promise.resolve().then(() => queueMicrotask(() => stream.end()));
      return stream;
    },
  ]) {
    const expected = await bytesIn(make());
    const { data } = await look(make(), byText);
    // Listeners are added late, as after an `await` of the caller.
    await setImmediate();
    const parts: Uint8Array[] = [];
    (data as Readable).on('data', (part) => parts.push(Buffer.from(part)));
    await once(data as Readable, 'end');
    expect(Buffer.concat(parts)).toEqual(expected);
  }
});

test('a Node stream that breaks during the look emits its parts and its error when it is read', async () => {
  const stream = new PassThrough();
  stream.write('ab');
  const error = new Error('broken');
  setTimeout(() => {
    stream.write('cd');
    setTimeout(() => stream.destroy(error), 1);
  }, 1);
  const { data } = await look(stream, byText);
  await setImmediate();
  const parts: string[] = [];
  const reading = async () => {
    for await (const part of data as Readable) {
      parts.push(String(part));
      await setImmediate();
    }
  };
  await expect(reading()).rejects.toBe(error);
  expect(parts).toEqual(['ab', 'cd']);
});

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

test('a Node stream keeps its encoding', async () => {
  for (const encoding of ['utf8', 'latin1', 'base64'] as const) {
    const stream = new PassThrough();
    stream.setEncoding(encoding);
    stream.write('äb');
    setTimeout(() => stream.end('ö'), 1);
    const { data } = await look(stream, byText);
    let read = '';
    for await (const part of data as AsyncIterable<string>) read += part;
    expect(Buffer.from(read, encoding).toString()).toBe('äbö');
  }
});

test('parts of web streams may be text, which a caller sees unchanged', async () => {
  const make = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue('event: error\n');
        controller.enqueue('data: ä\n\n');
        controller.close();
      },
    });
  const seen: unknown[] = [];
  const { data } = await look(make(), async (response) => {
    seen.push(await response.firstEvent());
    return undefined;
  });
  for await (const part of data as AsyncIterable<unknown>) seen.push(part);
  expect(seen).toEqual([{ event: 'error', data: 'ä' }, 'event: error\n', 'data: ä\n\n']);
});

test('a stream that someone reads already is left alone', async () => {
  const seen: string[] = [];
  const inspect = async (response: InspectedResponse) => {
    seen.push(await response.text());
    return undefined;
  };
  const stream = new PassThrough();
  const parts: string[] = [];
  stream.on('data', (part) => parts.push(String(part)));
  stream.end('ab');
  const { data } = await look(stream, inspect);
  await once(stream, 'end');
  const web = new Blob(['ab']).stream();
  const reader = web.getReader();
  expect((await look(web, inspect)).data).toBe(web);
  expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('ab');
  expect([data === stream, parts, seen]).toEqual([true, ['ab'], ['', '']]);
});
