import type { Costs, Grant } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { Tally } from './tally.ts';

type Said = number | Costs | undefined;

/** The tally of an attempt that took 7, and what happens to its tokens. */
function setUp() {
  const clock = virtualClock({ startMs: 0 });
  const settled: unknown[] = [];
  const grant: Grant = {
    cost: 7,
    waitedMs: 0,
    grantedAtMs: 0,
    conforming: true,
    settle: (actual) => void settled.push(actual),
  };
  const tally = new Tally(grant, () => undefined, undefined);
  return { clock, settled, tally };
}

describe('what is settled at the end', () => {
  test.each<[story: string, said: Said[], settled: unknown]>([
    ['what was said', [5], 5],
    ['what was taken, if nothing was said', [], 7],
    ['also if nothing was said in so many answers', [undefined, null as never], 7],
    ['nothing at all', [0], 0],
    ['the last number', [5, 3], 3],
    [
      'each unit as it was said last',
      [
        { a: 1, b: 1 },
        { b: 2, c: 3 },
      ],
      { a: 1, b: 2, c: 3 },
    ],
    ['units after a number', [5, { a: 1 }], { a: 1 }],
    ['a number after units', [{ a: 1 }, 5], 5],
    ['what was said before nothing', [5, undefined], 5],
  ])('%s', async (_, said, expected) => {
    const now = setUp();
    for (const one of said) expect(now.tally.add(() => one)).toBeUndefined();
    expect(now.tally.end(now.clock, 1_000)).toBeUndefined();
    expect(now.tally.end(now.clock, 1_000)).toBeUndefined();
    expect(now.settled).toEqual([expected]);
    const later = setUp();
    for (const one of said) void later.tally.add(async () => one);
    const ended = later.tally.end(later.clock, 1_000);
    expect(later.settled).toEqual(said.length === 0 ? [expected] : []);
    await ended;
    expect(later.settled).toEqual([expected]);
    await nextTurn();
    await nextTurn();
    expect([now.clock.pending, later.clock.pending]).toEqual([0, 0]);
  });

  test('answers count in the order of their events, whenever they come', async () => {
    const { tally, settled, clock } = setUp();
    let answer = (_: number): void => undefined;
    void tally.add(
      () =>
        new Promise<number>((resolve) => {
          answer = resolve;
        }),
    );
    // One that is there at once waits as well.
    void tally.add(() => 2);
    const ended = tally.end(clock, 1_000);
    expect(tally.end(clock, 1_000)).toBe(ended);
    answer(1);
    await ended;
    expect(settled).toEqual([2]);
  });
});

describe('an answer that takes long', () => {
  test('is waited for so long, without keeping the process alive', async () => {
    const { tally, settled, clock } = setUp();
    const schedule = vi.spyOn(clock, 'schedule');
    let answer = (_: number): void => undefined;
    void tally.add(() => 5);
    void tally.add(
      () =>
        new Promise<number>((resolve) => {
          answer = resolve;
        }),
    );
    const ended = tally.end(clock, 1_000);
    await nextTurn();
    await nextTurn();
    expect(schedule.mock.calls).toEqual([[expect.any(Function), 1_000, true]]);
    clock.tick(999);
    expect(settled).toEqual([]);
    clock.tick(1);
    expect(settled).toEqual([5]);
    answer(3);
    await ended;
    expect(settled).toEqual([5]);
  });

  test('leaves no timer when it comes', async () => {
    const { tally, settled, clock } = setUp();
    void tally.add(() => clock.sleep(500).then(() => 3));
    const ended = tally.end(clock, 1_000);
    await nextTurn();
    await nextTurn();
    await clock.advance(500);
    await ended;
    expect([settled, clock.pending]).toEqual([[3], 0]);
  });
});
