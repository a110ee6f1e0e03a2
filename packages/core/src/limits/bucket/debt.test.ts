import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { virtualClock } from '../../testing.ts';
import { quotaBucket } from './quota-bucket.ts';
import { tokenBucket } from './token-bucket.ts';

const maxPauseMs = 60_000;
const rate = { capacity: 100, refillPerSecond: 10 };

/** Costs that servers have claimed, and the ends of doubles. */
const ABSURD = [1e9, 1e15, Number.MAX_SAFE_INTEGER, 1e308, Number.MAX_VALUE];

const BUCKETS = [
  {
    name: 'tokenBucket',
    make: (clock = virtualClock()) => {
      const bucket = tokenBucket({ ...rate, maxPauseMs, clock });
      return { bucket, clock, costOf: (tokens: number) => tokens, waitMs: () => bucket.waitMs(1) };
    },
  },
  ...(['grant', 'completion'] as const).map((chargeOn) => ({
    name: `quotaBucket, chargeOn: ${chargeOn}`,
    make: (clock = virtualClock()) => {
      const bucket = quotaBucket({ limits: { output: { ...rate, chargeOn } }, maxPauseMs, clock });
      return {
        bucket,
        clock,
        costOf: (output: number) => ({ output }),
        waitMs: () => bucket.waitMs({ output: 1 }),
      };
    },
  })),
];

describe.each(BUCKETS)('$name', ({ make }) => {
  test('many of them together owe no more than one, and what is given back stays exact', () => {
    const cost = fc.oneof(fc.constantFrom(...ABSURD, 0), fc.double({ min: 0, max: 5_000, noNaN: true }));
    fc.assert(
      fc.property(fc.array(fc.tuple(cost, fc.nat(5_000)), { maxLength: 30 }), (answers) => {
        const { bucket, clock, costOf } = make();
        const grants = answers.map(() => bucket.tryAcquire(costOf(1)));
        answers.forEach(([actual, afterMs], at) => {
          grants[at]?.settle(costOf(actual));
          clock.tick(afterMs);
          expect(bucket.stats().tokens).toBeGreaterThanOrEqual(-600 - grants.length);
          expect(bucket.stats().tokens).toBeLessThanOrEqual(100);
        });
      }),
    );
  });

  test.each(ABSURD)(
    'an answer that claims %d tokens costs no more than the longest pause',
    async (claimed) => {
      const { bucket, clock, costOf, waitMs } = make();
      for (let answers = 0; answers < 3; answers += 1) {
        const grant = bucket.tryAcquire(costOf(1)) ?? (await bucket.acquire({ cost: costOf(1) }));
        grant.settle(costOf(claimed));
        expect(bucket.stats().tokens).toBeGreaterThanOrEqual(-600 - 1e-6);
        expect(waitMs()).toBeLessThanOrEqual(maxPauseMs + 100 + 1e-6);
        clock.tick(maxPauseMs + 200);
        expect(bucket.stats().tokens).toBeGreaterThanOrEqual(1);
      }
      clock.tick(10_000);
      expect(bucket.stats().tokens).toBeCloseTo(100, 6);
    },
  );
});
