import fc from 'fast-check';
import { expect, test } from 'vitest';
import { playUnits } from '../test/unit-fleet.ts';

const limit = fc
  .record({
    refillPerSecond: fc.constantFrom(5, 20, 100, 1_000),
    fillSeconds: fc.constantFrom(0.5, 2, 10),
  })
  .map(({ refillPerSecond, fillSeconds }) => {
    return { refillPerSecond, capacity: Math.max(1, refillPerSecond * fillSeconds) };
  });

const fleet = fc.record({
  limits: fc
    .array(limit, { minLength: 2, maxLength: 3 })
    .map((all) => Object.fromEntries(all.map((each, unit) => [`unit${unit}`, each]))),
  processes: fc.integer({ min: 1, max: 6 }),
  callers: fc.integer({ min: 1, max: 6 }),
  roundTripMs: fc.constantFrom(0.5, 5, 80),
  outage: fc.option(
    fc.record({ from: fc.integer({ min: 2, max: 8 }), lasts: fc.integer({ min: 1, max: 5 }) }),
  ),
  settles: fc.boolean(),
  seed: fc.nat(1_000),
});

test('whatever requests cost in each unit: no unit is spent beyond its limit, and none waits for ever', async () => {
  await fc.assert(
    fc.asyncProperty(fleet, async (drawn) => {
      const costOf = (random: () => number): Record<string, number> => {
        const cost = Object.entries(drawn.limits).map(([name, { capacity }]) => {
          return [name, random() < 0.2 ? 0 : Math.max(0.01, random() ** 2 * capacity * 0.3)] as const;
        });
        return Object.fromEntries(cost.every(([, part]) => part === 0) ? [['unit0', 1]] : cost);
      };
      const { use, hanging, grants } = await playUnits({ ...drawn, costOf, seconds: 15, maxWaitMs: 5_000 });
      expect(hanging).toBe(0);
      expect(grants).toBeGreaterThan(0);
      for (const { name, burst } of use) {
        const { refillPerSecond = 0, capacity = 0 } = drawn.limits[name] ?? {};
        expect(burst * capacity, name).toBeLessThanOrEqual(2 * capacity + 1 + refillPerSecond / 4);
      }
    }),
    { numRuns: 60 },
  );
}, 240_000);
