import type { Run } from './batches.ts';
import type { Quantiles } from './part.ts';
import { quantile } from './quantiles.ts';

/** So long that a batch has its share of the collections of garbage, and so short that some have the processor to themselves. */
const BATCH_MS = 25;
const BATCHES = 30;
/** The compilers are done by then. */
const WARM_MS = 200;

/** Of the rounds, for the same reason as in {@link cpuNsPerCall}: another program can only make a process slower. */
export const CPU_QUANTILES: Quantiles = [0.05, 0.2, 0.5];

/** Node's flags for a process whose CPU time is measured: what is collected is collected in the thread of the calls, and counts. */
export const CPU_FLAGS: readonly string[] = ['--single-threaded-gc'];

/**
 * The nanoseconds of CPU time that one call takes: the first quartile of many short batches. Time in which another process had the
 * processor does not count. What runs beside this one on the same core makes its calls slower nevertheless, by half and more:
 * hence no mean. Measure one subject in a process: two share what the compiler knows of them.
 */
export async function cpuNsPerCall(run: Run): Promise<number> {
  let calls = 100;
  for (let warmMs = 0; warmMs < WARM_MS; ) {
    const ms = await cpuMs(run, calls);
    warmMs += ms;
    if (ms < BATCH_MS) calls *= 2;
  }
  const batches: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) batches.push(((await cpuMs(run, calls)) * 1e6) / calls);
  return quantile(batches, 0.25);
}

/** Of one batch. That of the whole process: Linux counts that of one thread in ticks of 4 ms. */
async function cpuMs(run: Run, calls: number): Promise<number> {
  const before = process.cpuUsage();
  const running = run(calls);
  // Without a promise nothing is awaited, so that runs that return none stay in one turn.
  if (running !== undefined) await running;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
