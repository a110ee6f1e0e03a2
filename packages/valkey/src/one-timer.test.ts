import type { Clock } from '@ebb/core';
import { mustHaveClock } from '@ebb/core/bucket';
import { virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oneTimer } from './one-timer.ts';

/** A wait, another that it begins when it ends, and when it is cancelled. */
const anyWait = fc.record({
  atMs: fc.nat(20),
  delayMs: fc.integer({ min: 1, max: 20 }),
  againMs: fc.nat(5),
  cancelAtMs: fc.integer({ min: 1, max: 60 }),
  inBackground: fc.boolean(),
});
type Wait = typeof anyWait extends fc.Arbitrary<infer W> ? W : never;

/** Which waits end, and when: those of each kind in their order. */
function play(waits: readonly Wait[], wrap: (clock: Clock) => Clock): [trace: unknown, mostTimers: number] {
  const base = virtualClock({ startMs: 0 });
  const clock = wrap(base);
  const trace: Record<string, string[]> = { true: [], false: [] };
  let mostTimers = 0;
  const cancels: (() => void)[] = [];
  for (let nowMs = 0; nowMs < 60; nowMs += 1) {
    for (const [name, { atMs, delayMs, againMs, cancelAtMs, inBackground }] of waits.entries()) {
      if (cancelAtMs === nowMs) cancels[name]?.();
      if (atMs !== nowMs) continue;
      const wake = (): void => {
        trace[`${inBackground}`]?.push(`${name} at ${base.elapsedMs}`);
        if (againMs > 0) cancels[name] = clock.schedule(() => wake(), againMs, inBackground);
      };
      cancels[name] = clock.schedule(wake, delayMs, inBackground);
    }
    mostTimers = Math.max(mostTimers, base.pending);
    base.tick(1);
  }
  for (const cancel of cancels) cancel?.();
  expect(base.pending).toBe(0);
  return [trace, mostTimers];
}

describe('waits that share a timer', () => {
  test('end as on the clock itself, and never hold more than one timer of each kind', () => {
    fc.assert(
      fc.property(fc.array(anyWait, { maxLength: 30, size: 'max' }), (waits) => {
        const [trace, timers] = play(waits, oneTimer);
        expect(trace).toEqual(play(waits, (clock) => clock)[0]);
        expect(timers).toBeLessThanOrEqual(2);
      }),
      { numRuns: 150 },
    );
  });

  test('go on after one of them has thrown', () => {
    const base = virtualClock({ startMs: 0 });
    const clock = oneTimer(base);
    const ended: number[] = [];
    clock.schedule(() => {
      throw new Error('broken');
    }, 5);
    clock.schedule(() => void ended.push(base.elapsedMs), 5);
    expect(() => base.tick(10)).toThrow('broken');
    base.tick(10);
    expect(ended).toEqual([5]);
  });

  test('end in time though the clock is set back', () => {
    const base = virtualClock({ startMs: 0 });
    let behindMs = 0;
    const clock = oneTimer({ now: () => base.now() - behindMs, schedule: base.schedule.bind(base) });
    const ended: number[] = [];
    for (const delayMs of [10, 20]) clock.schedule(() => void ended.push(base.elapsedMs), delayMs);
    base.tick(5);
    behindMs = 3_600_000;
    base.tick(30);
    expect(ended).toEqual([10, 20]);
  });

  test('end one by one on a clock that stands still', () => {
    const base = virtualClock({ startMs: 0 });
    const clock = oneTimer({ now: () => 0, schedule: base.schedule.bind(base) });
    let ended = 0;
    const again = (): void => {
      ended += 1;
      clock.schedule(again, 2);
    };
    clock.schedule(again, 10);
    base.tick(10);
    expect(ended).toBe(1);
    base.tick(10);
    expect(ended).toBe(6);
  });

  test('keep the process alive, or not, as they were asked to, and fit to limits with the clock itself', () => {
    const asked: unknown[] = [];
    const base: Clock = {
      now: () => 0,
      schedule: (_wake, ...kind) => {
        asked.push(kind);
        return () => undefined;
      },
    };
    const clock = oneTimer(base);
    clock.schedule(() => undefined, 7);
    clock.schedule(() => undefined, 8, true);
    clock.schedule(() => undefined, 9, false, true);
    expect(asked).toEqual([
      [7, false, false],
      [8, true, false],
      [9, false, true],
    ]);
    expect(() => mustHaveClock('a bucket', clock, { clock: base })).not.toThrow();
  });
});
