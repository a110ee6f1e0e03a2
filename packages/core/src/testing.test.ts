import { afterEach, describe, expect, test, vi } from 'vitest';
import { nextTurn } from './base/clock.ts';
import { seededRandom, type VirtualClock, virtualClock } from './testing.ts';

describe('the virtual clock', () => {
  test('starts at the first day of 2026, or at another time', () => {
    expect(virtualClock().now()).toBe(Date.UTC(2026, 0, 1));
    const clock = virtualClock({ startMs: 5 });
    expect([clock.now(), clock.elapsedMs, clock.pending, clock.nextAtMs]).toEqual([5, 0, 0, undefined]);
    clock.tick(7);
    expect([clock.now(), clock.elapsedMs]).toEqual([12, 7]);
  });

  test.each(['advance', 'tick'] as const)(
    'moves by %s with the calls that come due, and never back',
    async (how) => {
      const clock = virtualClock({ startMs: 0 });
      const seen: number[] = [];
      const note = (): void => void seen.push(clock.now());
      clock.schedule(note, -5);
      clock.schedule(() => {
        note();
        // Within the same move.
        clock.schedule(note, 5);
      }, 5);
      clock.schedule(note, 11);
      await clock[how](10);
      expect([seen, clock.now(), clock.pending, clock.nextAtMs]).toEqual([[0, 5, 10], 10, 1, 11]);
      await clock[how](-5);
      expect([clock.now(), clock.pending]).toEqual([10, 1]);
      await clock[how](1);
      expect([seen.at(-1), clock.pending]).toEqual([11, 0]);
    },
  );

  test.each(['advance', 'tick'] as const)(
    'a call that moves the clock within %s moves it further',
    async (how) => {
      const clock = virtualClock({ startMs: 0 });
      const late = vi.fn(() => clock.now());
      clock.schedule(() => clock.tick(100), 10);
      clock.schedule(late, 20);
      await clock[how](50);
      expect([clock.now(), late.mock.results]).toMatchObject([110, [{ value: 20 }]]);
    },
  );

  test('gives what is under way two turns of the event loop, before it advances and after each call', async () => {
    const clock = virtualClock({ startMs: 0 });
    const seen: number[] = [];
    const twoTurns = async (delayMs: number): Promise<void> => {
      await nextTurn();
      await nextTurn();
      clock.schedule(() => {
        seen.push(clock.now());
        if (clock.now() < 15) void twoTurns(5);
      }, delayMs);
    };
    void twoTurns(5);
    await clock.advance(20);
    expect([seen, clock.now()]).toEqual([[5, 10, 15], 20]);
  });

  test('makes calls in order of time, then of scheduling', () => {
    const clock = virtualClock({ startMs: 100 });
    const seen: [string, number][] = [];
    const note = (name: string) => () => void seen.push([name, clock.now()]);
    clock.schedule(note('c'), 20);
    clock.schedule(note('a'), 10);
    clock.schedule(note('b'), 10);
    clock.schedule(note('never'), 15)();
    for (let which = 0; which < 20; which += 1) clock.schedule(note(`${which}`), 12);
    expect([clock.pending, clock.nextAtMs]).toEqual([23, 110]);
    clock.tick(20);
    const together = Array.from({ length: 20 }, (_, which) => [`${which}`, 112]);
    expect(seen).toEqual([['a', 110], ['b', 110], ...together, ['c', 120]]);
    expect([clock.now(), clock.pending, clock.nextAtMs]).toEqual([120, 0, undefined]);
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

/** A new copy of the module, and the real timers that it has set and cleared. */
let copies = 0;

async function load() {
  const timers: { readonly delayMs: number | undefined; readonly fire: () => void; isCleared: boolean }[] =
    [];
  vi.stubGlobal('setTimeout', (fire: () => void, delayMs?: number) => {
    const timer = { delayMs, fire, isCleared: false };
    timers.push(timer);
    return timer;
  });
  vi.stubGlobal('clearTimeout', (timer: { isCleared: boolean }) => {
    timer.isCleared = true;
  });
  copies += 1;
  const copy = `./testing.ts?copy=${copies}`;
  const loaded = (await import(copy)) as typeof import('./testing.ts');
  vi.unstubAllGlobals();
  return { timers, clock: loaded.virtualClock({ startMs: 1_000 }) };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

describe('the real time of runUntilSettled', () => {
  afterEach(() => void vi.unstubAllGlobals());

  test('is bounded by four seconds, and its timer does not outlive the promise', async () => {
    const { clock, timers } = await load();
    await clock.runUntilSettled(clock.sleep(1_000));
    expect(timers).toMatchObject([{ delayMs: 4_000, isCleared: true }]);
  });

  test.each<[what: string, delayMs: number, ioMs: number | undefined, pauseMs: number | undefined]>([
    ['a quarter of a second', 10_000, undefined, 250],
    ['as much as the timer leaves', 30, undefined, 30],
    ['as much as is asked for', 10_000, 500, 500],
    ['none', 10_000, 0, undefined],
    ['none, if the timer is due', 0, undefined, undefined],
  ])('gives %s to a response whose guard is due in %i ms', async (_, delayMs, ioMs, pauseMs) => {
    const { clock, timers } = await load();
    const { promise, resolve } = Promise.withResolvers<string>();
    clock.schedule(() => resolve('late'), delayMs);
    const settled = clock.runUntilSettled(promise, { ioMs });
    await turns(3);
    const [, pause] = timers;
    expect(pause?.delayMs).toBe(pauseMs);
    if (pause) {
      await turns(40);
      expect(clock.elapsedMs).toBe(0);
      pause.fire();
    }
    expect(await settled).toBe('late');
    expect([clock.elapsedMs, timers.every(({ isCleared }) => isCleared)]).toEqual([delayMs, true]);
  });

  test.each<[what: string, prepare: (clock: VirtualClock) => unknown, told: string]>([
    [
      'nothing waits',
      () => undefined,
      '0 fired in its 20 ms, no timer is pending. Nothing waits on this clock: ',
    ],
    [
      'a timer is pending',
      (clock) => clock.schedule(() => undefined, 500),
      '0 fired in its 20 ms, 1 pending, the next in 500 ms',
    ],
  ])('that is over ends in an error which tells what has happened since: %s', async (_, prepare, told) => {
    const { clock, timers } = await load();
    await clock.runUntilSettled(clock.sleep(20));
    prepare(clock);
    const settled = clock.runUntilSettled(new Promise(() => undefined));
    await turns(3);
    timers.findLast(({ delayMs }) => delayMs === 4_000)?.fire();
    await expect(settled).rejects.toThrow(
      `runUntilSettled: the promise did not settle within 4000 ms of real time. Timers of the clock: ${told}`,
    );
    expect(clock.elapsedMs).toBe(20);
  });

  test('is given back by a response that cancels its guard', async () => {
    const { clock, timers } = await load();
    const cancel = clock.schedule(() => undefined, 10_000);
    const settled = clock.runUntilSettled(clock.sleep(20_000));
    await turns(3);
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([4_000, 250]);
    cancel();
    await settled;
    expect([clock.elapsedMs, timers.map(({ isCleared }) => isCleared)]).toEqual([20_000, [true, true]]);
  });

  test('is that of one timer for two promises', async () => {
    const { clock, timers } = await load();
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.schedule(resolve, 10_000);
    const both = [clock.runUntilSettled(promise), clock.runUntilSettled(promise)];
    await turns(3);
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([4_000, 4_000, 250]);
    timers[2]?.fire();
    await Promise.all(both);
    expect(clock.elapsedMs).toBe(10_000);
  });
});

test('runUntilSettled gives a server in the same process twelve turns before a wait ends', async () => {
  for (const [count, endsAtMs] of [
    [11, 5],
    [20, 10],
  ] as const) {
    const clock = virtualClock({ startMs: 0 });
    const { promise, resolve } = Promise.withResolvers<number>();
    const end = (): void => resolve(clock.now());
    void clock.sleep(10).then(end);
    const settled = clock.runUntilSettled(promise);
    void turns(count).then(() => clock.sleep(5).then(end));
    expect(await settled).toBe(endsAtMs);
  }
});

test('a clock does not move for a promise that has settled while its server had turns', async () => {
  const clock = virtualClock({ startMs: 0 });
  const wake = vi.fn();
  clock.schedule(wake, 10, false, true);
  await clock.runUntilSettled(turns(5));
  await turns(40);
  expect([clock.now(), wake.mock.calls.length]).toEqual([0, 0]);
});
