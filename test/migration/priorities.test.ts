import { priorityQueue, tokenBucket } from '@ebb/core';
import Bottleneck from 'bottleneck';
import PQueue from 'p-queue';
import { expect, test, vi } from 'vitest';
import { endOf, fakeTime } from './fake-time.ts';
import type { Take } from './limiters.ts';

fakeTime();

const nothing = async (): Promise<void> => {};

/** Whether a call of low priority has gone after ten minutes in which a more urgent one always waited. */
async function isServed(low: () => Promise<unknown>, urgent: Take): Promise<boolean> {
  void urgent();
  void urgent();
  const waiting = low();
  for (let n = 0; n < 600; n += 1) {
    void urgent();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  return (await endOf(waiting)) !== 'pending';
}

test('priorities: ebb serves the low ones after a minute, bottleneck and p-queue never', async () => {
  const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1, queue: priorityQueue() });
  expect(
    await isServed(
      () => bucket.acquire(),
      () => bucket.acquire({ priority: 1 }),
    ),
  ).toBe(true);
  const limiter = new Bottleneck({ minTime: 1_000, maxConcurrent: 1 });
  expect(
    await isServed(
      () => limiter.schedule(nothing),
      () => limiter.schedule({ priority: 4 }, nothing),
    ),
  ).toBe(false);
  const queue = new PQueue({ intervalCap: 1, interval: 1_000 });
  expect(
    await isServed(
      () => queue.add(nothing),
      () => queue.add(nothing, { priority: 1 }),
    ),
  ).toBe(false);
});
