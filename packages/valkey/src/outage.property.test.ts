import { seededRandom, virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Health, ModelStore } from '../test/model-store.ts';
import { valkeyBucket } from './index.ts';

const DEADLINE_MS = 1_000;

const fleets = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 1, max: 6 }),
  rate: fc.constantFrom(50, 400, 2_000),
  capacitySeconds: fc.constantFrom(0.1, 0.2, 1),
  outages: fc.array(
    fc.record({
      health: fc.constantFrom<Health>('refusing', 'silent', 'frozen'),
      lastsMs: fc.integer({ min: 50, max: 3_000 }),
      thenMs: fc.integer({ min: 100, max: 3_000 }),
      forgets: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

type Fleet = typeof fleets extends fc.Arbitrary<infer T> ? T : never;

/** Two losses, 0.4 s apart: the fleet spent 10.9 tokens more than the rate allows, of a capacity of 5. */
const TWO_LOSSES: [Fleet] = [
  {
    seed: -1507223698,
    processes: 2,
    rate: 50,
    capacitySeconds: 0.1,
    outages: [
      { health: 'refusing', lastsMs: 497, thenMs: 100, forgets: false },
      { health: 'refusing', lastsMs: 52, thenMs: 334, forgets: true },
      { health: 'refusing', lastsMs: 50, thenMs: 770, forgets: true },
      { health: 'refusing', lastsMs: 50, thenMs: 100, forgets: false },
    ],
  },
];

test('through any outages of the store the fleet keeps to the quota, and no request hangs', async () => {
  await fc.assert(
    fc.asyncProperty(fleets, async ({ seed, processes, rate, capacitySeconds, outages }) => {
      const clock = virtualClock({ startMs: 0 });
      const random = seededRandom(seed);
      const store = new ModelStore(clock);
      const capacity = rate * capacitySeconds;
      const options = { client: store, key: 'k', refillPerSecond: rate, capacity, clock, random };
      const buckets = Array.from({ length: processes }, () => valkeyBucket(options));
      const grants: number[] = [];
      let under = 0;
      let longestMs = 0;
      let stopped = false;
      const keepAsking = async (bucket: (typeof buckets)[number]): Promise<void> => {
        // The bound ends a loop with a bucket that grants everything.
        while (!stopped && grants.length < 200_000) {
          const askedMs = clock.now();
          under += 1;
          let granted = true;
          try {
            await bucket.acquire({ maxWaitMs: DEADLINE_MS });
            grants.push(clock.now());
          } catch {
            granted = false;
          }
          under -= 1;
          longestMs = Math.max(longestMs, clock.now() - askedMs);
          if (!granted) await new Promise<void>((resolve) => clock.schedule(resolve, 5));
        }
      };
      for (const bucket of buckets) for (let asker = 0; asker < 4; asker += 1) void keepAsking(bucket);
      // The store has counted all processes before the first outage.
      await clock.advance(1_500);
      for (const { health, lastsMs, thenMs, forgets } of outages) {
        store.health = health;
        await clock.advance(lastsMs);
        store.health = 'up';
        if (forgets) store.keys.clear();
        await clock.advance(thenMs);
      }
      const endMs = clock.now();
      const count = grants.length;
      stopped = true;
      void Promise.all(buckets.map((bucket) => bucket.close()));
      await clock.advance(5_000);

      const excess = Math.max(...grants.map((atMs, index) => index + 1 - (rate * atMs) / 1_000));
      // A process that notices an outage late spends a little too much. A store that lost its data is full again, each time.
      const losses = outages.filter((outage) => outage.forgets).length;
      expect(excess).toBeLessThanOrEqual((losses > 0 ? 1 + losses : 1.5) * capacity);
      expect(count).toBeGreaterThan((capacity + (rate * endMs) / 1_000) * 0.5);
      expect(longestMs).toBeLessThanOrEqual(DEADLINE_MS + 1);
      expect({ under, pending: clock.pending }).toEqual({ under: 0, pending: 0 });
    }),
    { numRuns: 30, examples: [TWO_LOSSES] },
  );
}, 60_000);
