import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { seededRandom, virtualClock } from '../testing.ts';
import { nextTurn, systemClock } from './clock.ts';
import { sleep } from './sleep.ts';

/** False in the tests of the entry for browsers, where nothing is faster than a timer. */
const isNode = process.env.EBB_PLATFORM !== 'web';

describe('the system clock, with fake timers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('waits longer than a timer can', () => {
    const wake = vi.fn();
    const days = 86_400_000;
    systemClock.schedule(wake, 60 * days);
    vi.advanceTimersByTime(60 * days - 1);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledOnce();
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

  test('a cancelled call is not made', () => {
    const wake = vi.fn();
    systemClock.schedule(wake, 10)();
    vi.advanceTimersByTime(100);
    expect(wake).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a delay that is far below a millisecond', () => {
  test.runIf(isNode)('takes a turn of the event loop, and no timer', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const wake = vi.fn();
    systemClock.schedule(wake, 0.001);
    expect(wake).not.toHaveBeenCalled();
    await nextTurn();
    await nextTurn();
    expect(wake).toHaveBeenCalledOnce();
    expect(timers).not.toHaveBeenCalled();
    timers.mockRestore();
  });

  test.each([0])('can be cancelled after %i turns', async (turns) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const wake = vi.fn();
    const cancel = systemClock.schedule(wake, 0.001);
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    cancel();
    await nextTurn();
    vi.advanceTimersByTime(10);
    expect(wake).not.toHaveBeenCalled();
    vi.useRealTimers();
  });
});

describe('sleep', () => {
  test.each([new Error('enough'), 'a string', null, 0])(
    'an abort with %j rejects at once with that reason',
    async (reason) => {
      const clock = virtualClock({ startMs: 0 });
      const controller = new AbortController();
      const slept = sleep(clock, 1_000, controller.signal);
      controller.abort(reason);
      await expect(slept.catch((error: unknown) => ({ error }))).resolves.toEqual({ error: reason });
      expect(clock.pending).toBe(0);
    },
  );

  test('with an aborted signal rejects at once', async () => {
    const clock = virtualClock({ startMs: 0 });
    await expect(sleep(clock, 1_000, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(clock.pending).toBe(0);
  });

  test('leaves no listener on the signal', async () => {
    const clock = virtualClock({ startMs: 0 });
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    const slept = sleep(clock, 1_000, signal);
    await clock.advance(1_000);
    await slept;
    expect(remove.mock.calls[0]?.[1]).toBe(add.mock.calls[0]?.[1]);
    expect(add).toHaveBeenCalledOnce();
    expect(remove).toHaveBeenCalledOnce();
  });
});

describe('the virtual clock', () => {
  test('makes calls in order of time, then of scheduling', () => {
    const clock = virtualClock({ startMs: 100 });
    const seen: [string, number][] = [];
    const note = (name: string) => () => void seen.push([name, clock.now()]);
    clock.schedule(note('c'), 20);
    clock.schedule(note('a'), 10);
    clock.schedule(note('b'), 10);
    clock.schedule(note('never'), 15)();
    expect(clock.pending).toBe(3);
    expect(clock.nextAtMs).toBe(110);
    clock.tick(20);
    expect(seen).toEqual([
      ['a', 110],
      ['b', 110],
      ['c', 120],
    ]);
    expect(clock.now()).toBe(120);
    expect(clock.pending).toBe(0);
  });

  test('calls that are due at the same time are made in the order of scheduling', () => {
    const clock = virtualClock({ startMs: 0 });
    expect(clock.nextAtMs).toBeUndefined();
    const seen: number[] = [];
    for (let which = 0; which < 20; which += 1) clock.schedule(() => seen.push(which), 10);
    expect(clock.nextAtMs).toBe(10);
    clock.tick(10);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, which) => which));
    expect(clock.nextAtMs).toBeUndefined();
  });

  test('a sleep that starts when another ends is in time', async () => {
    const clock = virtualClock({ startMs: 0 });
    const seen: number[] = [];
    const twice = async () => {
      await sleep(clock, 10);
      seen.push(clock.now());
      await sleep(clock, 10);
      seen.push(clock.now());
    };
    const done = twice();
    await clock.advance(20);
    await done;
    expect(seen).toEqual([10, 20]);
  });
});

test('seeded randomness is the same for the same seed, within [0, 1), and uniform', () => {
  const draw = (seed: number) => Array.from({ length: 10_000 }, seededRandom(seed));
  const numbers = draw(1);
  expect(numbers).toEqual(draw(1));
  expect(numbers).not.toEqual(draw(2));
  // The published numbers of Mulberry32.
  expect(numbers.slice(0, 3).map((number) => number * 2 ** 32)).toEqual([
    2_693_262_067, 11_749_833, 2_265_367_787,
  ]);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  const tenths = Array.from({ length: 10 }, (_, k) => numbers.filter((n) => Math.floor(n * 10) === k).length);
  for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
