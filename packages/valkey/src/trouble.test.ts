import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Phase, spendInTrouble, type TroubledFleet } from '../test/fleet-trouble.ts';
import type { Health } from '../test/model-store.ts';
import type { OnStoreError } from './events.ts';

// A fleet whose store is away, slow, silent or forgetful, in virtual time.

/** Fewer requests for some minutes, and then as many as possible without a store. */
function quiet(processes: number, seconds: number, apartMs = 0): TroubledFleet {
  const before: Phase = { lastsMs: apartMs > 0 ? 60_000 : 200_000, quietMs: seconds * 1_000 };
  return { processes, rate: 400, apartMs, phases: [before, { lastsMs: 20_000, health: 'refusing' }] };
}

const slow = (processes: number, roundTripMs: number): TroubledFleet => ({
  ...{ processes, rate: 400, askers: 16 },
  phases: [{ lastsMs: 5_000 }, { lastsMs: 30_000, roundTripMs }],
});

test.each<[name: string, TroubledFleet, least: number, most: number]>([
  ['without a store 8 processes, before 1 request in 30 s each', quiet(8, 30), 0.9, 1.1],
  ['without a store 32 processes, before 1 in 3 s, started 2.5 s apart', quiet(32, 3, 2_500), 0.9, 1.1],
  ['6 processes at a round trip of 246 ms', slow(6, 246), 0.95, 1.05],
  ['6 processes at a round trip of 1 s', slow(6, 1_000), 0.95, 1.05],
])(
  '%s spend the rate',
  async (_, fleet, least, most) => {
    const { shares, hanging } = await spendInTrouble(fleet);
    expect(shares.at(-1)).toBeGreaterThanOrEqual(least);
    expect(shares.at(-1)).toBeLessThanOrEqual(most);
    expect(hanging).toBe(0);
  },
  240_000,
);

// A quick reply by chance ends the outage, and for six seconds those after it may take twice the limit.
const varying = [
  { roundTripMs: 250, varies: 0.3, local: 0.97, closed: 0.7 },
  { roundTripMs: 200, varies: 0.3, local: 0.88, closed: 0.85 },
  { roundTripMs: 250, varies: 0.8, local: 0.7, closed: 0.55 },
].flatMap((row) =>
  (['local', 'closed', 'open'] as const).flatMap((onStoreError) =>
    (onStoreError === 'local' ? [1, 6] : [2]).map((processes) => ({ ...row, onStoreError, processes })),
  ),
);

test.each<(typeof varying)[number] & { readonly onStoreError: OnStoreError }>(varying)(
  'a round trip of $roundTripMs ms ± $varies: two turns in six seconds, and the quota is kept and used ($onStoreError, $processes)',
  async ({ roundTripMs, varies, onStoreError, processes, ...least }) => {
    // What is granted without a limit is not counted.
    const quietly = onStoreError === 'open' ? { quietMs: 50 } : {};
    const phases = [{ lastsMs: 3_000 }, { lastsMs: 24_000, roundTripMs, varies }];
    const { turns, shares, burst, hanging } = await spendInTrouble({
      ...{ processes, rate: 400, askers: 16, onStoreError },
      phases: phases.map((phase) => ({ ...phase, ...quietly })),
    });
    expect(turns).toBeLessThanOrEqual(2);
    if (onStoreError !== 'open') expect(shares[1]).toBeGreaterThanOrEqual(least[onStoreError]);
    expect(burst).toBeLessThanOrEqual(2);
    expect(hanging).toBe(0);
  },
);

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });

const troubled = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 1, max: 12 }),
  rate: fc.constantFrom(50, 400, 2_000),
  capacitySeconds: fc.constantFrom(0.1, 0.2, 1),
  askers: fc.constantFrom(1, 4, 16),
  roundTripMs: fc.constantFrom(0.5, 20, 100, 200),
  troubles: fc.array(
    fc.record({
      health: fc.constantFrom<Health>('up', 'up', 'refusing', 'silent', 'frozen'),
      roundTripMs: fc.constantFrom(0, 1, 20, 100, 200, 240, 252, 400, 1_000),
      losesEveryMs: maybe(fc.constantFrom(15, 150, 700)),
      quietMs: maybe(fc.constantFrom(300, 3_000)),
      lastsMs: fc.integer({ min: 200, max: 6_000 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

test('in any trouble of its store a fleet spends at most 110 % of the rate and two capacities in any window', async () => {
  await fc.assert(
    fc.asyncProperty(troubled, async ({ rate, capacitySeconds, roundTripMs, troubles, ...rest }) => {
      const capacity = rate * capacitySeconds;
      // The processes see each other, then the trouble, then the store is well again.
      const well = { lastsMs: 5_000, roundTripMs };
      const phases = [{ ...well, lastsMs: 2_500 }, ...troubles, well, { ...well, lastsMs: 8_000 }];
      const { burst, shares, hanging, pending } = await spendInTrouble({ ...rest, rate, capacity, phases });
      // One capacity more for each time in which the bucket fills while the store loses it.
      const forgetful = troubles.filter(({ losesEveryMs }) => losesEveryMs !== undefined);
      const forgetfulMs = forgetful.reduce((sum, { lastsMs }) => sum + lastsMs, 0);
      const forgotten = forgetfulMs === 0 ? 0 : 1 + forgetfulMs / (capacitySeconds * 1_000);
      expect({ hanging, pending }).toEqual({ hanging: 0, pending: 0 });
      // A token more or less is rounding; a reply may bring tokens that came in up to a round trip ago.
      const late = Math.max(2, 1 + 0.25 / capacitySeconds) + 1 / capacity;
      expect(burst).toBeLessThanOrEqual(late + forgotten + 0.1);
      const isNear = roundTripMs <= Math.min(200, capacitySeconds * 1_000);
      const canAsk = rest.processes * rest.askers >= (2 * (rate * roundTripMs)) / 1_000;
      if (isNear && canAsk) expect(shares.at(-1)).toBeGreaterThanOrEqual(0.9);
    }),
    { numRuns: 30 },
  );
}, 300_000);
