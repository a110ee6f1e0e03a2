import { expect, test } from 'vitest';
import { World } from '../test/world.ts';

const RATE = 400;
const SECONDS = 5;

/** Isolates whose callers acquire tokens as fast as they get them. Returns when tokens were granted, by isolate. */
async function saturate(world: World, isolates: number, capacity: number) {
  const grants: { atMs: number; of: number }[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const buckets = Array.from({ length: isolates }, () => world.bucket({ refillPerSecond: RATE, capacity }));
  const loop = async (of: number): Promise<void> => {
    while (!signal.aborted && grants.length < 10_000) {
      await buckets[of]?.acquire({ signal });
      grants.push({ atMs: world.clock.now(), of });
    }
  };
  const loops = buckets.flatMap((_, of) => Array.from({ length: 8 }, () => loop(of).catch(() => undefined)));
  await world.clock.advance(SECONDS * 1_000);
  stop.abort();
  await Promise.all(loops);
  return grants;
}

/** The most grants in any window, beyond what comes in meanwhile. */
function burst(grants: readonly { atMs: number }[]): number {
  let most = 0;
  let level = 0;
  let lastMs = 0;
  for (const { atMs } of grants) {
    level = Math.max(0, level - ((atMs - lastMs) * RATE) / 1_000) + 1;
    lastMs = atMs;
    most = Math.max(most, level);
  }
  return most;
}

test.each([
  [1, 8],
  [10, 8],
  [60, 40],
])(
  '8 isolates, %d ms away, use the whole quota with a call per lease, at capacity %d',
  async (roundTripMs, capacity) => {
    const world = new World();
    world.roundTripMs = roundTripMs;
    const grants = await saturate(world, 8, capacity);
    const used = grants.filter(({ atMs }) => atMs >= 1_000).length / (RATE * (SECONDS - 1));
    expect(used).toBeGreaterThan(0.995);
    expect(used).toBeLessThan(1.02);
    expect(burst(grants)).toBeLessThanOrEqual(2 * capacity + 1);
    // Each isolate leases its part of `aheadMs` and of the time of a call.
    const perLease = (RATE * (100 + roundTripMs)) / 1_000 / 8;
    expect(grants.length / world.calls.length).toBeGreaterThan(0.8 * perLease);
    const counts = Array.from({ length: 8 }, (_, of) => grants.filter((grant) => grant.of === of).length);
    expect(Math.min(...counts)).toBeGreaterThan(0.9 * Math.max(...counts));
  },
);
