import { binaryExponential, constant } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { raceForLock } from './optimistic-lock.ts';

describe('raceForLock', () => {
  test('a single client reads and writes once: four messages', () => {
    const result = raceForLock({ clients: 1, backoff: constant(0), networkDeviationMs: 0 });
    expect(result.calls).toEqual({ mean: 1, standardError: 0 });
    expect(result.completionMs).toEqual({ mean: 40, standardError: 0 });
  });

  test('of two clients that read before either writes, one has to back off', () => {
    const first = raceForLock({ clients: 2, backoff: constant(1_000), networkDeviationMs: 0.001, runs: 10 });
    expect(first.calls).toEqual({ mean: 3, standardError: 0 });
    expect(first.completionMs.mean).toBeCloseTo(40 + 1_000 + 40, 1);
  });

  test('the rule gets the number of the retry and its previous delay', () => {
    const steps: (readonly [number, number | undefined])[] = [];
    raceForLock({
      clients: 2,
      runs: 1,
      networkDeviationMs: 0.001,
      backoff: ({ retry, previousDelayMs }) => {
        steps.push([retry, previousDelayMs]);
        return 10 * retry;
      },
    });
    expect(steps).toEqual([[1, undefined]]);

    steps.length = 0;
    raceForLock({
      clients: 30,
      runs: 1,
      backoff: ({ retry, previousDelayMs }) => {
        steps.push([retry, previousDelayMs]);
        return 10 * retry;
      },
    });
    expect(Math.max(...steps.map(([retry]) => retry))).toBeGreaterThan(3);
    for (const [retry, previous] of steps) expect(previous).toBe(retry === 1 ? undefined : 10 * (retry - 1));
  });

  test('a client whose rule gives up leaves, and the others go on', () => {
    const backoff = binaryExponential({ slotMs: 5, attemptLimit: 3 });
    const result = raceForLock({ clients: 50, backoff, runs: 20 });
    expect(result.gaveUp.mean).toBeGreaterThan(10);
    expect(result.gaveUp.mean).toBeLessThan(50);
    expect(result.calls.mean).toBeLessThanOrEqual(3 * 50);
  });
});
