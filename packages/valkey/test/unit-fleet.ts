import type { Quota } from '@ebb/core/bucket';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import { type ValkeyBucket, valkeyBucket } from '../src/index.ts';
import { ModelStore } from './model-store.ts';

/** A saturated fleet of several units. */
export interface UnitFleet {
  readonly limits: Readonly<Record<string, Quota>>;
  readonly costOf: (random: () => number) => Record<string, number>;
  readonly processes: number;
  /** Callers of each process. */
  readonly callers: number;
  readonly roundTripMs: number;
  readonly seconds: number;
  readonly seed: number;
  readonly maxWaitMs?: number;
  /** When the store is away, in seconds. */
  readonly outage?: { readonly from: number; readonly lasts: number } | null;
  /** Each grant gives back a tenth of its tokens. */
  readonly settles?: boolean;
}

/** What it spent of each unit: as a part of `capacity + rate · t`, and the most beyond 110 % of the rate, in capacities. */
export async function playUnits(fleet: UnitFleet) {
  const { limits, costOf, processes, callers, seconds, outage, maxWaitMs, settles = false } = fleet;
  const clock = virtualClock({ startMs: 0 });
  const random = seededRandom(fleet.seed);
  const store = new ModelStore(clock);
  store.latencyMs = fleet.roundTripMs / 2;
  const spent: { readonly atMs: number; readonly cost: Record<string, number> }[] = [];
  let [isOver, hanging] = [false, 0];
  const keepAsking = async (bucket: ValkeyBucket): Promise<void> => {
    while (!isOver) {
      const cost = costOf(random);
      hanging += 1;
      const grant = await bucket.acquire({ cost, maxWaitMs }).catch(() => undefined);
      hanging -= 1;
      if (grant === undefined) {
        await clock.sleep(50);
        continue;
      }
      // What is given back was not spent.
      const kept = settles ? 0.9 : 1;
      const used = Object.fromEntries(Object.entries(cost).map(([name, part]) => [name, part * kept]));
      if (!isOver) spent.push({ atMs: clock.now(), cost: used });
      if (settles) grant.settle(used);
    }
  };
  const buckets = Array.from({ length: processes }, () =>
    valkeyBucket({ client: store, key: 'k', limits, clock, random }),
  );
  for (const bucket of buckets) for (let caller = 0; caller < callers; caller += 1) void keepAsking(bucket);
  const { from, lasts } = outage ?? { from: seconds, lasts: 0 };
  await clock.advance(from * 1_000);
  if (lasts > 0) store.health = 'refusing';
  await clock.advance(lasts * 1_000);
  store.health = 'up';
  await clock.advance(Math.max(0, seconds - from - lasts) * 1_000);
  isOver = true;
  const callsPerGrant = store.calls.length / spent.length;
  await Promise.all([...buckets.map((bucket) => bucket.close()), clock.advance(10_000)]);
  const use = Object.entries(limits).map(([name, { refillPerSecond, capacity }]) => {
    let [sum, least, burst] = [0, 0, 0];
    for (const { atMs, cost } of spent) {
      const refilled = (1.1 * refillPerSecond * atMs) / 1_000;
      least = Math.min(least, sum - refilled);
      sum += cost[name] ?? 0;
      burst = Math.max(burst, sum - refilled - least);
    }
    return { name, share: sum / (capacity + refillPerSecond * seconds), burst: burst / capacity };
  });
  return { use, callsPerGrant, hanging, grants: spent.length };
}
