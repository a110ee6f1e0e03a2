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

describe('the table of bursts', () => {
  const [rows = []] = tablesOf('docs/coming-from-limiters.md', 'Ten calls a second');
  test('has each limiter', () => expect(rows.map(([name]) => name)).toEqual(Object.keys(LIMITERS)));

  test.each(rows)('%s: at most %s in a second, %s in 100 ms; %s timers; clock: %s', async (...row) => {
    const [name = ''] = row;
    const make = LIMITERS[name];
    if (make === undefined) throw new Error(`no limiter ${name}`);
    const times = await timesOf(make(1_000));
    const bursts = [mostIn(1_000, times), mostIn(100, times)].map(String);
    const timers = await waitingTimers(() => make(1_000_000));
    const wait = await waitAfterStepBack(make(1_000));
    expect([name, ...bursts, timers.toLocaleString('en'), wait]).toEqual(row);
  });
});
