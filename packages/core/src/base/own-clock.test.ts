import { describe, expect, test, vi } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { virtualClock } from '../testing.ts';
import { isSameClock, keepAlive, ownClock, systemClock, wallMs } from './clock.ts';
import { HookError } from './errors.ts';
import type { Clock } from './time.ts';

let copies = 0;

/** A copy of the module for each test: what it makes when it is loaded is made anew. */
function copyOfClock(): Promise<typeof import('./clock.ts')> {
  copies += 1;
  const copy = `./clock.ts?copy=${copies}`;
  return import(copy);
}

/** A clock of the user's own, which does what it is told. */
function clockThat(now: unknown = 5, cancel: unknown = () => undefined) {
  const told: unknown[][] = [];
  const clock = {
    now: () => now,
    schedule: (...wait: unknown[]) => {
      told.push(wait);
      return cancel;
    },
  } as Clock;
  return { clock, told };
}

const trap = throwing();

describe('a clock of the user', () => {
  test('is asked with all that it needs', () => {
    const cancel = (): void => undefined;
    const { clock, told } = clockThat(5, cancel);
    const wake = (): void => undefined;
    const own = ownClock(clock);
    expect([own.now(), own.schedule(wake, 7, true, false)]).toEqual([5, cancel]);
    expect(told).toEqual([[wake, 7, true, false]]);
  });

  test.each<[fault: string, clock: Clock, message: string]>([
    ['no number', clockThat(Number.NaN).clock, 'clock failed: now() must be a finite number, got NaN'],
    ['no end', clockThat(Infinity).clock, 'clock failed: now() must be a finite number, got Infinity'],
    ['a text', clockThat('5').clock, 'clock failed: now() must be a finite number, got "5"'],
    ['a date', clockThat(new Date(0)).clock, 'clock failed: now() must be a finite number, got an object'],
    [
      'no function that cancels',
      clockThat(5, 7).clock,
      'clock failed: schedule() must be a function that cancels the call, got 7',
    ],
    ['a throw', { ...clockThat().clock, now: trap }, 'clock failed: boom'],
  ])('with a fault is named: %s', async (_, clock, message) => {
    const { ownClock } = await copyOfClock();
    const use = (): void => {
      const own = ownClock(clock);
      own.now();
      own.schedule(() => undefined, 1);
    };
    expect(use).toThrow(HookError);
    expect(use).toThrow(message);
  });

  test('is not wrapped twice, nor is that of the system', () => {
    const own = ownClock(clockThat().clock);
    expect(own).not.toBeUndefined();
    expect(ownClock(own)).toBe(own);
    expect(ownClock(systemClock)).toBe(systemClock);
  });
});

test('two clocks are the same if they show the same time, also to another copy of the package', async () => {
  const other = await copyOfClock();
  const mine = virtualClock();
  const others = clockThat().clock;
  const rows: [one: Clock, other: Clock, isSame: boolean][] = [
    [mine, mine, true],
    [mine, virtualClock(), false],
    [ownClock(others), others, true],
    [others, ownClock(others), true],
    [ownClock(others), other.ownClock(others), true],
    [ownClock(others), ownClock(clockThat().clock), false],
    [systemClock, other.systemClock, true],
    [systemClock, others, false],
  ];
  expect(rows.map(([one, other]) => isSameClock(one, other))).toEqual(rows.map(([, , isSame]) => isSame));
});

test.each([5, undefined, { now: () => 5 }, { schedule: () => () => undefined }])(
  '%o is no clock',
  async (value) => {
    const { CLOCK_OPTION, RANDOM_OPTION, systemClock } = await copyOfClock();
    expect(() => CLOCK_OPTION.check('f: clock', value)).toThrow('f: clock must be a clock, got ');
    expect(() => CLOCK_OPTION.check('f: clock', virtualClock())).not.toThrow();
    expect(() => RANDOM_OPTION.check('f: random', value)).toThrow('f: random must be a function, got ');
    expect([CLOCK_OPTION.default, RANDOM_OPTION.default]).toEqual([systemClock, Math.random]);
  },
);

test('the clock of the system has a mark that all versions of the package know', async () => {
  expect(Reflect.get((await copyOfClock()).systemClock, Symbol.for('@ebb/core clock'))).toBe('system');
});

test('a promise keeps the process alive until it settles', async () => {
  vi.useFakeTimers();
  try {
    expect(wallMs()).toBe(Date.now());
    const kept = keepAlive(Promise.resolve(5));
    expect(vi.getTimerCount()).toBe(1);
    expect(await kept).toBe(5);
    expect(vi.getTimerCount()).toBe(0);
    await expect(keepAlive(Promise.reject(new Error('boom')))).rejects.toThrow('boom');
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
