import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { keepAlive, nextTurn, systemClock } from './clock.ts';
import { sleep } from './signals.ts';

describe('the system clock, with fake timers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('waits longer than a timer can', () => {
    const wake = vi.fn();
    const days = 86_400_000;
    const startMs = Date.now();
    systemClock.schedule(wake, 60 * days);
    vi.advanceTimersToNextTimer();
    expect(Date.now() - startMs).toBe(2 ** 31 - 1);
    vi.advanceTimersByTime(60 * days - 2 ** 31);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('waits for ever, and not for a time that is no number', () => {
    const wake = vi.fn();
    const cancel = systemClock.schedule(wake, Number.POSITIVE_INFINITY);
    const message = 'the clock of the system: delayMs must be a finite number, got NaN';
    expect(() => systemClock.schedule(wake, Number.NaN)).toThrow(message);
    vi.advanceTimersByTime(2 ** 33);
    expect(wake).not.toHaveBeenCalled();
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a timer that fires early ends its wait, and the clock shows that time then', () => {
    const begunMs = systemClock.now();
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 9.4);
    const wake = vi.fn();
    systemClock.schedule(wake, 10);
    vi.advanceTimersByTime(10);
    expect(wake).toHaveBeenCalledOnce();
    expect(systemClock.now()).toBeCloseTo(begunMs + 19.4, 6);
    vi.mocked(Date.now).mockRestore();
  });
});

describe('in real time', () => {
  test('a turn does not wait for fake timers', async () => {
    vi.useFakeTimers();
    await nextTurn();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

describe('a stub of `setTimeout` that calls back at once', () => {
  beforeEach(() => {
    vi.stubGlobal('setTimeout', (call: () => void) => void call());
  });

  afterEach(() => void vi.unstubAllGlobals());

  test('ends a wait, and moves the clock by it', async () => {
    const beforeMs = systemClock.now();
    await sleep(systemClock, 60_000);
    expect(systemClock.now() - beforeMs).toBeGreaterThanOrEqual(60_000);
  });

  test('ends a timeout in another turn, unless it was cancelled', async () => {
    const timeout = vi.fn();
    const cancelled = vi.fn();
    systemClock.schedule(timeout, 60_000);
    systemClock.schedule(cancelled, 60_000)();
    expect(timeout).not.toHaveBeenCalled();
    await nextTurn();
    await nextTurn();
    expect([timeout.mock.calls.length, cancelled.mock.calls.length]).toEqual([1, 0]);
  });
});

test('a timer is cleared by the function that belongs to it, also under fakes that have come since', async () => {
  const timersOfNode = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timersOfNode();
  const cancel = systemClock.schedule(() => undefined, 100_000);
  mock.timers.enable();
  onTestFinished(() => mock.timers.reset());
  await keepAlive(Promise.resolve());
  cancel();
  expect(timersOfNode()).toBe(before);
});
