import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from './token-bucket.ts';

test('whole tokens stay exact at any valid rate, also after a long time', () => {
  const whole = fc.integer({ min: 1, max: 20 });
  const exponent = fc.double({ min: -8, max: 9, noNaN: true });
  fc.assert(
    fc.property(
      exponent,
      fc.nat(1e12),
      fc.array(whole, { minLength: 1, maxLength: 50 }),
      (exponent, startMs, costs) => {
        const refillPerSecond = 10 ** exponent;
        const clock = virtualClock({ startMs });
        const bucket = tokenBucket({ refillPerSecond, capacity: 20, clock });
        clock.tick(1e9);
        expect(bucket.tryAcquire(bucket.stats().tokens)).toBeDefined();
        for (const cost of costs) {
          expect(bucket.tryAcquire(1e-3)).toBeUndefined();
          const waitMs = bucket.waitMs(cost);
          expect(waitMs / ((cost * 1_000) / refillPerSecond)).toBeCloseTo(1, 3);
          clock.tick(waitMs);
          // A clock far from 0 resolves fractions of a microsecond only.
          clock.tick(0.001);
          expect(bucket.tryAcquire(cost)).toBeDefined();
          bucket.pauseFor(1);
          clock.tick(1);
        }
      },
    ),
    { numRuns: runs(500), endOnFailure: true },
  );
});
