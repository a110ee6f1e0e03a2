import type { AcquireOptions, Grant } from '@ebb/core';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import { type ValkeyBucket, type ValkeyBucketOptions, valkeyBucket } from '../src/index.ts';
import { type Health, ModelStore } from './model-store.ts';

export interface Trouble {
  readonly processes: number;
  readonly rate: number;
  readonly capacity?: number;
  /** Before the trouble each process sends one request in so many milliseconds; 0: saturated by `askers`. */
  readonly quietMs: number;
  readonly quietForMs: number;
  /** Processes start so far apart. */
  readonly apartMs?: number;
  readonly health?: Health;
  /** One-way latency during the trouble. */
  readonly slowMs?: number;
  readonly forMs: number;
  readonly seed?: number;
  readonly askers?: number;
}

/** What the fleet spends while the store is in trouble, of the rate. All are saturated then. */
export async function inTrouble(t: Trouble): Promise<{ share: number; modes: Record<string, number> }> {
  const clock = virtualClock({ startMs: 0 });
  const random = seededRandom(t.seed ?? 1);
  const store = new ModelStore(clock);
  const capacity = t.capacity ?? Math.max(1, t.rate / 5);
  const make = (): ValkeyBucket =>
    valkeyBucket({ client: store, key: 'k', refillPerSecond: t.rate, capacity, clock, random });
  const buckets: ValkeyBucket[] = [];
  const grants: number[] = [];
  let troubled = false;
  let stopped = false;
  const quiet = async (bucket: ValkeyBucket): Promise<void> => {
    await new Promise<void>((r) => clock.schedule(r, random() * t.quietMs));
    while (!troubled && !stopped) {
      try {
        await bucket.acquire({ maxWaitMs: 2_000 });
        grants.push(clock.now());
      } catch {}
      await new Promise<void>((r) => clock.schedule(r, t.quietMs));
    }
  };
  const busy = async (bucket: ValkeyBucket): Promise<void> => {
    while (!stopped) {
      try {
        await bucket.acquire({ maxWaitMs: 2_000 });
        grants.push(clock.now());
      } catch {
        await new Promise<void>((r) => clock.schedule(r, 20));
      }
    }
  };
  for (let i = 0; i < t.processes; i += 1) {
    const bucket = make();
    buckets.push(bucket);
    if (t.quietMs > 0) void quiet(bucket);
    else for (let a = 0; a < (t.askers ?? 4); a += 1) void busy(bucket);
    if (t.apartMs) await clock.advance(t.apartMs);
  }
  await clock.advance(t.quietForMs);
  if (t.health) store.health = t.health;
  if (t.slowMs) store.latencyMs = t.slowMs;
  troubled = true;
  const from = clock.now();
  if (t.quietMs > 0) for (const b of buckets) for (let a = 0; a < (t.askers ?? 4); a += 1) void busy(b);
  await clock.advance(t.forMs);
  const share = grants.filter((g) => g >= from).length / ((t.rate * t.forMs) / 1_000);
  const modes: Record<string, number> = {};
  for (const b of buckets) modes[b.stats().mode] = (modes[b.stats().mode] ?? 0) + 1;
  stopped = true;
  void Promise.all(buckets.map((b) => b.close()));
  await clock.advance(5_000);
  return { share, modes };
}
