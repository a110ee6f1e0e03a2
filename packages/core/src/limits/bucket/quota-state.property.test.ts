import fc from 'fast-check';
import { expect, test } from 'vitest';
import { QuotaState } from './quota-state.ts';

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
        const level = new QuotaState({ refillPerSecond: first, capacity: 10 }, intervalMs, 0, 0);
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
    { numRuns: 3_000, endOnFailure: true },
  );
});
