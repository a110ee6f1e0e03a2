import { seededRandom, virtualClock } from '@ebb/core/testing';
import { type ValkeyBucket, valkeyBucket } from '../src/index.ts';
import { ModelStore } from './model-store.ts';

const RATE = 400;
const CAPACITY = 80;
const OUTAGE_MS = 10_000;

/** Processes that start, send one request each, and lose their store soon. */
export interface Start {
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
  readonly seed?: number;
}

/** What they spent while the store was away, as a part of the rate, and the most in any window, in capacities. */
export interface StartUse {
  readonly used: number;
  /** From the start on. */
  readonly window: number;
  /** Beyond 110 % of the rate, from the loss on. */
  readonly beyond: number;
}

const most = (times: readonly number[], rate: number): number => {
  let [least, burst] = [0, 0];
  for (const [index, atMs] of times.entries()) {
    const level = index - (rate * atMs) / 1_000;
    least = Math.min(least, level);
    burst = Math.max(burst, level + 1 - least);
  }
  return burst / CAPACITY;
};

/** Plays a start in virtual time. */
export async function playStart(start: Start): Promise<StartUse> {
  const { processes, spreadMs, lostAfterMs, roundTripMs, older = 0, killed = 0, losesAtMs = [] } = start;
  const clock = virtualClock({ startMs: 0 });
  const random = seededRandom(start.seed ?? 1);
  const keys = new Map<string, string>();
  const stores: ModelStore[] = [];
  const times: number[] = [];
  let isAway = false;

  const make = (): ValkeyBucket => {
    const store = new ModelStore(clock, keys);
    store.latencyMs = roundTripMs / 2;
    stores.push(store);
    const bucket = valkeyBucket({
      ...{ client: store, key: 'k', refillPerSecond: RATE, capacity: CAPACITY, clock, random },
      ...(start.expected === undefined ? {} : { processes: { expected: start.expected } }),
    });
    return bucket;
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
  const dead = old.slice(0, killed);
  if (old.length > 0) {
    for (const bucket of old) void keepAsking(bucket, 4_000);
    for (let second = 5; second < 60; second += 5) {
      await clock.advance(5_000);
      for (const bucket of old) void once(bucket);
    }
    for (let process = 0; process < killed; process += 1) (stores[process] as ModelStore).health = 'silent';
  }
  const young: ValkeyBucket[] = [];
  for (let process = 0; process < processes; process += 1) {
    clock.schedule(() => {
      const bucket = make();
      young.push(bucket);
      void once(bucket);
    }, random() * spreadMs);
  }
  for (const atMs of losesAtMs) clock.schedule(() => keys.clear(), atMs);
  await clock.advance(spreadMs);
  await clock.advance(lostAfterMs);
  isAway = true;
  for (const store of stores) store.health = 'silent';
  const lostMs = clock.now();
  const alive = [...old.filter((bucket) => !dead.includes(bucket)), ...young];
  for (const bucket of alive) {
    for (let caller = 0; caller < 4; caller += 1) void keepAsking(bucket, lostMs + OUTAGE_MS);
  }
  await clock.advance(OUTAGE_MS);
  const during = times.filter((atMs) => isAway && atMs >= lostMs).map((atMs) => atMs - lostMs);
  return {
    used: during.length / ((RATE * OUTAGE_MS) / 1_000),
    window: most(times, RATE),
    beyond: most(during, 1.1 * RATE),
  };
}
