import { type AcquireOptions, type Clock, type Grant, tokenBucket } from '@ebb/core';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import { valkeyBucket } from '../src/index.ts';
import { ModelStore } from './model-store.ts';

/** A saturated fleet: each caller acquires again as soon as it has its tokens. */
export interface ClosedLoop {
  readonly rate: number;
  readonly capacity: number;
  /** Each request costs one of these, drawn at random. */
  readonly costs: readonly number[];
  readonly processes: number;
  /** How many callers each process has; a list has one number per process. */
  readonly askers: number | readonly number[];
  /** How long each caller waits before it asks again, in milliseconds; a list has one number per process. */
  readonly thinkMs?: number | readonly number[];
  /** Instead of callers: requests come at random, together at this part of the rate. */
  readonly openLoad?: number;
  readonly seconds: number;
  /** How long a message to the store takes, each way; a list has one number per process. */
  readonly latencyMs?: number | readonly number[];
  /** Messages take up to twice as long, or no time, and overtake each other. */
  readonly jitter?: boolean;
  /** How late timers are at most. Above 0 they also have whole milliseconds, as in Node. */
  readonly lateMs?: number;
  /** When the store starts to lose the key, and how often it does. */
  readonly losses?: { readonly fromMs: number; readonly everyMs: number };
  /** The processes start within so long, at random. Then one that does not know its share yet may refuse a request. */
  readonly spreadMs?: number;
  readonly seed?: number;
}

/** A fleet of 16 callers a process: half of them near their store, half at a distance. */
export function halfFar(processes: number, rate: number, roundTripMs: number, seconds: number): ClosedLoop {
  const isNear = (process: number): boolean => process < processes / 2;
  const latencyMs = Array.from({ length: processes }, (_, process) =>
    isNear(process) ? 0.25 : roundTripMs / 2,
  );
  return { ...{ rate, capacity: rate / 5, costs: [1], askers: 16 }, processes, latencyMs, seconds };
}

/** How the fleet used its quota. Times are in milliseconds. */
export interface Use {
  /** Tokens that were spent, as a part of `capacity + rate · t`. */
  readonly share: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** The most that was spent beyond `capacity + rate · t`, from the start to any time. */
  readonly excess: number;
  /** The most that was spent in any window beyond `rate · t`, in capacities. */
  readonly burst: number;
  /** The least and the most that a process spent, relative to a fair share. */
  readonly parts: readonly [least: number, most: number];
  /** What the second half of the processes spent, as a part of all that was spent. */
  readonly secondHalf: number;
  readonly callsPerGrant: number;
}

const of = (value: number | readonly number[], process: number): number =>
  typeof value === 'number' ? value : (value[process] ?? 0);

/** Timers as in a real process: in whole milliseconds, and late. */
function lateTimers(clock: Clock, lateMs: number, random: () => number): Clock {
  return {
    now: () => clock.now(),
    schedule: (wake, delayMs) => clock.schedule(wake, Math.max(1, Math.ceil(delayMs)) + lateMs * random()),
  };
}

/** `'shared'`: each process has a bucket of one fleet. `'memory'`: all processes use one bucket in memory. */
export async function play(load: ClosedLoop, where: 'shared' | 'memory'): Promise<Use> {
  const { rate, capacity, costs, latencyMs = 0.25, lateMs = 0, losses, seed = 1 } = load;
  const time = virtualClock({ startMs: 0 });
  const random = seededRandom(seed);
  const clock = lateMs === 0 ? time : lateTimers(time, lateMs, seededRandom(seed + 2));
  const keys = new Map<string, string>();
  // A connection for each process.
  const stores = Array.from({ length: load.processes }, (_, process) => {
    const store = new ModelStore(time, keys);
    store.latencyMs = of(latencyMs, process);
    if (load.jitter) store.jitter = () => 2 * random();
    return store;
  });
  const options = { refillPerSecond: rate, capacity, clock };
  const one = tokenBucket(options);
  // A separate generator, so that both kinds of bucket see the same costs.
  const draws = seededRandom(seed + 1);
  const makeShared = (client: ModelStore) => valkeyBucket({ ...options, client, key: 'k', random: draws });
  const waits: number[] = [];
  const spent: { readonly atMs: number; readonly cost: number; readonly process: number }[] = [];
  let stopped = false;

  type Bucket = { acquire(ask?: AcquireOptions): Promise<Grant> };
  const once = async (process: number, bucket: Bucket): Promise<void> => {
    const cost = costs[Math.floor(random() * costs.length)] ?? 1;
    const sinceMs = time.now();
    try {
      await bucket.acquire({ cost });
    } catch (error) {
      if (load.spreadMs === undefined) throw error;
      await time.sleep(20);
      return;
    }
    if (stopped) return;
    waits.push(time.now() - sinceMs);
    spent.push({ atMs: time.now(), cost, process });
  };
  const ask = async (process: number, bucket: Bucket): Promise<void> => {
    const thinkMs = of(load.thinkMs ?? 0, process);
    while (!stopped) {
      await once(process, bucket);
      if (thinkMs > 0) await time.sleep(thinkMs);
    }
  };
  const arrive = (process: number, bucket: Bucket, everyMs: number): void => {
    if (stopped) return;
    void once(process, bucket);
    time.schedule(() => arrive(process, bucket, everyMs), -Math.log(1 - random()) * everyMs);
  };
  for (const [process, store] of stores.entries()) {
    const bucket = where === 'shared' ? makeShared(store) : one;
    if (load.openLoad !== undefined) {
      const everyMs = (load.processes * 1_000) / (rate * load.openLoad);
      time.schedule(() => arrive(process, bucket, everyMs), random() * everyMs);
      continue;
    }
    const start = (): void => {
      for (let asker = 0; asker < of(load.askers, process); asker += 1) void ask(process, bucket);
    };
    if (load.spreadMs === undefined) start();
    else time.schedule(start, random() * load.spreadMs);
  }
  if (losses !== undefined) {
    const lose = (): void => {
      keys.clear();
      time.schedule(lose, losses.everyMs);
    };
    time.schedule(lose, losses.fromMs);
  }
  await time.advance(load.seconds * 1_000);
  stopped = true;

  let [sum, lowest, excess, burst] = [0, 0, Number.NEGATIVE_INFINITY, 0];
  const parts = Array<number>(load.processes).fill(0);
  for (const { atMs, cost, process } of spent) {
    const refilled = (rate * atMs) / 1_000;
    lowest = Math.min(lowest, sum - refilled);
    sum += cost;
    parts[process] = (parts[process] ?? 0) + cost;
    excess = Math.max(excess, sum - refilled - capacity);
    burst = Math.max(burst, sum - refilled - lowest);
  }
  waits.sort((one, other) => one - other);
  const fair = sum / load.processes;
  return {
    share: sum / (capacity + rate * load.seconds),
    p50Ms: waits[Math.floor(waits.length / 2)] ?? 0,
    meanMs: waits.reduce((total, waitMs) => total + waitMs, 0) / waits.length,
    p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
    longestMs: waits.at(-1) ?? 0,
    excess,
    burst: burst / capacity,
    parts: [Math.min(...parts) / fair, Math.max(...parts) / fair],
    secondHalf: parts.slice(load.processes / 2).reduce((total, part) => total + part, 0) / sum,
    callsPerGrant: stores.reduce((calls, store) => calls + store.calls.length, 0) / waits.length,
  };
}
