import { seededRandom, virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { pairs } from '../../../test/pairs.ts';
import { ModelStore } from '../test/model-store.ts';
import { type ValkeyBucket, valkeyBucket } from './index.ts';

// What a fleet spends if its store is lost while its processes do not know each other yet, in virtual time.

const RATE = 400;
const CAPACITY = 80;
const OUTAGE_MS = 10_000;

/** Processes that start, send one request each, and lose their store soon. */
interface Start {
  readonly processes: number;
  /** They start within so long, at random, in milliseconds. */
  readonly spreadMs: number;
  /** The store is lost so long after the last of them has started, in milliseconds. */
  readonly lostAfterMs: number;
  readonly roundTripMs: number;
  /** So many older processes have used the bucket for a minute, and go on. */
  readonly older?: number;
  /** So many older processes are killed when the others start. */
  readonly killed?: number;
  /** The store loses the key at these times after the first start, in milliseconds. */
  readonly losesAtMs?: readonly number[];
  /** How many processes the program says that there will be. */
  readonly expected?: number;
}

/** Returns the part of the rate that they spent while the store was away, and the most beyond 110 % of the rate, in capacities. */
async function play(start: Start): Promise<{ readonly used: number; readonly beyond: number }> {
  const { processes, spreadMs, lostAfterMs, roundTripMs, older = 0, killed = 0, expected = 0 } = start;
  const clock = virtualClock({ startMs: 0 });
  const random = seededRandom(1);
  const keys = new Map<string, string>();
  const stores: ModelStore[] = [];
  const times: number[] = [];

  const make = (): ValkeyBucket => {
    const client = new ModelStore(clock, keys);
    client.latencyMs = roundTripMs / 2;
    stores.push(client);
    const limit = { refillPerSecond: RATE, capacity: CAPACITY };
    return valkeyBucket({ client, key: 'k', ...limit, clock, random, processes: { expected } });
  };
  const once = (bucket: ValkeyBucket): Promise<void> =>
    bucket.acquire({ maxWaitMs: 2_000 }).then(
      () => void times.push(clock.now()),
      () => clock.sleep(20),
    );
  const keepAsking = async (bucket: ValkeyBucket, untilMs: number): Promise<void> => {
    while (clock.now() < untilMs) await once(bucket);
  };
  const old = Array.from({ length: older + killed }, make);
  if (old.length > 0) {
    for (const bucket of old) void keepAsking(bucket, 4_000);
    for (let second = 5; second < 60; second += 5) {
      await clock.advance(5_000);
      for (const bucket of old) void once(bucket);
    }
    for (const store of stores.slice(0, killed)) store.health = 'silent';
  }
  const alive = old.slice(killed);
  for (let process = 0; process < processes; process += 1) {
    clock.schedule(() => {
      const bucket = make();
      alive.push(bucket);
      void once(bucket);
    }, random() * spreadMs);
  }
  for (const atMs of start.losesAtMs ?? []) clock.schedule(() => keys.clear(), atMs);
  await clock.advance(spreadMs);
  await clock.advance(lostAfterMs);
  for (const store of stores) store.health = 'silent';
  const lostMs = clock.now();
  times.length = 0;
  for (const bucket of alive) {
    for (let caller = 0; caller < 4; caller += 1) void keepAsking(bucket, lostMs + OUTAGE_MS);
  }
  await clock.advance(OUTAGE_MS);
  let [least, beyond] = [0, 0];
  for (const [index, atMs] of times.entries()) {
    const level = index - (1.1 * RATE * (atMs - lostMs)) / 1_000;
    least = Math.min(least, level);
    beyond = Math.max(beyond, level + 1 - least);
  }
  return { used: times.length / ((RATE * OUTAGE_MS) / 1_000), beyond: beyond / CAPACITY };
}

/** Every pair of values. */
function starts(roundTripsMs: number[], lostAfterMs: number[], processes: number[]): readonly Start[] {
  const all = [0, 2].flatMap((older) =>
    roundTripsMs.flatMap((roundTripMs) =>
      processes.flatMap((count) =>
        [0, 500, 5_000].flatMap((spreadMs) =>
          lostAfterMs.map((after) => {
            return { processes: count, spreadMs, lostAfterMs: after, roundTripMs, older };
          }),
        ),
      ),
    ),
  );
  return pairs(all, Object.values);
}

describe('without its store a young fleet spends', { timeout: 240_000 }, () => {
  test.each(starts([0.5, 20, 200, 1_000], [20, 1_000], [1, 4, 16, 32, 64]))(
    'at most a tenth more than the rate and two capacities: %o',
    async (start) => {
      const { used, beyond } = await play(start);
      expect(used).toBeLessThanOrEqual(1.1);
      expect(beyond).toBeLessThanOrEqual(2);
    },
  );

  test.each(starts([0.5, 20], [50, 300, 500, 2_000], [1, 4, 32]))(
    'at least 0.4 of the rate from 50 ms after the start on: %o',
    async (start) => {
      expect((await play(start)).used).toBeGreaterThanOrEqual(0.4);
    },
  );
});

const near = { roundTripMs: 0.5, spreadMs: 0 };
const losesTwice = { ...near, spreadMs: 500, losesAtMs: [100, 400] };
const far = { roundTripMs: 200, spreadMs: 5_000 };

test.each<[name: string, start: Start, least: number, most: number]>([
  ['one process alone, within a second', { ...near, processes: 1, lostAfterMs: 150 }, 0.5, 0.56],
  ['one process alone, later', { ...near, processes: 1, lostAfterMs: 1_000 }, 0.95, 1.02],
  [
    '8 are killed and 8 start, 20 s before',
    { ...near, processes: 8, killed: 8, lostAfterMs: 20_000 },
    0.85,
    1.1,
  ],
  // The others are quiet, and do not take up all that is free.
  [
    '8 of 16 are killed, a minute before',
    { ...near, processes: 8, killed: 8, older: 8, lostAfterMs: 60_000 },
    0.7,
    1.1,
  ],
  ['the key is lost twice in 300 ms', { ...losesTwice, processes: 8, lostAfterMs: 300 }, 0.35, 1.1],
  ['32 are expected', { ...near, processes: 32, expected: 32, lostAfterMs: 50 }, 0.9, 1.1],
  ['64 are expected, 200 ms away', { ...far, processes: 64, expected: 64, lostAfterMs: 500 }, 0.8, 1.1],
])('%s', async (_, start, least, most) => {
  const { used, beyond } = await play(start);
  expect(used).toBeGreaterThanOrEqual(least);
  expect(used).toBeLessThanOrEqual(most);
  expect(beyond).toBeLessThanOrEqual(2);
});
