import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nextTurn, systemClock } from './clock.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('a wall clock that is set', () => {
  test('back counts as no time, and time goes on from there', () => {
    const beforeMs = systemClock.now();
    vi.setSystemTime(Date.now() - HOUR_MS);
    expect(systemClock.now()).toBe(beforeMs);
    vi.advanceTimersByTime(250);
    expect(systemClock.now()).toBe(beforeMs + 250);
  });

  test('forward counts as time that has passed', () => {
    const beforeMs = systemClock.now();
    vi.setSystemTime(Date.now() + HOUR_MS);
    expect(systemClock.now()).toBe(beforeMs + HOUR_MS);
  });

  test('while a timer is set gives no timer a delay below nothing', () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    const { now } = Date;
    let steps = 0;
    vi.stubGlobal('Date', { now: () => now() + 40 * steps++ });
    systemClock.schedule(() => undefined, 10)();
    expect(setTimer.mock.lastCall?.[1]).toBeGreaterThanOrEqual(0);
  });

  test.each([-HOUR_MS, HOUR_MS])('by %d ms while a timer runs: it fires', async (stepMs) => {
    const wake = vi.fn();
    systemClock.schedule(wake, 1_000);
    vi.setSystemTime(Date.now() + stepMs);
    await vi.advanceTimersByTimeAsync(2_100);
    expect(wake).toHaveBeenCalledOnce();
  });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, '1700000000000', 5n, new Date(), null, undefined])(
  'a `Date.now` that returns %s is an error that names the clock, and time goes on after it',
  (wrong) => {
    const beforeMs = systemClock.now();
    vi.spyOn(Date, 'now').mockReturnValue(wrong as number);
    const message = 'the clock of the system: Date.now() must be a finite number';
    expect(() => systemClock.now()).toThrow(message);
    expect(() => systemClock.schedule(() => undefined, 10)).toThrow(message);
    vi.mocked(Date.now).mockRestore();
    vi.advanceTimersByTime(250);
    expect(systemClock.now()).toBe(beforeMs + 250);
    expect(vi.getTimerCount()).toBe(0);
  },
);

test.each<[what: string, process: object | undefined]>([
  ['no process', undefined],
  ['no modules', {}],
  ['no such module', { getBuiltinModule: () => undefined }],
  ['no scheduler', { getBuiltinModule: () => ({}) }],
  ['a scheduler without turns', { getBuiltinModule: () => ({ scheduler: {} }) }],
])('a runtime with %s has a turn of a timer', async (_, process) => {
  vi.stubGlobal('process', process);
  const turn = nextTurn();
  vi.unstubAllGlobals();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(0);
  await turn;
});
