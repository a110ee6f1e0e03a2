import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { constant, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { refusingUrl } from '../../../../test/refusing.ts';
import { serve } from '../../../../test/serve.ts';
import { serveWith } from '../../test/serve-with.ts';
import { createFetch } from '../index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const options: PolicyOptions = { backoff: constant(0), maxRetries: 2 };

/** Makes streams, and counts those that are open. */
interface Maker {
  readonly body: () => never;
  readonly made: () => number;
  readonly closed: () => number;
}

/** Streams of files that are too long to be sent whole. */
function files(): Maker {
  const streams: Readable[] = [];
  const body = () => {
    const stream = createReadStream('/dev/zero');
    streams.push(stream);
    return stream as never;
  };
  return {
    body,
    made: () => streams.length,
    closed: () => streams.filter(({ destroyed }) => destroyed).length,
  };
}

function webStreams(): Maker {
  let made = 0;
  let closed = 0;
  const body = () => {
    made += 1;
    return new ReadableStream({
      async pull(controller) {
        await new Promise(setImmediate);
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel() {
        closed += 1;
      },
    }) as never;
  };
  return { body, made: () => made, closed: () => closed };
}

function iterators(): Maker {
  let made = 0;
  let closed = 0;
  const body = () => {
    made += 1;
    let isOpen = true;
    const iterator = {
      [Symbol.asyncIterator]: () => iterator,
      next: async () => {
        await new Promise(setImmediate);
        return { done: !isOpen, value: new Uint8Array(65_536) };
      },
      return: async () => {
        closed += Number(isOpen);
        isOpen = false;
        return { done: true, value: undefined };
      },
    };
    return iterator as never;
  };
  return { body, made: () => made, closed: () => closed };
}

describe.each([
  ['Node streams', files],
  ['web streams', webStreams],
  ['iterators', iterators],
])('what a factory has made is closed: %s', (_, maker) => {
  const allClosed = async ({ made, closed }: Maker, times: number) => {
    await expect.poll(made).toBe(times);
    await expect.poll(closed).toBe(times);
  };

  test('when the connection is refused, on each attempt', async () => {
    const bodies = maker();
    const call = createFetch(options)(await refusingUrl(), { method: 'PUT', body: bodies.body });
    await expect(call).rejects.toThrow('fetch failed');
    await allClosed(bodies, 3);
  });

  // Browsers do not watch the bodies of responses.
  test.skipIf(isWeb)(
    'when the response comes before the upload is done, on each attempt, and the last response is whole',
    async () => {
      const bodies = maker();
      const { url } = await serveWith((_request, response) => {
        response.writeHead(503, { connection: 'close' }).end('early');
      });
      const response = await createFetch(options)(url, { method: 'PUT', body: bodies.body });
      expect([response.status, await response.text()]).toEqual([503, 'early']);
      await allClosed(bodies, 3);
    },
  );

  test.skipIf(isWeb)('when the response is final and not read', async () => {
    const bodies = maker();
    const { url } = await serveWith((_request, response) => response.writeHead(413).end('too much'));
    const response = await createFetch(options)(url, { method: 'PUT', body: bodies.body });
    expect(response.status).toBe(413);
    await allClosed(bodies, 1);
    expect(await response.text()).toBe('too much');
  });

  test('when the attempt times out', async () => {
    const bodies = maker();
    const clock = virtualClock({ startMs: 0 });
    const hanging = vi.fn(() => clock.tick(100));
    const { url } = await serveWith((request) => request.once('data', hanging));
    const call = createFetch({ ...options, clock, attemptTimeoutMs: 100 })(url, {
      method: 'PUT',
      body: bodies.body,
    });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    await allClosed(bodies, 3);
  });

  test('when the caller aborts', async () => {
    const bodies = maker();
    const controller = new AbortController();
    const { url } = await serveWith((request) =>
      request.once('data', () => controller.abort(new Error('enough'))),
    );
    const call = createFetch(options)(url, { method: 'PUT', body: bodies.body, signal: controller.signal });
    await expect(call).rejects.toThrow('enough');
    await allClosed(bodies, 1);
  });

  test('when the factory resolves only after the caller has aborted, and nothing is sent', async () => {
    const bodies = maker();
    const controller = new AbortController();
    const gate = Promise.withResolvers<void>();
    const base = vi.fn(fetch);
    const body = () => gate.promise.then(bodies.body);
    const init = { method: 'PUT', body, signal: controller.signal };
    const call = createFetch(options, base)('http://upstream/', init);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    gate.resolve();
    await allClosed(bodies, 1);
    expect(base).not.toHaveBeenCalled();
  });
});

describe('a factory that never resolves is bounded', () => {
  const body = () => new Promise<never>(() => {});

  test('by attemptTimeoutMs', async () => {
    const clock = virtualClock({ startMs: 0 });
    const call = createFetch({ clock, attemptTimeoutMs: 100, maxRetries: 0 })('http://upstream/', {
      method: 'PUT',
      body,
    });
    const settled = call.catch((error: unknown) => error);
    await clock.advance(100);
    expect(await settled).toMatchObject({ name: 'TimeoutError' });
  });

  test.each([{}, false] as const)('by an abort of the caller, with ebb: %j', async (ebb) => {
    const controller = new AbortController();
    const call = createFetch()('http://upstream/', { method: 'PUT', body, signal: controller.signal, ebb });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });
});

test('a stream that was sent whole is not cancelled', async () => {
  const cancelled = vi.fn();
  const body = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('text'));
        controller.close();
      },
      cancel: cancelled,
    });
  const server = await serve({ status: 503 }, { status: 200 });
  expect((await createFetch(options)(server.url, { method: 'PUT', body })).status).toBe(200);
  expect(server.seen.map(({ body: sent }) => sent)).toEqual(['text', 'text']);
  expect(cancelled).not.toHaveBeenCalled();
});
