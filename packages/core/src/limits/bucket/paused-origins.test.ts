import { describe, expect, test } from 'vitest';
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
