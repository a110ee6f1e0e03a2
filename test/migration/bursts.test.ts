import { describe, expect, test, vi } from 'vitest';
import { endOf, fakeTime, HOUR } from './fake-time.ts';
import { LIMITERS, type Take } from './limiters.ts';
import { tablesOf } from './page.ts';

fakeTime();

/** When each call of a burst after a lone call went, in milliseconds. */
async function timesOf(take: Take): Promise<number[]> {
  const start = performance.now();
  const times: number[] = [];
  const call = (): void => void take().then(() => times.push(performance.now() - start));
  call();
  await vi.advanceTimersByTimeAsync(950);
  for (let n = 0; n < 60; n += 1) call();
  await vi.advanceTimersByTimeAsync(14_000);
  expect(times).toHaveLength(61);
  return times;
}

/** The most calls within a window. */
function mostIn(windowMs: number, times: readonly number[]): number {
  // Half a millisecond less: timers fire at whole ones.
  return Math.max(
    ...times.map((start) => times.filter((at) => at >= start && at < start + windowMs - 0.5).length),
  );
}

/** The timers of a limiter that 10,000 calls wait for. */
async function waitingTimers(make: () => Take): Promise<number> {
  const before = vi.getTimerCount();
  const take = make();
  for (let n = 0; n < 10_000; n += 1) void take();
  await vi.advanceTimersByTimeAsync(60_000);
  return vi.getTimerCount() - before;
}

/** How long a call waits behind twenty others if the clock of the system is set back by an hour. */
async function waitAfterStepBack(take: Take): Promise<string> {
  for (let n = 0; n < 20; n += 1) void take();
  vi.setSystemTime(Date.now() - HOUR);
  const last = take();
  await vi.advanceTimersByTimeAsync(10_000);
  if ((await endOf(last)) !== 'pending') return 'no';
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(await endOf(last)).not.toBe('pending');
  return 'an hour';
}

/** Of each limiter: the most calls in a second, in 100 ms, the timers of 10,000 that wait, and the clock set back. */
const MEASURED: Readonly<Record<string, readonly [number, number, number, string]>> = {
  'ebb, defaults': [11, 2, 1, 'no'],
  'ebb, `capacity: 1`': [10, 1, 1, 'no'],
  'ebb, `capacity: 10`': [19, 10, 1, 'no'],
  'ebb, `capacity: 5`, 5 a second': [9, 5, 1, 'no'],
  'ebb, `refillIntervalMs: 1_000`': [19, 19, 1, 'no'],
  'bottleneck, `reservoir`': [19, 19, 1, 'an hour'],
  'bottleneck, `minTime`': [11, 2, 9_999, 'an hour'],
  'p-throttle': [19, 19, 9_990, 'an hour'],
  'p-throttle, `strict`': [10, 10, 9_990, 'an hour'],
  'p-queue': [19, 19, 1, 'no'],
  'p-queue, `strict`': [10, 10, 1, 'an hour'],
  'axios-rate-limit': [19, 19, 1, 'no'],
  'limiter, `RateLimiter`': [19, 10, 1, 'no'],
  'limiter, `TokenBucket`': [18, 9, 1, 'no'],
};

describe('bursts', () => {
  test('each limiter is measured', () => expect(Object.keys(MEASURED)).toEqual(Object.keys(LIMITERS)));

  test.each(Object.entries(MEASURED))('%s: %j', async (name, measured) => {
    const make = LIMITERS[name];
    if (make === undefined) throw new Error(`no limiter ${name}`);
    const times = await timesOf(make(1_000));
    const timers = await waitingTimers(() => make(1_000_000));
    const wait = await waitAfterStepBack(make(1_000));
    expect([mostIn(1_000, times), mostIn(100, times), timers, wait]).toEqual(measured);
  });
});

describe('the page says the same', () => {
  const [rows = []] = tablesOf('docs/coming-from-limiters.md', 'The defaults side by side');

  test.each(rows)('%s: at most %s in a second', (row = '', most = '') => {
    const [library = ''] = row.split(' ');
    // The first of its limiters: what a user gets without further options.
    const [, measured] = Object.entries(MEASURED).find(([name]) => name.split(',')[0] === library) ?? [];
    expect(most).toBe(String(measured?.[0]));
  });

  test('for each library', () => {
    const libraries = new Set(Object.keys(MEASURED).map((name) => name.split(',')[0]));
    expect(rows.map(([row = '']) => row.split(' ')[0])).toEqual([...libraries]);
  });
});
