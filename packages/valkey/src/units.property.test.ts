import { seededRandom, virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelStore } from '../test/model-store.ts';
import { valkeyBucket } from './index.ts';

const limit = fc.record({
  refillPerSecond: fc.constantFrom(5, 20, 100, 1_000),
  fillSeconds: fc.constantFrom(0.5, 2, 10),
});

const fleet = fc.record({
  limits: fc.array(limit, { minLength: 2, maxLength: 3 }),
  processes: fc.integer({ min: 1, max: 6 }),
  callers: fc.integer({ min: 1, max: 6 }),
  roundTripMs: fc.constantFrom(0.5, 5, 80),
  /** When the store is away, in seconds. */
  outage: fc.option(
    fc.record({ from: fc.integer({ min: 2, max: 8 }), lasts: fc.integer({ min: 1, max: 5 }) }),
  ),
  settles: fc.boolean(),
  seed: fc.nat(1_000),
});

const SECONDS = 15;

test('whatever requests cost in each unit: no unit is spent beyond its limit, and none waits for ever', async () => {
  await fc.assert(
    fc.asyncProperty(fleet, async ({ limits, processes, callers, roundTripMs, outage, settles, seed }) => {
      const clock = virtualClock({ startMs: 0 });
      const random = seededRandom(seed);
      const store = new ModelStore(clock);
      store.latencyMs = roundTripMs / 2;
      const own = Object.fromEntries(
        limits.map(({ refillPerSecond, fillSeconds }, unit) => [
          `unit${unit}`,
          { refillPerSecond, capacity: Math.max(1, refillPerSecond * fillSeconds) },
        ]),
      );
      const names = Object.keys(own);
      const costOf = (): Record<string, number> => {
        const cost = names.map((name) => {
          const { capacity = 1 } = own[name] ?? {};
          return [name, random() < 0.2 ? 0 : Math.max(0.01, random() ** 2 * capacity * 0.3)] as const;
        });
        return Object.fromEntries(cost.every(([, part]) => part === 0) ? [[names[0], 1]] : cost);
      };
      const spent: { readonly atMs: number; readonly cost: Record<string, number> }[] = [];
      let [isOver, hanging] = [false, 0];
      const buckets = Array.from({ length: processes }, () =>
        valkeyBucket({ client: store, key: 'k', limits: own, clock, random }),
      );
      for (const bucket of buckets) {
        for (let caller = 0; caller < callers; caller += 1) {
          void (async () => {
            while (!isOver) {
              const cost = costOf();
              hanging += 1;
              const grant = await bucket.acquire({ cost, maxWaitMs: 5_000 }).catch(() => undefined);
              hanging -= 1;
              if (grant === undefined) await clock.sleep(50);
              else {
                // What is given back was not spent.
                const used = settles
                  ? Object.fromEntries(Object.entries(cost).map(([name, part]) => [name, part * 0.9]))
                  : cost;
                if (!isOver) spent.push({ atMs: clock.now(), cost: used });
                if (settles) grant.settle(used);
              }
            }
          })();
        }
      }
      const awayMs = outage === null ? SECONDS * 1_000 : outage.from * 1_000;
      await clock.advance(awayMs);
      if (outage !== null) {
        store.health = 'refusing';
        await clock.advance(outage.lasts * 1_000);
        store.health = 'up';
        await clock.advance(Math.max(0, SECONDS - outage.from - outage.lasts) * 1_000);
      }
      isOver = true;
      await Promise.all([...buckets.map((bucket) => bucket.close()), clock.advance(10_000)]);
      expect(hanging).toBe(0);
      expect(spent.length).toBeGreaterThan(0);
      for (const name of names) {
        const { refillPerSecond = 0, capacity = 0 } = own[name] ?? {};
        let [sum, least, burst] = [0, 0, 0];
        for (const { atMs, cost } of spent) {
          const refilled = (1.1 * refillPerSecond * atMs) / 1_000;
          least = Math.min(least, sum - refilled);
          sum += cost[name] ?? 0;
          burst = Math.max(burst, sum - refilled - least);
        }
        expect(burst, name).toBeLessThanOrEqual(2 * capacity + 1 + refillPerSecond / 4);
      }
    }),
    { numRuns: 100 },
  );
});
