import { describe, expect, test } from 'vitest';
import { easy, hard } from '../../test/fleets.ts';
import { ScenarioError } from '../scenario/check.ts';
import type { FleetPolicy } from '../scenario/fleet-policy.ts';
import { simulate } from './simulate.ts';

describe('a run', () => {
  test('is the same for the same seed, and different for another seed', () => {
    expect(simulate(hard, { seed: 3 })).toEqual(simulate(hard, { seed: 3 }));
    expect(simulate(hard, { seed: 3 }).totals).not.toEqual(simulate(hard, { seed: 4 }).totals);
  });

  test('gives every policy the same requests', () => {
    const requests = (policy: FleetPolicy): Float64Array => simulate({ ...hard, policy }).series.requests;
    expect(requests({ maxRetries: 0 })).toEqual(requests({ backoff: { constant: 0 } }));
  });

  test('returns plain data, which a worker can send', () => {
    const trace = simulate(hard);
    expect(structuredClone(trace)).toEqual(trace);
  });

  test('reports the share that is done, up to 1', () => {
    const shares: number[] = [];
    simulate({ ...easy, durationMs: 2_000_000 }, { onProgress: (share) => shares.push(share) });
    expect(shares.length).toBeGreaterThan(1);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  test('counts a last interval that is shorter than the others', () => {
    const trace = simulate({ ...easy, durationMs: 2_500 });
    expect(trace.series.requests).toHaveLength(3);
    expect(trace.series.requests[2]).toBeGreaterThan(0);
  });

  test('rejects an invalid scenario with the path of the field', () => {
    const wrong = { ...easy, server: { workers: 0, serviceMs: 100 } };
    expect(() => simulate(wrong)).toThrow(ScenarioError);
    expect(() => simulate(wrong)).toThrow('server.workers must be a whole number ≥ 1, got 0');
  });

  test.each([
    [{ refillPerSecond: 2e9, capacity: 1 }, 'refillPerSecond must be a number from 1e-9 to 1e9'],
    [{ refillPerSecond: 1, capacity: 2e9 }, 'capacity must be a number from 1e-9 to 1e9'],
  ])('rejects a quota for which the arithmetic is not exact: %j', (limit, message) => {
    const wrong = { ...easy, server: { workers: 1, serviceMs: 100, limit } };
    expect(() => simulate(wrong)).toThrow(`server.limit.${message}`);
  });
});

describe('recovery', () => {
  test('is undefined without trouble', () => {
    expect(simulate(easy).recovery).toBeUndefined();
  });

  test('is fast without retries, and does not happen with retries at once', () => {
    const recovery = (policy: FleetPolicy) => simulate({ ...hard, policy }).recovery;
    const attemptTimeoutMs = 1_000;
    expect(recovery({ attemptTimeoutMs, maxRetries: 0 })?.recoveredAfterMs).toBeLessThan(20_000);
    const atOnce = recovery({ attemptTimeoutMs, backoff: { constant: 0 } });
    expect(atOnce).toEqual({ troubleEndsAtMs: 20_000, recoveredAfterMs: undefined });
  });
});
