import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import {
  concurrencyLimit,
  type Inspect,
  type InspectedResponse,
  inspectBody,
  type PolicyOptions,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { responseTo } from '../../test/adapters.ts';
import { atOnce, clientOf, errorOf, kindsOf, reasonsOf } from '../../test/client.ts';
import { bytesIn, textIn } from '../../test/read.ts';
import { listen } from '../../test/servers.ts';
import { inUse, slotFreed } from '../../test/slots.ts';

const PING = 'event: ping\ndata: {}\n\n';
const OVERLOADED = 'event: error\ndata: {"type":"overloaded_error"}\n\n';
const DELTA = 'data: {"text":"a"}\n\n';

/** Judges by the first event. */
const byEvent: Inspect = async (response) =>
  (await response.firstEvent())?.event === 'error' ? { verdict: 'transient' } : undefined;

/** Reads the whole text. */
const byText: Inspect = async (response) => {
  await response.text();
  return undefined;
};

/** A server with one script for each request; the last is repeated. */
async function scripted(
  ...scripts: ((response: ServerResponse) => unknown)[]
): Promise<{ readonly url: string; readonly seen: () => number }> {
  let seen = 0;
  const url = await listen(
    createServer((request, response) => {
      request.resume();
      const script = scripts[Math.min(seen, scripts.length - 1)];
      seen += 1;
      script?.(response);
    }),
  );
  return { url, seen: () => seen };
}

const say =
  (...texts: string[]) =>
  async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const text of texts) {
      response.write(text);
      await setImmediate();
    }
    response.end();
  };

describe.each(['http', 'fetch'])('a stream of the %s adapter', (adapter) => {
  const config: AxiosRequestConfig = { adapter, responseType: 'stream' };
  const judging: PolicyOptions = { ...atOnce, inspect: inspectBody(byEvent) };

  test('whose first event is an error is retried', async () => {
    const server = await scripted(say(PING, OVERLOADED), say(DELTA, DELTA));
    const response = await clientOf(config, judging).post(server.url);
    expect(reasonsOf(response)).toEqual(['not-idempotent']);
    const again = await clientOf(config, { ...judging, methods: 'all' }).post(server.url);
    expect([await textIn(again.data), server.seen()]).toEqual([DELTA + DELTA, 2]);
    const other = await scripted(say(PING, OVERLOADED), say(PING, DELTA));
    const retried = await clientOf(config, judging).get(other.url);
    expect([kindsOf(retried), await textIn(retried.data)]).toEqual([[200, 200], PING + DELTA]);
  });

  test('reaches the caller before its end, and goes on', async () => {
    const goOn = Promise.withResolvers<void>();
    const server = await scripted(async (response) => {
      response.write(PING + DELTA);
      await goOn.promise;
      response.end(DELTA);
    });
    const { data } = await clientOf(config, judging).get(server.url);
    const read: string[] = [];
    for await (const part of data as AsyncIterable<Uint8Array>) {
      read.push(Buffer.from(part).toString());
      goOn.resolve();
    }
    expect(read).toEqual([PING + DELTA, DELTA]);
  });

  test('without an event in time is judged by its status, and goes on', async () => {
    const server = await serve('held-200');
    const clock = virtualClock({ startMs: 0 });
    const waiting = Promise.withResolvers<void>();
    const inspect = (response: InspectedResponse) => {
      waiting.resolve();
      return byEvent(response);
    };
    const response = clientOf(config, { ...atOnce, clock, inspect: inspectBody(inspect) }).get(server.url);
    await waiting.promise;
    await expect.poll(() => clock.pending).toBe(2);
    await clock.advance(1_000);
    const { data } = await response;
    expect(clock.pending).toBe(0);
    server.letGo();
    expect(await textIn(data)).toBe('1234567890');
  });

  test('that breaks and is not retried fails when the caller reads it, and releases its slot', async () => {
    for (const isRead of [true, false]) {
      const server = await serve('half-body');
      const concurrency = concurrencyLimit({ maxConcurrent: 1 });
      const { data } = await clientOf(config, { ...judging, concurrency }).post(server.url);
      if (isRead) {
        const parts: string[] = [];
        await expect(
          (async () => {
            for await (const part of data as AsyncIterable<Uint8Array>)
              parts.push(Buffer.from(part).toString());
          })(),
        ).rejects.toThrow();
        if (adapter === 'http') expect(parts).toEqual(['12345']);
      }
      await slotFreed(concurrency);
      expect(inUse(concurrency)).toBe(0);
    }
  });

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

  test('can be closed by the caller', async () => {
    const closed = Promise.withResolvers<void>();
    const server = await scripted((response) => {
      response.on('close', closed.resolve);
      response.write(DELTA);
    });
    const { data } = await clientOf(config, judging).get(server.url);
    if (adapter === 'http') (data as Readable).destroy();
    else await (data as ReadableStream).cancel();
    await closed.promise;
  });

  test('that is longer than the look is not read further than that', async () => {
    const bytes = 64 * 1024 * 1024;
    let sent = 0;
    const server = await scripted((response) => {
      const part = Buffer.alloc(64 * 1024, 'x');
      const source = new Readable({
        read() {
          sent += part.length;
          this.push(sent < bytes ? part : null);
        },
      });
      pipeline(source, response, () => undefined);
    });
    const { data } = await clientOf(config, { inspect: inspectBody(byText) }).get(server.url);
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    expect(sent).toBeLessThan(bytes / 2);
    if (adapter === 'http') (data as Readable).destroy();
    else await (data as ReadableStream).cancel();
  });

  test('in gzip is seen as text', async () => {
    const server = await scripted(
      (response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync(OVERLOADED));
      },
      (response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        pipeline(Readable.from([DELTA, DELTA]), createGzip(), response, () => undefined);
      },
    );
    const response = await clientOf(config, judging).get(server.url);
    expect([server.seen(), await textIn(response.data)]).toEqual([2, DELTA + DELTA]);
  });

  test('in gzip that is empty ends', async () => {
    const server = await scripted((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(''));
    });
    const { data } = await clientOf(config, { inspect: inspectBody(byText) }).get(server.url);
    await setImmediate();
    if (adapter === 'http') await once((data as Readable).resume(), 'end');
    else expect(await textIn(data)).toBe('');
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
