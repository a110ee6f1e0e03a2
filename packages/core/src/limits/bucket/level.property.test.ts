import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { Level } from './level.ts';

const rate = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
const step = fc.record({
  passMs: fc.oneof(fc.nat(1_000), fc.nat(1e9)),
  refillPerSecond: fc.option(rate),
  share: fc.double({ min: 0.01, max: 1, noNaN: true }),
});

test('a wait with refill steps ends at a step', () => {
  fc.assert(
    fc.property(
      rate,
      fc.constantFrom(200, 0.1, 1_000 / 3),
      fc.array(step, { maxLength: 30, size: 'max' }),
      (first, intervalMs, steps) => {
        const level = new Level({
          refillPerSecond: first,
          capacity: 10,
          refillIntervalMs: intervalMs,
          initialTokens: 0,
        });
        let nowMs = 0;
        for (const { passMs, refillPerSecond, share } of steps) {
          nowMs += passMs;
          if (refillPerSecond !== null) level.setRate({ refillPerSecond, capacity: 10 }, nowMs);
          const cost = share * 10;
          if (level.take(cost, nowMs)) continue;
          const waitMs = level.waitMs(cost, nowMs);
          // Steps are counted from the start at any rate. Exactly at a step both sides are right.
          const steps = nowMs / intervalMs;
          if (Math.abs(steps - Math.round(steps)) < 1e-4) continue;
          expect(waitMs).toBeGreaterThan(Math.ceil(steps) * intervalMs - nowMs - 1e-3);
        }
      },
    ),
    { numRuns: runs(3_000), endOnFailure: true },
  );
});

test('with refill steps, tokens that are not available have a wait, and are available after it', () => {
  const share = fc.double({ min: 1e-3, max: 1, noNaN: true });
  const quota = fc.record({
    capacity: fc.double({ min: 0.1, max: 1e5, noNaN: true }),
    refillPerSecond: rate,
  });
  const intervalMs = fc.oneof(fc.constantFrom(200, 0.1, 1_000 / 3), fc.integer({ min: 1, max: 5_000 }));
  fc.assert(
    fc.property(quota, intervalMs, fc.nat(1e9), share, share, (quota, intervalMs, nowMs, filled, part) => {
      const limit = new Level({
        ...quota,
        refillIntervalMs: intervalMs,
        initialTokens: quota.capacity,
      });
      limit.spend(filled * quota.capacity, 0);
      const cost = part * quota.capacity;
      const waitMs = limit.waitMs(cost, nowMs);
      expect(limit.take(cost, nowMs)).toBe(waitMs === 0);
      if (waitMs === 0) return;
      // Far from the start a time is too coarse to tell on which side of a fine step it lies.
      expect(limit.take(cost, nowMs + waitMs) || limit.take(cost, nowMs + waitMs + intervalMs)).toBe(true);
    }),
    { numRuns: runs(5_000), endOnFailure: true },
  );
});
