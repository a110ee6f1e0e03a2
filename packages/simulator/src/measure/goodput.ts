import type { Trace } from './trace.ts';

/** Requests arrive at random, so shares are taken over this many intervals. */
const WINDOW = 3;

/** Answered requests as a share of the new requests of the same time, in percent, over time in seconds. */
export function goodput({ series, intervalMs }: Trace): (readonly [seconds: number, percent: number])[] {
  const over = (counts: Float64Array, at: number): number =>
    counts.subarray(Math.max(0, at - WINDOW + 1), at + 1).reduce((sum, count) => sum + count, 0);
  return Array.from(series.requests, (_, at) => {
    const asked = over(series.requests, at);
    return [
      ((at + 1) * intervalMs) / 1_000,
      asked === 0 ? 0 : (100 * over(series.successes, at)) / asked,
    ] as const;
  });
}
