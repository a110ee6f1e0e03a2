import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { OriginLevel, PausedOrigins } from './paused-origins.ts';

const SETUP = { refillPerSecond: 10, capacity: 1, initialTokens: 1 };

function setUp() {
  const origins = new PausedOrigins();
  const find = (host: number, nowMs = 0) => origins.find(`https://h${host}.test`, nowMs);
  const level = (host: number, nowMs: number): OriginLevel =>
    find(host, nowMs) ?? origins.add(`https://h${host}.test`, new OriginLevel(SETUP, 0, nowMs), nowMs);
  const pause = (host: number, ms: number, nowMs = 0): void => level(host, nowMs).pause(nowMs + ms, nowMs);
  return { origins, pause, find };
}

describe('many origins that ask for a pause', () => {
  test('are at most so many, and the pause that was asked for first goes', () => {
    const { origins, pause, find } = setUp();
    for (let host = 0; host < 5_000; host += 1) pause(host, 60_000 + host);
    expect(origins.open(0)).toHaveLength(1_000);
    expect(find(3_999)).toBeUndefined();
    expect(find(4_000)).toBeDefined();
  });

  test('that requests wait for stay', () => {
    const { origins, pause, find } = setUp();
    for (let host = 0; host < 2_000; host += 1) {
      pause(host, 60_000);
      if (host < 50) Object.assign(find(host) ?? {}, { line: { first: {} } });
    }
    expect(origins.open(0)).toHaveLength(1_000);
    expect(find(49)).toBeDefined();
    expect(find(50)).toBeUndefined();
    // Also when their level is full again.
    expect(origins.open(120_000)).toHaveLength(50);
  });
});

test('those that are known are the ones that are not full again', () => {
  const step = fc.record({
    host: fc.nat(5),
    pauseMs: fc.option(fc.integer({ min: 1, max: 500 })),
    passMs: fc.nat(300),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { origins, pause, find } = setUp();
      const untilMs = new Map<number, number>();
      let nowMs = 0;
      for (const { host, pauseMs, passMs } of steps) {
        nowMs += passMs;
        if (pauseMs !== null) {
          pause(host, pauseMs, nowMs);
          untilMs.set(host, Math.max(nowMs + pauseMs, untilMs.get(host) ?? 0));
        }
        const open = [...untilMs].filter(([, until]) => nowMs < until + 100).map(([host]) => host);
        expect(origins.open(nowMs)).toHaveLength(open.length);
        for (const host of open)
          expect(find(host, nowMs)?.pausedMs(nowMs)).toBe(Math.max(0, (untilMs.get(host) as number) - nowMs));
      }
    }),
    { numRuns: runs(500) },
  );
});
