import { Agent, createServer } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Clock, constant } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { afterTest, listen } from '../../test/servers.ts';
import { KIB_64, UP } from '../../test/steps.ts';

describe.each(['http', 'fetch'])('a streamed response of the %s adapter', (adapter) => {
  const stream = { adapter, responseType: 'stream' } as const;
  const read = (data: unknown) => text(data as Readable);

  test('frees its connection if it is discarded, and is complete if it is returned', async () => {
    const server = await serve({ status: 503, body: KIB_64 }, { status: 503, body: KIB_64 }, UP);
    expect(await read((await clientOf(stream).get(server.url)).data)).toBe('up');
    const down = await serve({ status: 503, body: KIB_64 });
    const client = clientOf(stream, { ...atOnce, maxRetries: 1 });
    expect(await read((await errorOf(client.get(down.url))).response?.data)).toBe(KIB_64);
    expect(await read((await client.get(down.url, { validateStatus: null })).data)).toBe(KIB_64);
    expect(down.seen).toHaveLength(4);
  });

  test.each([
    ['with its content-length', true],
    ['without a content-length', false],
  ])('is broken off if it is too long to discard, %s', async (_, saysLength) => {
    const parts = Array<Buffer>(256).fill(Buffer.alloc(64 * 1024));
    let started = false;
    let wasWhole: boolean | undefined;
    const url = await listen(
      createServer((_, response) => {
        if (started) return void response.end('up');
        started = true;
        if (saysLength) response.setHeader('content-length', parts.length * 64 * 1024);
        response.writeHead(503);
        pipeline(Readable.from(parts), response, (error) => {
          wasWhole = !error;
        });
      }),
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    afterTest(() => agent.destroy());
    expect(await read((await clientOf({ ...stream, httpAgent: agent }).get(url)).data)).toBe('up');
    await expect.poll(() => wasWhole).toBe(false);
  });

  test('is not read at all if its content-length is too long to discard', async () => {
    let requests = 0;
    const url = await listen(
      createServer((_, response) => {
        requests += 1;
        if (requests > 1) return void response.end('up');
        response.writeHead(503, { 'content-length': 1_000_000 }).write('and so on');
      }),
    );
    const client = clientOf(stream, { ...atOnce, clock: virtualClock({ startMs: 0 }) });
    expect(await read((await client.get(url)).data)).toBe('up');
  });

  test.each([
    ['breaks with a timeout if it does not end within the total timeout', 'endless-200', 1],
    ['leaves no timer if it ends before', UP, 0],
  ] as const)('%s, if that covers the body', async (_, step, pending) => {
    const server = await serve(step);
    const clock = virtualClock({ startMs: 0 });
    const covering = { totalTimeoutMs: 500, totalTimeoutCovers: 'body', clock } as const;
    const { data } = await clientOf(stream, covering).get(server.url);
    if (pending === 0) {
      expect(await read(data)).toBe('up');
      await expect.poll(() => clock.pending).toBe(0);
      return;
    }
    const reading = errorOf(read(data));
    await clock.advance(499);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await reading).toMatchObject({ code: 'ECONNABORTED', message: 'timeout of 500ms exceeded' });
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['reads', true],
    ['does not read', false],
  ])(
    'is closed by a total timeout that covers the body, with its connection: one that someone %s',
    async (_, isRead) => {
      const closed = Promise.withResolvers<void>();
      const url = await listen(
        createServer((request, response) => {
          request.socket.on('close', () => closed.resolve());
          response.writeHead(200).write('and so on');
        }),
      );
      const clock = virtualClock({ startMs: 0 });
      const covering = { totalTimeoutMs: 500, totalTimeoutCovers: 'body', clock } as const;
      const { data } = await clientOf(stream, covering).get(url);
      data.on?.('error', () => undefined);
      const reading = isRead && errorOf(read(data));
      await clock.advance(500);
      await closed.promise;
      const late = { code: 'ECONNABORTED', message: 'timeout of 500ms exceeded' };
      expect(await (reading || errorOf(read(data)))).toMatchObject(late);
    },
  );

  test('leaves no timer that keeps the program alive if it is cancelled', async () => {
    const server = await serve('endless-200');
    const time = virtualClock({ startMs: 0 });
    let pending = 0;
    const clock: Clock = {
      now: () => time.now(),
      schedule: (wake, delayMs, inBackground, isWait) => {
        const cancel = time.schedule(wake, delayMs, inBackground, isWait);
        if (inBackground) return cancel;
        pending += 1;
        return () => {
          pending -= 1;
          cancel();
        };
      },
    };
    const covering = { totalTimeoutMs: 500, totalTimeoutCovers: 'body', clock } as const;
    const { data } = await clientOf(stream, covering).get(server.url);
    await (adapter === 'http' ? data.destroy() : data.cancel());
    await expect.poll(() => pending).toBe(0);
  });

  test('has what a retry left of a total timeout that covers the body', async () => {
    const server = await serve({ status: 503, body: 'down' }, 'endless-200');
    const clock = virtualClock({ startMs: 0 });
    const retried = Promise.withResolvers<void>();
    const client = clientOf(stream, {
      ...{ totalTimeoutMs: 500, totalTimeoutCovers: 'body', backoff: constant(400), clock },
      onEvent: ({ type }) => type === 'retry' && retried.resolve(),
    });
    const sent = client.get(server.url);
    await retried.promise;
    await clock.advance(400);
    const reading = errorOf(read((await sent).data));
    await clock.advance(100);
    expect(clock.pending).toBe(0);
    expect(await reading).toMatchObject({ code: 'ECONNABORTED' });
  });
});
