import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyChaos, live } from '../test/chaos.ts';

test('whatever happens, no one hangs, the quota holds, and a fleet that is idle does nothing', async () => {
  let granted = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const chaos = anyChaos(seed);
      const after = await live(chaos);
      granted += after.granted;
      const { hanging, pending, idleCalls, wrongStats, overtaken } = after;
      expect({ hanging, pending, idleCalls, wrongStats }).toEqual({
        ...{ hanging: 0, pending: 0, idleCalls: 0 },
        wrongStats: [],
      });
      // Those who do not wait go by those who do.
      if (chaos.nonConforming === 'delay') expect(overtaken).toBe(0);
      const { rate, capacity, processes, latencyMs, costs } = chaos;
      const asks = after.granted + after.refused;
      // Who waits long asks once in a while how the bucket stands.
      expect(after.calls).toBeLessThanOrEqual(5 * asks + 100 + (2 * processes * after.lastsMs) / 1_000);
      expect(after.timers).toBeLessThanOrEqual(20 * (asks + after.calls) + 1_000);
      if (chaos.outages || chaos.losses) return;
      const slack = (1e-5 * chaos.operations) / capacity;
      expect(after.fromStart).toBeLessThanOrEqual(1 + slack);
      // Large ones may come together where others leave the line before them.
      const bound = Math.max(...costs) > 0.25 ? 4 : 2;
      expect(after.anyWindow).toBeLessThanOrEqual(bound + (rate * 4 * latencyMs) / 1_000 / capacity + slack);
    }),
    { numRuns: 80 },
  );
  expect(granted).toBeGreaterThan(5_000);
}, 60_000);
