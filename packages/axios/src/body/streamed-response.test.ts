import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Clock } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { clientOf, errorOf } from '../../test/client.ts';
import { listen } from '../../test/servers.ts';
import { UP } from '../../test/steps.ts';
import { testsOfCancelledStreams } from '../../test/streamed.ts';

describe.each(['http', 'fetch'])('a streamed response of the %s adapter', (adapter) => {
  const stream = { adapter, responseType: 'stream' } as const;
  const read = (data: unknown) => text(data as Readable);

  testsOfCancelledStreams(clientOf(stream, { attemptTimeoutMs: 60_000 }));

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
});
