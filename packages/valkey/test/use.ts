import { type Ask, type Grant, tokenBucket } from '@ebb/core';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import { valkeyBucket } from '../src/index.ts';
import { ModelStore } from './model-store.ts';

export interface Load {
  readonly rate: number;
  readonly capacity: number;
  readonly costs: readonly number[];
  readonly processes: number;
  /** Requests that each process wants to have under way, at least one. */
  readonly askers: number | readonly number[];
  readonly seconds: number;
  readonly latencyMs?: number;
  readonly seed?: number;
  readonly lateMs?: number;
}
export interface Use {
  share: number;
  p50: number;
  p99: number;
  max: number;
  excess: number;
  window: number;
  calls: number;
  least: number;
  most: number;
  grants: number;
}
interface Bucket {
  acquire(ask?: Ask): Promise<Grant>;
}

async function run(load: Load, shared: boolean): Promise<Use> {
  const clock = virtualClock();
  const random = seededRandom(load.seed ?? 1);
  const { rate, capacity, costs } = load;
  // Timers are late by up to lateMs.
  const late = load.lateMs ?? 0;
  const slow =
    late === 0
      ? clock
      : {
          now: () => clock.now(),
          schedule: (wake: () => void, ms: number) =>
            clock.schedule(wake, Math.max(1, Math.ceil(ms)) + late * random()),
        };
  const store = new ModelStore(clock);
  store.latencyMs = load.latencyMs ?? 0.25;
  const options = { refillPerSecond: rate, capacity, clock: slow, random };
  const one = tokenBucket(options);
  const buckets: Bucket[] = Array.from({ length: load.processes }, () =>
    shared ? valkeyBucket({ ...options, client: store, key: 'k' }) : one,
  );
  const waits: number[] = [];
  const spent: { atMs: number; cost: number }[] = [];
  const of = buckets.map(() => 0);
  let stopped = false;
  buckets.forEach((bucket, p) => {
    const n = typeof load.askers === 'number' ? load.askers : (load.askers[p] ?? 0);
    for (let i = 0; i < n; i += 1)
      void (async () => {
        while (!stopped) {
          const cost = costs[Math.floor(random() * costs.length)] ?? 1;
          const since = clock.now();
          await bucket.acquire({ cost });
          if (stopped) return;
          waits.push(clock.now() - since);
          spent.push({ atMs: clock.now(), cost });
          of[p] = (of[p] ?? 0) + cost;
        }
      })();
  });
  for (let s = 0; s < load.seconds * 10; s += 1) await clock.advance(100);
  stopped = true;
  const t = load.seconds;
  let sum = 0,
    least = 0,
    excess = -Infinity,
    window = 0;
  for (const { atMs, cost } of spent) {
    least = Math.min(least, sum - (rate * atMs) / 1000);
    sum += cost;
    const level = sum - (rate * atMs) / 1000;
    excess = Math.max(excess, level - capacity);
    window = Math.max(window, level - least);
  }
  waits.sort((a, b) => a - b);
  const q = (x: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * x))] ?? NaN;
  return {
    share: sum / (capacity + rate * t),
    p50: q(0.5),
    p99: q(0.99),
    max: q(1),
    excess,
    window: window / capacity,
    calls: (store.calls.length / waits.length) * 1000,
    least: (Math.min(...of) / sum) * of.length,
    most: (Math.max(...of) / sum) * of.length,
    grants: waits.length,
  };
}
export const shared = (load: Load) => run(load, true);
export const memory = (load: Load) => run(load, false);

if (process.argv[1]?.endsWith('use.ts')) {
  const f = (u: Use) =>
    `${(u.share * 100).toFixed(1).padStart(6)} %  p50 ${u.p50.toFixed(0).padStart(5)} p99 ${u.p99.toFixed(0).padStart(5)} max ${u.max.toFixed(0).padStart(6)}  exc ${u.excess.toFixed(1).padStart(7)} win ${u.window.toFixed(2)}c calls/1000 ${u.calls.toFixed(0).padStart(5)} parts ${u.least.toFixed(2)}..${u.most.toFixed(2)}`;
  const set = process.argv[2] ?? 'mix';
  const loads: Load[] = [];
  const seconds = Number(process.argv[3] ?? 20);
  if (set === 'mix')
    for (const costs of [
      [1],
      [1, 20],
      [0.5, 1, 3, 20, 50],
      [0.5, 1, 3, 100],
      [200],
      [1, 200],
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 150],
    ])
      for (const processes of [1, 2, 8, 32])
        loads.push({ rate: 1000, capacity: 200, costs, processes, askers: 16, seconds });
  if (set === 'small')
    for (const rate of [1000, 2000])
      for (const capacity of [1, 2, 5, 10, 20])
        for (const [latencyMs, lateMs] of [
          [0.25, 0],
          [0.25, 1],
          [1, 2],
        ] as const)
          loads.push({ rate, capacity, costs: [1], processes: 8, askers: 16, seconds, latencyMs, lateMs });
  if (set === 'greedy')
    for (const [latencyMs, lateMs] of [
      [0.25, 0],
      [0.25, 1],
    ] as const)
      loads.push(
        {
          rate: 1000,
          capacity: 200,
          costs: [1],
          processes: 8,
          askers: [64, 0, 0, 0, 0, 0, 0, 0],
          seconds,
          latencyMs,
          lateMs,
        },
        {
          rate: 1000,
          capacity: 200,
          costs: [1, 20],
          processes: 8,
          askers: [64, 1, 1, 1, 1, 1, 1, 1],
          seconds,
          latencyMs,
          lateMs,
        },
      );
  for (const load of loads) {
    const [s, m] = [await shared(load), await memory(load)];
    console.log(
      `${load.rate}/s c=${load.capacity} [${load.costs}] ${load.processes}p lat ${load.latencyMs ?? 0.25} late ${load.lateMs ?? 0}\n   ${f(s)}\n   ${f(m)}   max x${(s.max / m.max).toFixed(2)} p99 x${(s.p99 / m.p99).toFixed(2)}`,
    );
  }
}
