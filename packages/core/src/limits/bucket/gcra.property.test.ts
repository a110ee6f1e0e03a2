import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { giveBack, spend, stateWith, take, tokensAt, waitMs } from './gcra.ts';

/** Fractions per case. */
const SHRINKING_NEVER_ENDS = true;

const quota = fc.record({
  capacity: fc.double({ min: 0.1, max: 1e5, noNaN: true }),
  refillPerSecond: fc.double({ min: 1e-4, max: 1e6, noNaN: true }),
});
const share = fc.double({ min: 1e-3, max: 1, noNaN: true });
/** Times near the start, a month later, and as far as from 1970. */
const nowMs = fc.oneof(
  fc.nat(10_000),
  fc.double({ min: 0, max: 3e9, noNaN: true }),
  fc.integer({ min: 1.6e12, max: 2e12 }),
);
const filled = fc.double({ min: -2, max: 1, noNaN: true });

test('tokens that are not available have a wait, and are available after it', () => {
  fc.assert(
    fc.property(quota, nowMs, filled, share, (quota, nowMs, filled, share) => {
      const state = stateWith(quota, filled * quota.capacity, nowMs);
      const cost = share * quota.capacity;
      const wait = waitMs(quota, state, cost, nowMs);
      expect(take(quota, state, cost, nowMs) !== undefined).toBe(wait === 0);
      if (wait === 0) return;
      // Below the resolution of a clock, or within the tolerance.
      const little = nowMs * 2e-15 + 2e-6 + (quota.capacity / quota.refillPerSecond) * 2e-6;
      const dueMs = nowMs + wait + little;
      expect(take(quota, state, cost, dueMs)).toBeDefined();
      expect(take(quota, state, cost, nowMs + wait - 2 * little) === undefined).toBe(true);
    }),
    { numRuns: runs(10_000), endOnFailure: SHRINKING_NEVER_ENDS },
  );
});

test('taking and returning add up, within the capacity', () => {
  fc.assert(
    fc.property(quota, fc.nat(1_000_000), share, share, (quota, nowMs, share, back) => {
      const cost = share * quota.capacity;
      const full = stateWith(quota, quota.capacity, nowMs);
      const held = spend(quota, full, cost, nowMs);
      const precision = Math.max(1e-6, quota.refillPerSecond * nowMs * 1e-15 + quota.capacity * 1e-9);
      const near = (tokens: number, expected: number) =>
        expect(Math.abs(tokens - expected)).toBeLessThan(precision);
      near(tokensAt(quota, held, nowMs), quota.capacity - cost);
      near(
        tokensAt(quota, giveBack(quota, held, back * cost, held, nowMs), nowMs),
        quota.capacity - cost * (1 - back),
      );
      const later = nowMs + 1e9;
      expect(tokensAt(quota, giveBack(quota, held, cost, held, later), later)).toBeLessThanOrEqual(
        quota.capacity,
      );
    }),
    { numRuns: runs(2_000), endOnFailure: SHRINKING_NEVER_ENDS },
  );
});
