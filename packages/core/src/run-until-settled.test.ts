import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { throwing } from '../test/throwing.ts';
import { nextTurn } from './base/clock.ts';
import { sleep } from './base/signals.ts';
import { tokenBucket } from './limits/bucket/token-bucket.ts';
import { virtualClock } from './testing.ts';

/** For tests in which nothing is real: less real time until the error. */
const SOON = { realTimeoutMs: 250, ioMs: 0 };

describe('runUntilSettled', () => {
  test('moves the clock from timer to timer, and no further than the promise needs', async () => {
    const clock = virtualClock({ startMs: 0 });
    const later = vi.fn();
    clock.schedule(later, 86_400_001);
    const call = async () => {
      await sleep(clock, 1_000);
      await nextTurn();
      await sleep(clock, 86_399_000);
      return clock.now();
    };
    expect(await clock.runUntilSettled(call())).toBe(86_400_000);
    await nextTurn();
    expect(clock.now()).toBe(86_400_000);
    expect(clock.pending).toBe(1);
    expect(later).not.toHaveBeenCalled();
  });

  test.each([
    ['a promise that has resolved', Promise.resolve(1)],
    ['a value', 1],
    ['a thenable', { then: (resolve: (value: number) => void) => resolve(1) } as PromiseLike<number>],
  ])('does not move the clock for %s', async (_, settled) => {
    const clock = virtualClock({ startMs: 0 });
    clock.schedule(() => undefined, 0);
    expect(await clock.runUntilSettled(settled)).toBe(1);
    expect(clock.pending).toBe(1);
  });

  test('rejects with what a scheduled call throws, and the rest stays', async () => {
    const clock = virtualClock({ startMs: 0 });
    const slept = sleep(clock, 20);
    clock.schedule(throwing(new Error('from a timer')), 10);
    await expect(clock.runUntilSettled(slept)).rejects.toThrow('from a timer');
    expect(clock.now()).toBe(10);
    await clock.runUntilSettled(slept);
    expect(clock.now()).toBe(20);
  });

  test('moves through the waits of ebb at once, and through its own sleeps', async () => {
    const clock = virtualClock({ startMs: 0 });
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1, clock });
    const call = async () => {
      for (let times = 0; times < 100; times += 1) {
        await bucket.acquire();
        await clock.sleep(500);
      }
    };
    await clock.runUntilSettled(call(), { ioMs: 3_600_000 });
    expect(clock.now()).toBe(99_500);
  });

  test('a timer that was cancelled meanwhile is not called, and one that is due earlier goes first', async () => {
    const clock = virtualClock({ startMs: 0 });
    const cancelled = vi.fn();
    const cancel = clock.schedule(cancelled, 10);
    const order: number[] = [];
    const slept = sleep(clock, 1_000).then(() => order.push(clock.now()));
    const settled = clock.runUntilSettled(slept);
    await nextTurn();
    await nextTurn();
    cancel();
    void sleep(clock, 5).then(() => order.push(clock.now()));
    await settled;
    expect(order).toEqual([5, 1_000]);
    expect(cancelled).not.toHaveBeenCalled();
  });

  test('goes on when a timer is scheduled after a while without any', async () => {
    const clock = virtualClock({ startMs: 0 });
    const started = Promise.withResolvers<void>();
    const settled = clock.runUntilSettled(started.promise.then(() => sleep(clock, 10)));
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    started.resolve();
    await settled;
    expect(clock.now()).toBe(10);
  });
});

describe('a promise that does not settle ends in an error', () => {
  test('if a timer is due at Infinity, and the clock stays usable', async () => {
    const clock = virtualClock({ startMs: 0 });
    const slept = sleep(clock, Number.POSITIVE_INFINITY);
    await expect(clock.runUntilSettled(slept, SOON)).rejects.toThrow(
      '0 fired in its 0 ms, 1 pending, the next in Infinity ms',
    );
    await clock.runUntilSettled(sleep(clock, 10));
    expect(clock.now()).toBe(10);
  });

  test('if timers are scheduled without end', async () => {
    const clock = virtualClock({ startMs: 0 });
    const again = (): void => void clock.schedule(again, 1_000);
    again();
    await expect(clock.runUntilSettled(new Promise(() => undefined), SOON)).rejects.toThrow(
      /clock: [1-9]\d* fired in its [1-9]\d* ms, 1 pending, the next in 1000 ms/,
    );
  });

  test.each([{ realTimeoutMs: 0 }, { realTimeoutMs: Number.NaN }, { ioMs: -1 }, { ms: 5 } as object])(
    'unlike the options %j, which are an error of their own',
    async (options) => {
      await expect(virtualClock({ startMs: 0 }).runUntilSettled(1, options)).rejects.toThrow(
        /^runUntilSettled(: | has no option)/,
      );
    },
  );
});

describe('beside real sockets', () => {
  test('a timer that guards a request does not fire before the response', async () => {
    const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const clock = virtualClock({ startMs: 0 });
    const tooLate = vi.fn();
    const call = async () => {
      for (let times = 0; times < 5; times += 1) {
        const cancel = clock.schedule(tooLate, 100_000);
        const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
        expect(await response.text()).toBe('ok');
        cancel();
        await sleep(clock, 100);
      }
    };
    // A response ends the time that it got.
    await clock.runUntilSettled(call(), { ioMs: 3_600_000, realTimeoutMs: 50_000 });
    expect([clock.now(), tooLate.mock.calls.length]).toEqual([500, 0]);
    server.closeAllConnections();
    server.close();
  });
});

describe('beside fake timers', () => {
  afterEach(() => void vi.useRealTimers());

  test('virtual time runs, and the bound of real time is real', async () => {
    vi.useFakeTimers();
    const clock = virtualClock({ startMs: 0 });
    await clock.advance(10);
    await clock.runUntilSettled(sleep(clock, 1_000).then(nextTurn));
    expect([clock.now(), vi.getTimerCount()]).toEqual([1_010, 0]);
    const faked = new Promise((resolve) => setTimeout(resolve, 1_000));
    await expect(clock.runUntilSettled(faked, SOON)).rejects.toThrow('did not settle');
  });
});
