import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  attemptsOf,
  concurrencyLimit,
  constant,
  HookError,
  type PolicyOptions,
  ThrottledError,
  tokenBucket,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter } from 'axios';
import FormDataPackage from 'form-data';
import { describe, expect, test, vi } from 'vitest';
import { refusingPort } from '../../../../test/refusing.ts';
import { serve } from '../../../../test/serve.ts';
import type { Step } from '../../../../test/server.ts';
import { until } from '../../../../test/until.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { listen } from '../../test/servers.ts';

const DOWN: Step = { status: 503, body: 'down' };
const UP: Step = { status: 200, body: 'up' };

const answer: AxiosAdapter = async (config) => {
  return { status: 200, statusText: '', data: '', headers: {}, config };
};

/** A stream that does not end by itself. */
const open = () => new Readable({ read: () => undefined });

/** One that begins, and then goes no further. */
const begun = () => {
  const stream = open();
  stream.push('begun');
  return stream;
};

/** Streams of all kinds, and whether each was given up. */
const uploads: [kind: string, make: () => { data: unknown; isClosed: () => boolean }][] = [
  [
    'a Node stream',
    () => {
      const data = open();
      return { data, isClosed: () => data.destroyed };
    },
  ],
  [
    'a web stream',
    () => {
      const cancel = vi.fn();
      return { data: new ReadableStream({ cancel }), isClosed: () => cancel.mock.calls.length === 1 };
    },
  ],
  [
    'an iterator',
    () => {
      let isClosed = false;
      const data = (async function* () {
        try {
          yield 'text';
        } finally {
          isClosed = true;
        }
      })();
      void data.next();
      return { data, isClosed: () => isClosed };
    },
  ],
  [
    'a form with a stream in it',
    () => {
      const file = open();
      const data = new FormDataPackage();
      data.append('file', file, { filename: 'a' });
      return { data, isClosed: () => file.destroyed };
    },
  ],
];

describe.each(uploads)('an upload of %s that is not sent is closed', (_, make) => {
  const setup = (options: PolicyOptions) => {
    const adapter = vi.fn(answer);
    const client = clientOf({ adapter, transformRequest: [] }, { ...atOnce, ...options });
    return { adapter, client, ...make() };
  };

  test('by an abort in the line for a token', async () => {
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001 });
    bucket.tryAcquire();
    const { client, adapter, data, isClosed } = setup({ bucket });
    const controller = new AbortController();
    const error = errorOf(client.put('/', data, { signal: controller.signal }));
    while (bucket.stats().waiting === 0) await setImmediate();
    expect(isClosed()).toBe(false);
    controller.abort();
    expect(await error).toBeInstanceOf(axios.CanceledError);
    await setImmediate();
    expect([isClosed(), adapter.mock.calls.length]).toEqual([true, 0]);
  });

  test('by an abort in the line for a slot', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    concurrency.tryAcquire();
    const { client, data, isClosed } = setup({ concurrency });
    const source = axios.CancelToken.source();
    const error = errorOf(client.put('/', data, { cancelToken: source.token }));
    while (concurrency.stats().waiting === 0) await setImmediate();
    source.cancel();
    expect((await error).code).toBe('ERR_CANCELED');
    await setImmediate();
    expect(isClosed()).toBe(true);
  });

  test('by a bucket that refuses', async () => {
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001, nonConforming: 'reject' });
    bucket.tryAcquire();
    const { client, data, isClosed } = setup({ bucket });
    expect(await errorOf(client.put('/', data))).toBeInstanceOf(ThrottledError);
    await setImmediate();
    expect(isClosed()).toBe(true);
  });
});

test('a body that can be sent again is left as it is', async () => {
  const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001, nonConforming: 'reject' });
  bucket.tryAcquire();
  const error = await errorOf(clientOf({ adapter: answer }, { bucket }).put('/', { a: 1 }));
  expect(error).toBeInstanceOf(ThrottledError);
});

describe('a signal that has aborted before the request', () => {
  test('is axios’s own affair: no adapter is called, no token taken', async () => {
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001 });
    const adapter = vi.fn(answer);
    const error = await errorOf(
      clientOf({ adapter }, { bucket }).get('/', { signal: AbortSignal.abort('enough') }),
    );
    expect([error.code, adapter.mock.calls.length, bucket.stats().granted]).toEqual(['ERR_CANCELED', 0, 0]);
  });

  test.each(['http', 'fetch'])(
    'by a transform goes to the %s adapter, whose error it is',
    async (adapter) => {
      const server = await serve(UP);
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001 });
      const run = (client: { put: typeof axios.put }, url: string) => {
        const controller = new AbortController();
        const { signal } = controller;
        const transformRequest = (data: unknown) => {
          controller.abort();
          return data;
        };
        return errorOf(client.put(url, 'text', { signal, transformRequest, adapter }));
      };
      // A wrong URL is told before the abort, or after it, as it is without ebb.
      for (const url of [server.url, 'foo://upstream/']) {
        const plain = await run(axios, url);
        const error = await run(clientOf({}, { bucket }), url);
        expect([error.name, error.message, error.code]).toEqual([plain.name, plain.message, plain.code]);
      }
      expect(bucket.stats().granted).toBe(0);
    },
  );
});

