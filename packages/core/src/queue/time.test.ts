import { describe, expect, test } from 'vitest';
import type { Clock } from '../base/time.ts';
import { SteadyTime, Timer } from './time.ts';

/** A clock that is set by hand, and what is scheduled with it. */
function setUp() {
  const told: string[] = [];
  const wakes: (() => void)[] = [];
  const clock: Clock & { nowMs: number } = {
    nowMs: 1_000,
    now: () => clock.nowMs,
    schedule: (wake, delayMs, inBackground, isWait) => {
      wakes.push(wake);
      told.push(`in ${delayMs}${inBackground ? ' in the background' : ''}${isWait ? ' as a wait' : ''}`);
      return () => void told.push(`not in ${delayMs}`);
    },
  };
  return { clock, told, wakes, time: new SteadyTime(clock) };
}

test('time starts at 0, and stands while the clock is set back', () => {
  const { clock, time } = setUp();
  const seen = [1_000, 1_500, 1_400, 1_400, 1_600, 600, 700].map((nowMs) => {
    clock.nowMs = nowMs;
    return time.now();
  });
  expect(seen).toEqual([0, 500, 500, 500, 700, 700, 800]);
});

describe('a timer', () => {
  test.each<[story: string, sets: string, told: string[]]>([
    ['is set', '100 at 40', ['in 60']],
    ['is kept for the same time, and a later one', '100 at 0, 100 at 10, 150 at 20', ['in 100']],
    ['is set to an earlier one', '100 at 0, 50 at 10', ['in 100', 'not in 100', 'in 40']],
    ['is not set for less than a clock can measure', '100 at 100', ['in 0.001']],
    ['nor for a time that has passed', '100 at 200', ['in 0.001']],
    ['is stopped', '100 at 0, Infinity at 0', ['in 100', 'not in 100']],
    ['once', '100 at 0, Infinity at 0, Infinity at 0', ['in 100', 'not in 100']],
    ['and set again, later', '100 at 0, Infinity at 0, 200 at 0', ['in 100', 'not in 100', 'in 200']],
    ['is not set for ever', 'Infinity at 0', []],
  ])('%s', (_, sets, told) => {
    const set = setUp();
    const timer = new Timer(set.time, () => undefined);
    for (const one of sets.split(', ')) {
      const [atMs = 0, nowMs = 0] = one.split(' at ').map(Number);
      timer.set(atMs, nowMs);
    }
    expect(set.told).toEqual(told);
  });

  test('that has fired can be set to a later time', () => {
    const { told, time, wakes } = setUp();
    const timer = new Timer(time, () => {
      told.push('due');
      timer.set(200, 100);
    });
    timer.set(100, 0);
    wakes[0]?.();
    expect(told.filter((line) => line !== 'not in 100')).toEqual(['in 100', 'due', 'in 100']);
  });
});
