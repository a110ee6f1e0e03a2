import { GCProfiler } from 'node:v8';
import type { Run } from './batches.ts';
import { median } from './quantiles.ts';

const BATCHES = 15;
const CALLS = 500;
const WARM_CALLS = 20_000;
const WARM_MS = 300;

/** For processes that call {@link bytesPerCall}: so much room for young objects that few batches see a collection. */
export const LARGE_NURSERY: readonly string[] = ['--min-semi-space-size=128', '--max-semi-space-size=128'];

/** The bytes of the heap that one call of each run takes, once the code is optimized. */
export async function bytesPerCall(runs: readonly Run[]): Promise<number[]> {
  const startMs = performance.now();
  for (
    let done = 0;
    done < WARM_CALLS || performance.now() - startMs < WARM_MS * runs.length;
    done += CALLS
  ) {
    for (const run of runs) await run(CALLS);
  }
  const batches = runs.map((): number[] => []);
  // A batch in which garbage was collected says nothing, and is made again.
  for (let made = 0; batches.some(({ length }) => length < BATCHES); made += 1) {
    if (made > 10 * BATCHES) throw new Error('Garbage is collected in nearly every batch.');
    for (const [index, run] of runs.entries()) {
      const profiler = new GCProfiler();
      profiler.start();
      const before = process.memoryUsage().heapUsed;
      await run(CALLS);
      const bytes = process.memoryUsage().heapUsed - before;
      if (profiler.stop().statistics.length === 0) batches[index]?.push(bytes / CALLS);
    }
  }
  return batches.map(median);
}
