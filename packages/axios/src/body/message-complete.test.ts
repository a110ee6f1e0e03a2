import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { concurrencyLimit } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect, test, vi } from 'vitest';
import { atOnce, clientOf } from '../../test/client.ts';
import { listen } from '../../test/servers.ts';
import { inUse } from '../../test/slots.ts';

test('unread bodies are polled by background timers, which run only while there are any', async () => {
  const { now, ...clock } = virtualClock({ startMs: 0 });
  const schedule = vi.spyOn(clock, 'schedule');
  const own = { now, schedule: clock.schedule };
  const concurrency = concurrencyLimit({ maxConcurrent: 3, clock: own });
  const client = clientOf(
    { adapter: 'http', responseType: 'stream' },
    { ...atOnce, concurrency, clock: own },
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
  expect(schedule.mock.calls.map(([, delayMs, inBackground]) => [delayMs, inBackground])).toEqual(
    bodies.map(() => [250, true]),
  );
  for (const end of ends) end();
  while (bodies.some(({ request }) => !request.res.complete)) await setImmediate();
  await clock.advance(250);
  expect([inUse(concurrency), clock.pending]).toEqual([0, 0]);
});
