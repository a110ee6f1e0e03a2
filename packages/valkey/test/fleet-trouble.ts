import { seededRandom, virtualClock } from '@ebb/core/testing';
import type { OnStoreError } from '../src/events.ts';
import { type ValkeyBucket, valkeyBucket } from '../src/index.ts';
import { type Health, ModelStore } from './model-store.ts';

/** A time in which the store and the callers behave alike. */
export interface Phase {
  readonly lastsMs: number;
  /** @default 'up' */
  readonly health?: Health;
  /** @default 0.5 */
  readonly roundTripMs?: number;
  /** Each message takes up to this part more or less of its time. @default 0 */
  readonly varies?: number;
  /** The store loses the key so often. */
  readonly losesEveryMs?: number | undefined;
  /** Each process sends one request in so many milliseconds; else each of its callers asks again at once. */
  readonly quietMs?: number | undefined;
}

export interface TroubledFleet {
  readonly processes: number;
  readonly rate: number;
  /** @default a fifth of the rate */
  readonly capacity?: number;
  /** Callers of each process while it is busy. @default 4 */
  readonly askers?: number;
  /** Each process starts so much later than the one before, in milliseconds. The first phase begins when all have. */
  readonly apartMs?: number;
  readonly phases: readonly Phase[];
  readonly seed?: number;
  readonly onStoreError?: OnStoreError;
}

export interface Spending {
  /** What was spent in each phase, as a part of `rate · t`. */
  readonly shares: readonly number[];
  /** The most that was spent in any window beyond `1.1 · rate · t`, in capacities. */
  readonly burst: number;
  /** How long the longest request waited for its grant or refusal, in milliseconds. */
  readonly longestMs: number;
  /** How often a process lost the store or got it back within any 6 s of the last phase, at most. */
  readonly turns: number;
  /** Requests that had neither in the end, and timers. */
  readonly hanging: number;
  readonly pending: number;
}

const PATIENCE_MS = 2_000;
const TURNS_MS = 6_000;

/** A fleet whose store is quiet, slow, away or forgetful, in virtual time. */
export async function spendInTrouble(fleet: TroubledFleet): Promise<Spending> {
  const {
    rate,
    capacity = Math.max(1, rate / 5),
    askers = 4,
    apartMs = 0,
    phases,
    seed = 1,
    onStoreError,
  } = fleet;
  const clock = virtualClock({ startMs: 0 });
  const random = seededRandom(seed);
  const store = new ModelStore(clock);
  const grantedAtMs: number[] = [];
  let [hanging, longestMs] = [0, 0];
  let phase: Phase | undefined = phases[0];

  const acquire = async (bucket: ValkeyBucket): Promise<void> => {
    const sinceMs = clock.now();
    hanging += 1;
    try {
      await bucket.acquire({ maxWaitMs: PATIENCE_MS });
      grantedAtMs.push(clock.now());
    } catch {
      await clock.sleep(20);
    }
    hanging -= 1;
    longestMs = Math.max(longestMs, clock.now() - sinceMs);
  };
  /** The first caller of a process is also the one that asks while it is quiet. */
  const call = async (bucket: ValkeyBucket, isFirst: boolean): Promise<void> => {
    for (let entered: Phase | undefined; phase !== undefined; ) {
      const { quietMs } = phase;
      const isNew = entered !== phase;
      entered = phase;
      if (quietMs === undefined) await acquire(bucket);
      else if (isFirst && !isNew) await acquire(bucket);
      if (quietMs === undefined) continue;
      // A phase may end meanwhile.
      const untilMs = clock.now() + (isNew ? random() * quietMs : quietMs);
      while (phase === entered && clock.now() < untilMs)
        await clock.sleep(Math.min(50, untilMs - clock.now()));
    }
  };

  const begin = ({ health = 'up', roundTripMs = 0.5, varies = 0, losesEveryMs }: Phase, of: Phase): void => {
    store.health = health;
    store.latencyMs = roundTripMs / 2;
    if (varies > 0) store.jitter = () => 1 + varies * (2 * random() - 1);
    const lose = (): void => {
      if (phase !== of || losesEveryMs === undefined) return;
      store.keys.clear();
      clock.schedule(lose, losesEveryMs);
    };
    if (losesEveryMs !== undefined) clock.schedule(lose, losesEveryMs);
  };

  const [first] = phases;
  if (first !== undefined) begin(first, first);
  const buckets: ValkeyBucket[] = [];
  const turnsAtMs: number[][] = [];
  for (let count = 0; count < fleet.processes; count += 1) {
    const turned: number[] = [];
    turnsAtMs.push(turned);
    const bucket = valkeyBucket({
      ...{ client: store, key: 'k', refillPerSecond: rate, capacity, clock, random, onStoreError },
      onStoreEvent: () => turned.push(clock.now()),
    });
    buckets.push(bucket);
    for (let asker = 0; asker < askers; asker += 1) void call(bucket, asker === 0);
    await clock.advance(apartMs);
  }
  const shares: number[] = [];
  for (const next of phases) {
    phase = next;
    begin(next, next);
    const before = grantedAtMs.length;
    for (const turned of turnsAtMs) turned.length = 0;
    await clock.advance(next.lastsMs);
    shares.push((grantedAtMs.length - before) / ((rate * next.lastsMs) / 1_000));
  }
  phase = undefined;
  const within = (turned: number[], fromMs: number): number =>
    turned.filter((atMs) => atMs >= fromMs && atMs < fromMs + TURNS_MS).length;
  const turns = Math.max(0, ...turnsAtMs.flatMap((turned) => turned.map((atMs) => within(turned, atMs))));
  const ended = Promise.all(buckets.map((bucket) => bucket.close()));
  await clock.advance(PATIENCE_MS + 3_000);
  await ended;

  let [least, burst] = [0, 0];
  grantedAtMs.forEach((atMs, index) => {
    const refilled = (1.1 * rate * atMs) / 1_000;
    least = Math.min(least, index - refilled);
    burst = Math.max(burst, index + 1 - refilled - least);
  });
  const { pending } = clock;
  return { shares, burst: burst / capacity, longestMs, turns, hanging, pending };
}
