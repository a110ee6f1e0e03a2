import { describe, expect, test } from 'vitest';
import type { AcquireOptions } from '../loop/contracts.ts';
import { tokenBucket } from '../parts/bucket/token-bucket.ts';
import { concurrencyLimit } from '../parts/concurrency/concurrency.ts';
import { virtualClock } from '../testing.ts';

const makers = {
  'a bucket': (clock: ReturnType<typeof virtualClock>) => {
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1, initialTokens: 0, maxQueue: 3, clock });
    return (options?: AcquireOptions) => bucket.acquire(options);
  },
  'a limit': (clock: ReturnType<typeof virtualClock>) => {
    const limit = concurrencyLimit({ maxConcurrent: 1, maxQueue: 3, clock });
    const held = limit.tryAcquire();
    const free = (): void => void clock.schedule(() => held?.release(), 1_000);
    free();
    return async (options?: AcquireOptions) => {
      const slot = await limit.acquire(options);
      clock.schedule(() => slot.release(), 1_000);
      return slot;
    };
  },
};

describe.each(Object.entries(makers))('%s', (_, make) => {
  /** The order in which requests are served that come 100 ms apart; a number is how long it has waited before. */
  async function orderOf(...requests: readonly (AcquireOptions | undefined)[]): Promise<number[]> {
    const clock = virtualClock();
    const acquire = make(clock);
    const order: number[] = [];
    const served = requests.map(async (options, index) => {
      await clock.sleep(index * 100);
      await acquire(options);
      order.push(index);
    });
    await clock.runUntilSettled(Promise.all(served), { ioMs: 0 });
    return order;
  }

  test.each<[string, readonly (AcquireOptions | undefined)[], number[]]>([
    ['goes before those that have come since', [undefined, undefined, { waitedMs: 5_000 }], [2, 0, 1]],
    ['goes behind those that came before it', [undefined, undefined, { waitedMs: 150 }], [0, 2, 1]],
    ['waits in turn without a place', [undefined, undefined, undefined], [0, 1, 2]],
    [
      'of two, the one that has waited longer goes first',
      [{ waitedMs: 50 }, { waitedMs: 900 }, undefined],
      [1, 0, 2],
    ],
    ['is not refused by a full queue', [undefined, undefined, undefined, { waitedMs: 5_000 }], [3, 0, 1, 2]],
  ])('a request that keeps its place %s', async (__, requests, order) => {
    expect(await orderOf(...requests)).toEqual(order);
  });

  test('says how long it has waited in all', async () => {
    const clock = virtualClock();
    const granted: Promise<{ readonly waitedMs: number }> = make(clock)({ waitedMs: 5_000 });
    expect((await clock.runUntilSettled(granted, { ioMs: 0 })).waitedMs).toBe(6_000);
  });

  test.each([-1, Number.NaN, '5'])('a wrong wait (%s) is an error', async (waitedMs) => {
    await expect(make(virtualClock())({ waitedMs } as never)).rejects.toThrow('acquire: waitedMs must be');
  });
});
