import { fairQueue, priorityQueue } from '@ebb/core';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelStore } from '../test/model-store.ts';
import { type ValkeyBucket, valkeyBucket } from './index.ts';

/** The most that was spent beyond `rate · t`: in any window, and in a window from the start. */
function worstOf(
  spent: readonly { atMs: number; cost: number }[],
  rate: number,
): [any: number, first: number] {
  let level = 0;
  let least = Number.POSITIVE_INFINITY;
  let [any, first] = [0, 0];
  let sum = 0;
  for (const { atMs, cost } of spent) {
    least = Math.min(least, sum - (rate * atMs) / 1_000);
    sum += cost;
    level = sum - (rate * atMs) / 1_000;
    any = Math.max(any, level - least);
    first = Math.max(first, level);
  }
  return [any, first];
}

const fleets = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 1, max: 6 }),
  rate: fc.constantFrom(0.7, 5, 40, 333.3, 2_000),
  capacitySeconds: fc.constantFrom(0.05, 0.2, 1, 4),
  load: fc.constantFrom(0.3, 0.9, 1.5, 4),
  latencyMs: fc.constantFrom(0.1, 2, 40),
  order: fc.constantFrom('arrival', 'priority', 'priority', 'fair'),
  // The highest cost, as a part of the capacity.
  most: fc.constantFrom(0.25, 1),
});

test('any fleet spends at most capacity + rate · t from the start, and little more in any window', async () => {
  let granted = 0;
  let aborted = 0;
  await fc.assert(
    fc.asyncProperty(
      fleets,
      async ({ seed, processes, rate, capacitySeconds, load, latencyMs, order, most }) => {
        const clock = virtualClock({ startMs: 0 });
        const random = seededRandom(seed);
        const store = new ModelStore(clock);
        store.latencyMs = latencyMs;
        const capacity = Math.max(1, rate * capacitySeconds);
        const queue = { arrival: undefined, priority: priorityQueue(), fair: fairQueue() }[order];
        const options = { client: store, key: 'k', refillPerSecond: rate, capacity, clock, random, queue };
        const start = (): ValkeyBucket => valkeyBucket(options);
        const buckets = Array.from({ length: processes }, start);
        const spent: { atMs: number; cost: number }[] = [];
        const ask = (bucket: ValkeyBucket): void => {
          const cost =
            random() < 0.8 ? Math.min(1, most * capacity) : Math.max(0.01, random() * most * capacity);
          const stop = new AbortController();
          if (random() < 0.1) {
            clock.schedule(() => stop.abort(new Error('no longer')), (random() * 3_000 * capacity) / rate);
          }
          const priority = order === 'arrival' ? 0 : Math.floor(random() * 3) - 1;
          const fairKey = order === 'fair' ? `key ${Math.floor(random() * 5)}` : undefined;
          bucket.acquire({ cost, signal: stop.signal, priority, fairKey }).then(
            (grant) => {
              const actual = random() < 0.9 ? cost : cost * random();
              spent.push({ atMs: clock.now(), cost: actual });
              granted += 1;
              grant.settle(actual);
            },
            () => {
              aborted += 1;
            },
          );
        };
        const lastsMs = Math.min(20_000, (200 / rate) * 1_000);
        const meanMs = 1_000 / ((rate * load) / Math.min(1, most * capacity));
        let sinceMs = 0;
        while (clock.now() < lastsMs) {
          const nextMs = clock.now() - Math.log(1 - random()) * meanMs;
          sinceMs = nextMs - clock.now();
          await clock.advance(Math.min(sinceMs, lastsMs));
          const at = Math.floor(random() * processes);
          const bucket = buckets[at];
          if (bucket !== undefined) ask(bucket);
          // A process ends, sometimes without closing its bucket, and another takes its place.
          if (random() < 0.005 && bucket !== undefined) {
            if (random() < 0.5) void bucket.close();
            buckets[at] = start();
          }
          if (random() < 0.003) store.forgetScripts();
          if (random() < 0.003) bucket?.pauseFor(random() * 100);
        }
        const [any, first] = worstOf(spent, rate);
        const slack = 1e-3 * (1 + spent.length);
        expect(first).toBeLessThanOrEqual(capacity + slack);
        // If expensive requests leave the queue, others may come together.
        const bound = most < 1 ? 2 * capacity : 4 * capacity;
        expect(any).toBeLessThanOrEqual(bound + (rate * 4 * latencyMs) / 1_000 + slack);
        void Promise.all(buckets.map((bucket) => bucket.close()));
        await clock.advance(10_000);
      },
    ),
    { numRuns: 40 },
  );
  expect(granted).toBeGreaterThan(1_000);
  expect(aborted).toBeGreaterThan(30);
}, 60_000);
