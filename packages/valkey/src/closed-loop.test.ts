import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ClosedLoop, halfFar, play, type Use } from '../test/closed-loop.ts';

// What a saturated fleet makes of its quota, in virtual time.

const busy = { rate: 1_000, capacity: 200, costs: [1], askers: 16, seconds: 15 };
const _MIXES = [[1], [1, 20], [0.5, 1, 3, 20, 50], [1, 1, 1, 1, 1, 1, 1, 1, 1, 150], [1, 200], [200]];

/** Bounds of what is measured: at least, and at most. */
type Bounds = Partial<Record<keyof Measured, readonly [least: number, most: number]>>;
type Measured = Omit<Use, 'parts'> & { readonly leastPart: number; readonly mostPart: number };

async function expectUse(load: ClosedLoop, bounds: Bounds): Promise<void> {
  const { parts, ...use } = await play(load, 'shared');
  const measured: Measured = { ...use, leastPart: parts[0], mostPart: parts[1] };
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const value = measured[name as keyof Measured];
    expect(value, name).toBeGreaterThanOrEqual(least);
    expect(value, name).toBeLessThanOrEqual(most);
  }
}

const NEVER = Number.NEGATIVE_INFINITY;
/** From the start never more than the quota, and twice the capacity in any window. */
const KEPT: Bounds = { excess: [NEVER, 0], burst: [0, 2] };
const used = (least: number, most = 1.001) => ({ ...KEPT, share: [least, most] }) as const;
const calls = (mostPer1000: number, least = 0.98) => {
  return { ...KEPT, callsPerGrant: [0, mostPer1000 / 1_000], share: [least, 1.001] } as const;
};
const fair = (least: number, most: number) => ({ leastPart: [least, 9], mostPart: [0, most] }) as const;
const far = (least: number) => {
  return { excess: [NEVER, 0], burst: [0, 1.1], secondHalf: [least, 0.51], share: [0.99, 1.001] } as const;
};
const apart = (latencyMs: number[]): ClosedLoop => ({ ...halfFar(8, 1_000, 0, 30), latencyMs });
const few = [60, 2, 2, 2, 2, 2, 2, 2];

/** A near half that takes all it can get, and a far half that needs little. */
const needsLittle = (roundTripMs: number): ClosedLoop => ({
  ...halfFar(8, 1_000, roundTripMs, 20),
  ...{ askers: [60, 60, 60, 60, 4, 4, 4, 4], thinkMs: [0, 0, 0, 0, 50, 50, 50, 50] },
});

describe('a saturated fleet', { timeout: 240_000 }, () => {
  test.each<[name: string, load: ClosedLoop, bounds: Bounds]>([
    ['one process, 200 ms away', { ...busy, processes: 1, latencyMs: 100 }, used(0.95)],
    [
      '8 processes, 100 ms away',
      { ...busy, processes: 8, latencyMs: 50 },
      { ...used(0.95), ...fair(0.9, 1.1) },
    ],
    [
      'one busy process of 8',
      { ...busy, processes: 8, askers: [64, 0, 0, 0, 0, 0, 0, 0] },
      { ...used(0.995), mostPart: [8, 8] },
    ],
    [
      '7 of 8 with two callers that think',
      { ...busy, processes: 8, askers: few, thinkMs: few.map((askers) => (askers > 2 ? 0 : 100)) },
      used(0.98),
    ],
    [
      '64 callers in one process, 4 in the others',
      { ...busy, processes: 4, askers: [64, 4, 4, 4] },
      fair(0.9, 1.2),
    ],
    [
      '8 processes at 90 %, 200 ms away',
      { ...busy, processes: 8, latencyMs: 100, openLoad: 0.9, seconds: 30 },
      { share: [0.88, 1], p50Ms: [0, 20] },
    ],
    ['a half 200 ms away', halfFar(8, 200, 200, 20), far(0.44)],
    ['at four distances', apart([0.25, 0.25, 10, 10, 40, 75, 75, 100]), fair(0.9, 1.3)],
    ['a far half that needs little, 200 ms', needsLittle(200), { share: [0.97, 1.001] }],
    // A charge comes after the next attempt only.
    [
      'a half at 0 to 300 ms',
      { ...halfFar(8, 1_000, 150, 30), jitter: true },
      { share: [0.98, 1.02], burst: [0, 3.5] },
    ],
    ['2,000/s: calls per grant', { ...busy, rate: 2_000, capacity: 400, processes: 8 }, calls(150)],
    ['5/s: calls per grant', { ...busy, rate: 5, capacity: 1, processes: 4, seconds: 60 }, calls(1_080)],
    ['half load: calls per grant', { ...busy, processes: 8, openLoad: 0.5, seconds: 20 }, calls(150, 0.5)],
    // In the first 10 s each asks for its share.
    ['200 processes: calls per grant', { ...busy, askers: 4, processes: 200, seconds: 10 }, calls(1_270)],
  ])('%s', (_, load, bounds) => expectUse(load, bounds));

  test('with any costs', async () => {
    const loads = fc.record({
      rate: fc.constantFrom(50, 1_000, 20_000),
      costs: fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 }),
      processes: fc.integer({ min: 1, max: 32 }),
      askers: fc.constantFrom(1, 4, 16),
      latencyMs: fc.constantFrom(0.1, 1, 5),
      seed: fc.integer(),
    });
    // One request less than in memory within the time is 2.1 % less.
    const example = { rate: 50, costs: [0.06842, 0.999995], processes: 1, askers: 1, latencyMs: 5 };
    await fc.assert(
      fc.asyncProperty(loads, async ({ rate, costs, ...rest }) => {
        const capacity = rate / 5;
        const load = { ...rest, rate, capacity, costs: costs.map((part) => part * capacity), seconds: 10 };
        const shared = await play(load, 'shared');
        const memory = await play(load, 'memory');
        // The time may end right before a request that costs up to a whole capacity.
        const largest = Math.max(...load.costs) / (capacity + rate * load.seconds);
        expect(shared.share + largest).toBeGreaterThanOrEqual(0.98 * memory.share);
        expect(shared.excess).toBeLessThanOrEqual(1e-3);
        expect(shared.burst).toBeLessThanOrEqual(2 + 1e-3);
        expect(shared.meanMs).toBeLessThanOrEqual(memory.meanMs * 1.5 + 4 * rest.latencyMs);
      }),
      { numRuns: 15, examples: [[{ ...example, seed: 466_630_722 }]] },
    );
  });

  const late = [1, 2, 5, 20].flatMap((capacity) => [
    { ...busy, rate: 1_000, capacity, latencyMs: 0.25, lateMs: 1 },
    { ...busy, rate: 2_000, capacity, latencyMs: 1, lateMs: 2 },
  ]);
  test.each(late)(
    'spends a small bucket though timers are late: $rate/s, capacity $capacity',
    async (load) => {
      const { capacity, rate } = load;
      // A late timer grants at once what came in meanwhile: at most 10 ms of refill.
      const most = 1 + Math.max(capacity, rate / 100) / capacity;
      await expectUse({ ...load, processes: 8, seconds: 2 }, { ...used(0.98), burst: [0, most] });
    },
  );
});