describe('an abort is told as one', () => {
  test('when the answer came at the same time', async () => {
    const controller = new AbortController();
    const ends: string[] = [];
    const adapter: AxiosAdapter = async (config) => {
      controller.abort(new Error('enough'));
      return answer(config);
    };
    const client = clientOf(
      { adapter },
      { onEvent: (event) => void (event.type === 'end' && ends.push(event.reason)) },
    );
    const error = await errorOf(client.get('/', { signal: controller.signal }));
    expect(error).toBeInstanceOf(axios.CanceledError);
    expect(error.cause).toBe(controller.signal.reason);
    expect(attemptsOf(error)).toMatchObject([{ failure: 'aborted', reason: 'aborted' }]);
    expect(ends).toEqual(['aborted']);
  });

  test('while a body is made that never comes', async () => {
    const controller = new AbortController();
    const made = Promise.withResolvers<Readable>();
    const adapter = vi.fn(answer);
    const error = errorOf(clientOf({ adapter }).put('/', () => made.promise, { signal: controller.signal }));
    await setImmediate();
    controller.abort();
    expect(await error).toBeInstanceOf(axios.CanceledError);
    expect(attemptsOf(await error)).toMatchObject([{ failure: 'aborted', reason: 'aborted' }]);
    // What comes late is closed.
    const late = open();
    made.resolve(late);
    await setImmediate();
    expect([late.destroyed, adapter.mock.calls.length]).toEqual([true, 0]);
  });
});

describe('a body that a function makes', () => {
  test('is bounded by attemptTimeoutMs as it is made; what comes late is closed and not sent', async () => {
    const clock = virtualClock();
    const first = Promise.withResolvers<Readable>();
    const made: unknown[] = [first.promise, 'text'];
    const sent: unknown[] = [];
    const adapter: AxiosAdapter = async (config) => {
      sent.push(config.data);
      return answer(config);
    };
    const client = clientOf({ adapter }, { ...atOnce, clock, attemptTimeoutMs: 50 });
    const response = client.put('/', () => made.shift());
    await clock.advance(50);
    expect(attemptsOf(await response)).toMatchObject([{ failure: 'timeout' }, { status: 200 }]);
    const late = open();
    first.resolve(late);
    await setImmediate();
    expect([late.destroyed, sent, clock.pending]).toEqual([true, ['text'], 0]);
  });

  test('and comes in the very turn of the timeout is not sent', async () => {
    const clock = virtualClock();
    const adapter = vi.fn(answer);
    const late = open();
    const make = () => new Promise((resolve) => clock.schedule(() => resolve(late), 50));
    const client = clientOf({ adapter }, { clock, attemptTimeoutMs: 50, maxRetries: 0 });
    const error = errorOf(client.put('/', make));
    await clock.advance(50);
    expect((await error).code).toBe('ECONNABORTED');
    await setImmediate();
    expect([late.destroyed, adapter.mock.calls.length]).toEqual([true, 0]);
  });

  test('is closed if its transform throws', async () => {
    const data = open();
    const transformRequest = () => {
      throw new Error('no');
    };
    await errorOf(clientOf({ adapter: answer, transformRequest }).put('/', () => data));
    expect(data.destroyed).toBe(true);
  });

  test.each(['http', 'fetch'])(
    'is closed if the server answers before it has read it: %s',
    async (adapter) => {
      const url = await listen(
        // Never reads the body.
        createServer((request, response) => {
          response.writeHead(request.url === '/final' ? 413 : 503, { 'content-length': 2 }).end('no');
        }),
      );
      for (const path of ['retried', 'final']) {
        const made: Readable[] = [];
        const data = () => made[made.push(begun()) - 1];
        const client = clientOf({ adapter }, { ...atOnce, maxRetries: 2 });
        const error = await errorOf(client.put(`${url}${path}`, data));
        expect(made).toHaveLength(path === 'final' ? 1 : 3);
        await until(() => made.every(({ destroyed }) => destroyed));
        expect(error.response?.data ?? 'no').toBe('no');
      }
    },
  );

  test.each(['http', 'fetch'])('is closed if the connection is refused: %s', async (adapter) => {
    const url = `http://127.0.0.1:${await refusingPort()}/`;
    const made: Readable[] = [];
    const data = () => made[made.push(open()) - 1];
    await errorOf(clientOf({ adapter }, { ...atOnce, maxRetries: 2 }).put(url, data));
    expect(made).toHaveLength(3);
    await until(() => made.every(({ destroyed }) => destroyed));
  });

  test('whose making fails is not made again, whatever the cause', async () => {
    const cause = Object.assign(new Error('no store'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const make = vi.fn(() => Promise.reject(cause));
    const error = await errorOf(clientOf({ adapter: answer }).put('/', make));
    expect(error).toBeInstanceOf(HookError);
    expect([make.mock.calls.length, attemptsOf(error)[0]?.reason]).toEqual([1, 'final']);
  });
});

test('headers that are an iterator go with each attempt', async () => {
  const server = await serve(DOWN, UP);
  const seen: unknown[] = [];
  const client = clientOf(
    {},
    {
      backoff: constant(0),
      cost: (request) => {
        seen.push(request.header('authorization'));
        return 1;
      },
      bucket: tokenBucket({ refillPerSecond: 1_000 }),
    },
  );
  await client.get(server.url, { headers: new Map([['Authorization', 'me']]).entries() as never });
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['me', 'me']);
  expect(seen).toEqual(['me', 'me']);
});
