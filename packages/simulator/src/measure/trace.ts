import type { Quantiles } from './histogram.ts';
import type { Series, Totals } from './measures.ts';
import type { Recovery } from './recovery.ts';

/** What came of a run: plain data, the same for the same scenario and seed. */
export interface Trace {
  readonly seed: number;
  readonly intervalMs: number;
  readonly series: Series;
  readonly totals: Totals;
  /** Sends for each request. */
  readonly amplification: number;
  /** From the request to the answer, of those that had one in the end. */
  readonly latencyMs: Quantiles;
  /** How long attempts waited for a token of their client; all 0 without buckets. */
  readonly tokenWaitMs: Quantiles;
  readonly recovery: Recovery | undefined;
  /** How many events the run was made of. */
  readonly events: number;
}

/** The share of the requests that failed, be it that the server or that the client itself turned them away. */
export function failedShare({ totals }: Trace): number {
  const { requests, failures, throttledLocally } = totals;
  return requests === 0 ? 0 : (failures + throttledLocally) / requests;
}
