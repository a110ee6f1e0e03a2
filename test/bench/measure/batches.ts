import { quantile } from './quantiles.ts';

/** Makes this many calls. */
export type Run = (calls: number) => void | Promise<void>;

export interface Batches {
  /** @default 21 */
  readonly batches?: number;
  /** So many that a batch has its share of the collections of garbage. @default 10_000 */
  readonly calls?: number;
  /** Each run is warmed up by at least so many calls. @default 10_000 */
  readonly warmCalls?: number;
  /** Each run is warmed up for at least so long. @default 200 */
  readonly warmMs?: number;
  /** The number of calls in a batch is a multiple of this. @default 1 */
  readonly step?: number;
}

/** How short a batch of the slowest run may be, and how long. */
const SHORTEST_MS = 5;
const LONGEST_MS = 20;

/**
 * The nanoseconds of one call of each run: the first quartile of batches that alternate between the runs. Garbage is never
 * collected by force: that discards optimized code, which would then be measured cold.
 */
export async function nsPerCall(runs: readonly Run[], options: Batches = {}): Promise<number[]> {
  const { batches: count = 21 } = options;
  const calls = await warmUp(runs, options);
  const batches = runs.map((): number[] => []);
  for (let batch = 0; batch < count; batch += 1) {
    for (const [index, run] of runs.entries()) batches[index]?.push((await time(run, calls)) / calls);
  }
  return batches.map((ns) => quantile(ns, 0.25));
}

/** Returns how many calls a batch should have. */
async function warmUp(runs: readonly Run[], options: Batches): Promise<number> {
  const { calls: wanted = 10_000, warmCalls = 10_000, warmMs = 200, step = 1 } = options;
  const startMs = performance.now();
  let done = 0;
  let calls = step;
  let slowest = 0;
  while (done < warmCalls || performance.now() - startMs < warmMs * runs.length) {
    slowest = 0;
    for (const run of runs) slowest = Math.max(slowest, (await time(run, calls)) / calls);
    done += calls;
    if (calls * slowest < SHORTEST_MS * 1e6) calls *= 2;
  }
  const atLeast = Math.max(wanted, (SHORTEST_MS * 1e6) / slowest);
  return step * Math.ceil(Math.min(atLeast, (LONGEST_MS * 1e6) / slowest) / step);
}

async function time(run: Run, calls: number): Promise<number> {
  const startMs = performance.now();
  // Without a promise nothing is awaited, so that runs that return none stay in one turn.
  const running = run(calls);
  if (running !== undefined) await running;
  return (performance.now() - startMs) * 1e6;
}

/** Each call waits for the one before it. */
export function oneByOne(call: () => Promise<unknown>): Run {
  return async (calls) => {
    for (let index = 0; index < calls; index += 1) await call();
  };
}

/** For calls that are done when they return. */
export function inOneTurn(call: () => unknown): Run {
  return (calls) => {
    for (let index = 0; index < calls; index += 1) call();
  };
}

/** So many calls are under way at any time. */
export function inFlight(lanes: number, call: () => Promise<unknown>): Run {
  return async (calls) => {
    let started = 0;
    const lane = async (): Promise<void> => {
      for (; started < calls; ) {
        started += 1;
        await call();
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  };
}

/** All calls of a group start in one turn. The number of calls is a multiple of the size of a group. */
export function inGroups(size: number, call: (index: number) => Promise<unknown>): Run {
  return async (calls) => {
    for (let done = 0; done < calls; done += size) {
      const group: Promise<unknown>[] = [];
      for (let index = 0; index < size; index += 1) group.push(call(index));
      await Promise.all(group);
    }
  };
}
