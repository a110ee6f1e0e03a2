import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { inNextTurn, ownClock, systemClock } from './plain-clock.ts';
import { systemClock as other } from './system-clock.ts';

afterEach(() => vi.restoreAllMocks());

test('goes on as the clock of other builds does', async () => {
  const begunMs = [systemClock.now(), other.now()] as const;
  await new Promise((resolve) => setTimeout(resolve, 5));
  const [own, others] = [systemClock.now() - begunMs[0], other.now() - begunMs[1]];
  expect(Math.abs(own - others)).toBeLessThan(1_000);
});

test('wakes once, and never early', async () => {
  const startMs = systemClock.now();
  const wokenMs = await new Promise<number>((resolve) => {
    systemClock.schedule(() => resolve(systemClock.now()), 5.5);
  });
  expect(wokenMs - startMs).toBeGreaterThanOrEqual(5.5);
});

test('a timer that fires early is set again', async () => {
  const set = setTimeout;
  const delays: number[] = [];
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((call: () => void, delayMs: number) => {
    delays.push(delayMs);
    return set(call, delays.length === 1 ? 0 : delayMs);
  }) as never);
  await new Promise<void>((resolve) => systemClock.schedule(resolve, 20));
  expect(delays.length).toBeGreaterThan(1);
});

test('does not wake when it was cancelled, nor at once for a wait of months', async () => {
  const wake = vi.fn();
  systemClock.schedule(wake, 1)();
  const cancel = systemClock.schedule(wake, 2 ** 33);
  const cancelEndless = systemClock.schedule(wake, Number.POSITIVE_INFINITY);
  await pass(10);
  cancel();
  cancelEndless();
  expect(wake).not.toHaveBeenCalled();
});

test('a turn is one of the event loop', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    inNextTurn(() => {
      order.push('turn');
      resolve();
    });
    queueMicrotask(() => order.push('microtask'));
  });
  expect(order).toEqual(['microtask', 'turn']);
});

test('a clock of the user is taken as it is', () => {
  const clock = { now: () => Number.NaN, schedule: () => () => undefined };
  expect(ownClock(clock)).toBe(clock);
});
