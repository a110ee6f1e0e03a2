import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BusyFleet, CAPACITY, RATE, StoreWorld } from '../test/busy-fleet.ts';

/** After so long the store's clock is set by so much, in milliseconds. */
type Step = readonly [afterMs: number, byMs: number];

/** What a fleet of four spends while the clock of its store is set: the most in any window, in capacities, and the part of the rate. */
async function spendThrough(steps: readonly Step[], losesWrites = false) {
  const world = new StoreWorld();
  const fleet = new BusyFleet(world, 4);
  await world.clock.advance(1_000);
  for (const [afterMs, byMs] of steps) {
    // A replica that is promoted lacks the last writes.
    const before = world.store.keys.get('ebb:{k}');
    await world.clock.advance(afterMs);
    world.store.aheadMs += byMs;
    if (losesWrites && before !== undefined) world.store.keys.set('ebb:{k}', before);
  }
  await world.clock.advance(3_000);
  const endMs = world.clock.now();
  await fleet.end();
  const lately = fleet.count(endMs - 1_000, endMs) / RATE;
  return {
    window: 1 + fleet.worst / CAPACITY,
    used: fleet.count(0, endMs) / ((RATE * endMs) / 1_000),
    lately,
    world,
  };
}

const toAndFro = (byMs: number, everyMs: number, times: number): Step[] =>
  Array.from({ length: 2 * times }, (_, at) => [everyMs, at % 2 === 0 ? byMs : -byMs]);

describe('a clock that is set', () => {
  test.each<[name: string, steps: readonly Step[], losesWrites?: boolean]>([
    ['back by 1.1 s', [[500, -1_100]]],
    ['back by 5 s', [[500, -5_000]]],
    ['back by 0.6 s', [[500, -600]]],
    ['ahead by 0.4 s', [[500, 400]]],
    [
      'ahead by 5 s, and back',
      [
        [500, 5_000],
        [2_000, -5_000],
      ],
    ],
    ['back by a day', [[500, -864e5]]],
    ['ahead by a day', [[500, 864e5]]],
    ['to and fro by 3 s', toAndFro(3_000, 700, 10)],
    ['fro and to by 3 s', toAndFro(-3_000, 700, 10)],
    ['to and fro by 0.8 s', toAndFro(800, 700, 10)],
    ['to and fro by 0.3 s', toAndFro(300, 700, 10)],
    ['on a host that is 3 s behind', [[300, -3_000]], true],
    ['on a host that is 3 s ahead', [[300, 3_000]], true],
    ['on hosts to and fro', toAndFro(3_000, 300, 5), true],
    [
      'back twice, and ahead by an hour, on hosts that lack writes',
      [
        [50, -100],
        [50, -100],
        [50, 3_600_000],
      ],
      true,
    ],
  ])('%s: at most 2.2 capacities in any window, and soon the whole rate', async (_, steps, losesWrites) => {
    const { window, used, lately } = await spendThrough(steps, losesWrites);
    expect(window).toBeLessThanOrEqual(2.2);
    expect(lately).toBeGreaterThanOrEqual(0.95);
    expect(used).toBeGreaterThanOrEqual(steps.length > 2 ? 0.6 : 0.9);
  });

  test('by any steps of 0.1 s to a day: at most 2.5 capacities in any window, 6 where writes are lost', async () => {
    const by = fc
      .tuple(fc.constantFrom(-1, 1), fc.double({ min: 2, max: 7.94, noNaN: true }))
      .map(([sign, power]) => Math.round(sign * 10 ** power));
    const some = fc.array(fc.tuple(fc.integer({ min: 50, max: 2_000 }), by), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(some, fc.boolean(), async (steps, losesWrites) => {
        const { window, lately } = await spendThrough(steps, losesWrites);
        // If a store writes three times in 300 ms, some processes come back a second after the others.
        expect(window).toBeLessThanOrEqual(losesWrites ? 6 : 2.5);
        expect(lately).toBeGreaterThanOrEqual(0.75);
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});
