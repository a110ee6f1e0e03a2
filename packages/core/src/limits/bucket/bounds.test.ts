import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { virtualClock } from '../../testing.ts';
import { adaptive } from './adaptive.ts';
import { tokenBucket } from './token-bucket.ts';

test.each<[options: object, message: string]>([
  [{ refillPerSecond: 1.1e9 }, 'refillPerSecond must be a number from 1e-9 to 1e9, got 1100000000'],
  [{ refillPerSecond: 1, capacity: 1e9 + 1 }, 'capacity must be a number from 1e-9 to 1e9, got 1000000001'],
  [{ refillPerSecond: 5e-324, capacity: 1 }, 'refillPerSecond must be a number from 1e-9 to 1e9, got 5e-324'],
  [{ refillPerSecond: 1, refillIntervalMs: 1e-4 }, 'refillIntervalMs must be 0, or a number from 0.001'],
  [{ refillPerSecond: 1, refillIntervalMs: 1e12 }, 'refillIntervalMs must be 0, or a number from 0.001'],
])('options beyond the exact range are refused: %j', (options, message) => {
  expect(() => tokenBucket(options as never)).toThrow(RangeError);
  expect(() => tokenBucket(options as never)).toThrow(`tokenBucket: ${message}`);
});

test.each<[rate: number, capacity: number | undefined, message: string]>([
  [2e9, undefined, 'refillPerSecond must be a number from 1e-9 to 1e9'],
  [1, 2e9, 'capacity must be a number from 1e-9 to 1e9'],
  [1e-12, undefined, 'refillPerSecond must be a number from 1e-9 to 1e9'],
])('setRate(%d, %s) throws, and changes nothing', (rate, capacity, message) => {
  const bucket = tokenBucket({ refillPerSecond: 10, capacity: 5 });
  expect(() => bucket.setRate(rate, capacity)).toThrow(`setRate: ${message}`);
  expect(bucket.stats()).toMatchObject({ refillPerSecond: 10, capacity: 5 });
});

test.each([
  [{ minRefillPerSecond: 2e9 }, 'minRefillPerSecond must be a number from 1e-9 to 1e9'],
  [{ minRefillPerSecond: 1e-13 }, 'minRefillPerSecond must be a number from 1e-9 to 1e9'],
  [{ refillPerSecond: 2e9 }, 'refillPerSecond must be a number from 1e-9 to 1e9'],
])('adaptive has the same bounds: %j', (options, message) => {
  expect(() => adaptive({ refillPerSecond: 1, ...options })).toThrow(`adaptive: ${message}`);
});

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
