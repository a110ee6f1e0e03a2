import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BusyFleet, CAPACITY, RATE, StoreWorld } from '../test/busy-fleet.ts';

/** After so long the store's clock is set by so much, in milliseconds. */
interface Step {
  readonly afterMs: number;
  readonly byMs: number;
}

const set = (byMs: number, afterMs = 500): Step => ({ afterMs, byMs });

/** What a fleet of four spends while the clock of its store is set: the most in any window, in capacities, and the part of the rate. */
async function spendThrough(steps: readonly Step[], losesWrites = false) {
  const world = new StoreWorld();
  const fleet = new BusyFleet(world, 4);
  await world.clock.advance(1_000);
  for (const { afterMs, byMs } of steps) {
    // A replica that is promoted lacks the last writes.
    const before = world.store.keys.get('ebb:{k}');
    await world.clock.advance(afterMs);
    world.store.aheadMs += byMs;
    if (losesWrites && before !== undefined) world.store.keys.set('ebb:{k}', before);
  }
  await world.clock.advance(3_000);
  const endMs = world.clock.now();
  await fleet.end();
  return {
    window: 1 + fleet.worst / CAPACITY,
    used: fleet.count(0, endMs) / ((RATE * endMs) / 1_000),
    lately: fleet.count(endMs - 1_000, endMs) / RATE,
  };
}

const toAndFro = (byMs: number, everyMs = 700, times = 10): Step[] =>
  Array.from({ length: 2 * times }, (_, at) => set(at % 2 === 0 ? byMs : -byMs, everyMs));

test.each<[name: string, steps: readonly Step[], losesWrites?: boolean]>([
  ['back by 0.6 s', [set(-600)]],
  ['back by 1.1 s', [set(-1_100)]],
  ['back by a day', [set(-864e5)]],
  ['ahead by 0.4 s', [set(400)]],
  ['ahead by 5 s, and back', [set(5_000), set(-5_000, 2_000)]],
  ['ahead by a day', [set(864e5)]],
  ['to and fro by 3 s', toAndFro(3_000)],
  ['fro and to by 3 s', toAndFro(-3_000)],
  ['to and fro by 0.3 s', toAndFro(300)],
  ['on a host that is 3 s behind', [set(-3_000, 300)], true],
  ['on a host that is 3 s ahead', [set(3_000, 300)], true],
  ['on hosts to and fro', toAndFro(3_000, 300, 5), true],
  ['back twice, and ahead by an hour, on hosts', [set(-100, 50), set(-100, 50), set(3_600_000, 50)], true],
])(
  'a clock that is set %s: at most 2.2 capacities in any window, and soon the whole rate',
  async (...row) => {
    const [, steps, losesWrites] = row;
    const { window, used, lately } = await spendThrough(steps, losesWrites);
    expect(window).toBeLessThanOrEqual(2.2);
    expect(lately).toBeGreaterThanOrEqual(0.95);
    expect(used).toBeGreaterThanOrEqual(steps.length > 2 ? 0.6 : 0.9);
  },
);

test('by any steps of 0.1 s to a day: at most 2.5 capacities in any window, 6 where writes are lost', async () => {
  const by = fc
    .tuple(fc.constantFrom(-1, 1), fc.double({ min: 2, max: 7.94, noNaN: true }))
    .map(([sign, power]) => Math.round(sign * 10 ** power));
  const step = fc.tuple(fc.integer({ min: 50, max: 2_000 }), by).map(([afterMs, byMs]) => set(byMs, afterMs));
  const some = fc.array(step, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(some, fc.boolean(), async (steps, losesWrites) => {
      const { window, lately } = await spendThrough(steps, losesWrites);
      // If a store writes three times in 300 ms, some processes come back a second after the others.
      expect(window).toBeLessThanOrEqual(losesWrites ? 6 : 2.5);
      expect(lately).toBeGreaterThanOrEqual(0.75);
    }),
    { numRuns: 25 },
  );
}, 240_000);
