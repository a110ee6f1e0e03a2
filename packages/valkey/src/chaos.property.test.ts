import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyChaos, runChaos } from '../test/chaos.ts';

test('under random faults no request hangs, the fleet keeps to the quota, and an idle fleet does nothing', async () => {
  let granted = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const chaos = anyChaos(seed);
      const after = await runChaos(chaos);
      granted += after.granted;
      const { hanging, pending, idleCalls, wrongStats, overtaken } = after;
      expect({ hanging, pending, idleCalls, wrongStats }).toEqual({
        ...{ hanging: 0, pending: 0, idleCalls: 0 },
        wrongStats: [],
      });
      // With 'reject' and 'mark' a request may pass another that waits.
      if (chaos.nonConforming === 'delay') expect(overtaken).toBe(0);
      const { rate, capacity, processes, latencyMs, costs } = chaos;
      const requests = after.granted + after.refused;
      // While a request waits, its process checks the state of the bucket now and then.
      expect(after.calls).toBeLessThanOrEqual(5 * requests + 100 + (2 * processes * after.lastsMs) / 1_000);
      expect(after.timers).toBeLessThanOrEqual(20 * (requests + after.calls) + 1_000);
      if (chaos.outages || chaos.losses) return;
      const slack = (1e-5 * chaos.operations) / capacity;
      expect(after.fromStart).toBeLessThanOrEqual(1 + slack);
      // Expensive requests may come together if others leave the queue before them.
      const bound = Math.max(...costs) > 0.25 ? 4 : 2;
      expect(after.anyWindow).toBeLessThanOrEqual(bound + (rate * 4 * latencyMs) / 1_000 / capacity + slack);
    }),
    { numRuns: 80 },
  );
  expect(granted).toBeGreaterThan(5_000);
}, 60_000);
