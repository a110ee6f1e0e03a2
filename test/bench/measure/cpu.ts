import type { Run } from './batches.ts';

/** As long as it takes that the ticks of 4 ms, in which some systems count the time of a thread, are half a per cent of it. */
const LEAST_MS = 800;
/** In a batch, so that the compilers are done after the first and each has its share of the collections of garbage. */
const CALLS = 20_000;

/** Node's flags for a process whose CPU time is measured: what is collected is collected in the thread of the calls, and counts. */
export const CPU_FLAGS: readonly string[] = ['--single-threaded-gc'];

/**
 * The nanoseconds of CPU time that one call takes in this thread. Time in which another process had the processor does not
 * count, so this tells smaller differences apart than a clock on a busy machine. Measure one subject in a process: two share
 * what the compiler knows of them.
 */
export async function cpuNsPerCall(run: Run): Promise<number> {
  await cpuMs(run);
  let calls = 0;
  let ms = 0;
  while (ms < LEAST_MS) {
    ms += await cpuMs(run);
    calls += CALLS;
  }
  return (ms * 1e6) / calls;
}

/** Of one batch. */
async function cpuMs(run: Run): Promise<number> {
  const before = process.threadCpuUsage();
  const running = run(CALLS);
  // Without a promise nothing is awaited, so that runs that return none stay in one turn.
  if (running !== undefined) await running;
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
