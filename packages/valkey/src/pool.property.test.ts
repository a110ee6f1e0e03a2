import { seededRandom } from '@ebb/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LeasePool } from './pool.ts';

test('tokens are available when the pool says, after any moves and trims', () => {
  let waited = 0;
  const pools = fc.record({
    seed: fc.integer(),
    perMs: fc.constantFrom(500, 50_000, 1e6, 5e7),
    keep: fc.boolean(),
  });
  fc.assert(
    fc.property(pools, ({ seed, perMs, keep }) => {
      const random = seededRandom(seed);
      const pool = new LeasePool(() => ({ refillPerSecond: perMs / 1_000, capacity: 1 }));
      let [nowMs, endMs] = [0, 0];
      for (let step = 0; step < 60; step += 1) {
        const dice = random();
        if (dice < 0.4) {
          const left = Math.ceil(random() * 1_000 * perMs);
          endMs = Math.max(endMs, nowMs) + left / perMs + (random() < 0.5 ? random() * 5_000 : 0);
          if (keep) pool.keepUntil(endMs + 1e6);
          pool.add({
            left,
            availableAtMs: endMs,
            expiresAtMs: endMs + 1e6,
            mark: { epoch: 1, marks: [step] },
          });
        } else if (dice < 0.6) {
          endMs -= random() * (endMs - nowMs);
          pool.moveEarlier(endMs);
        } else if (dice < 0.7) pool.trim(pool.left * random(), nowMs);
        else nowMs += random() * 500;
        const amount = Math.ceil(random() * pool.left);
        const waitMs = pool.waitMs(amount, nowMs);
        if (amount === 0 || waitMs === undefined) continue;
        if (waitMs > 1) {
          waited += 1;
          expect(pool.take(amount, nowMs + waitMs - 0.5)).toBe(false);
        }
        if (random() < 0.5) continue;
        nowMs += waitMs;
        expect(pool.take(amount, nowMs + 1e-6)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
  expect(waited).toBeGreaterThan(1_000);
});
