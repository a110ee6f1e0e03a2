import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spendInTrouble } from '../test/fleet-trouble.ts';
import type { Health } from '../test/model-store.ts';

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });

const troubles = fc.record({
  health: fc.constantFrom<Health>('up', 'up', 'refusing', 'silent', 'frozen'),
  roundTripMs: fc.constantFrom(0, 1, 20, 100, 200, 240, 252, 400, 1_000),
  losesEveryMs: maybe(fc.constantFrom(15, 150, 700)),
  quietMs: maybe(fc.constantFrom(300, 3_000)),
  lastsMs: fc.integer({ min: 200, max: 6_000 }),
});

const fleets = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 1, max: 12 }),
  rate: fc.constantFrom(50, 400, 2_000),
  capacitySeconds: fc.constantFrom(0.1, 0.2, 1),
  askers: fc.constantFrom(1, 4, 16),
  roundTripMs: fc.constantFrom(0.5, 20, 100, 200),
  troubles: fc.array(troubles, { minLength: 1, maxLength: 4 }),
});

test('in any trouble of its store a fleet spends at most 110 % of the rate and two capacities in any window', async () => {
  await fc.assert(
    fc.asyncProperty(fleets, async ({ rate, capacitySeconds, roundTripMs, troubles, ...fleet }) => {
      const capacity = rate * capacitySeconds;
      // The processes see each other, then the trouble, then the store is well again.
      const phases = [
        { lastsMs: 2_500, roundTripMs },
        ...troubles.map(({ losesEveryMs, quietMs, ...rest }) => ({
          ...rest,
          ...(losesEveryMs === undefined ? {} : { losesEveryMs }),
          ...(quietMs === undefined ? {} : { quietMs }),
        })),
        { lastsMs: 5_000, roundTripMs },
        { lastsMs: 8_000, roundTripMs },
      ];
      const { burst, shares, hanging } = await spendInTrouble({ ...fleet, rate, capacity, phases });
      // One capacity more for each time in which the bucket fills while the store loses it.
      const forgetfulMs = troubles.reduce(
        (sum, t) => sum + (t.losesEveryMs === undefined ? 0 : t.lastsMs),
        0,
      );
      const forgotten = forgetfulMs === 0 ? 0 : 1 + forgetfulMs / (capacitySeconds * 1_000);
      expect(hanging).toBe(0);
      // A token more or less is rounding; a reply may bring tokens that came in up to a round trip ago.
      const late = Math.max(2, 1 + 0.25 / capacitySeconds) + 1 / capacity;
      expect(burst).toBeLessThanOrEqual(late + forgotten + 0.1);
      const isNear = roundTripMs <= Math.min(200, capacitySeconds * 1_000);
      const canAsk = fleet.processes * fleet.askers >= (2 * (rate * roundTripMs)) / 1_000;
      if (isNear && canAsk) expect(shares.at(-1)).toBeGreaterThanOrEqual(0.9);
    }),
    { numRuns: 40 },
  );
}, 300_000);

test('a fleet whose attempts to come back got no reply does not pay for what no one else spent', async () => {
  const near = { roundTripMs: 20 };
  const quiet = { losesEveryMs: 700, quietMs: 300 };
  const { shares } = await spendInTrouble({
    processes: 12,
    rate: 50,
    capacity: 50,
    seed: -28,
    phases: [
      { ...near, lastsMs: 2_500 },
      { lastsMs: 988, roundTripMs: 400, losesEveryMs: 700 },
      { lastsMs: 4_522, roundTripMs: 1_000, ...quiet, losesEveryMs: 15 },
      { lastsMs: 4_687, roundTripMs: 200, ...quiet, health: 'frozen' },
      { ...near, lastsMs: 1_077, health: 'frozen' },
      { ...near, lastsMs: 5_000 },
      { ...near, lastsMs: 8_000 },
    ],
  });
  expect(shares.at(-1)).toBeGreaterThan(0.95);
});
