import type { Quantiles } from './histogram.ts';
import type { Series, Totals } from './measures.ts';
import type { Recovery } from './recovery.ts';

/** The results of the requests to one shard. */
export interface ShardTrace {
  readonly requests: number;
  readonly successes: number;
  /** Failed requests, and requests that their client refused to send. */
  readonly failures: number;
  /** From the request to its answer, for successful requests. */
  readonly latencyMs: Quantiles;
}

/** The result of a run: plain data, the same for the same scenario and seed. */
export interface Trace {
  readonly seed: number;
  readonly intervalMs: number;
  readonly series: Series;
  readonly totals: Totals;
  /** Attempts for each request. */
  readonly amplification: number;
  /** From the request to its answer, for successful requests. */
  readonly latencyMs: Quantiles;
  /** How long attempts waited for a token of their client; 0 without buckets. */
  readonly tokenWaitMs: Quantiles;
  readonly recovery: Recovery | undefined;
  /** By the number of the shard; empty if there is one server. */
  readonly shards: readonly ShardTrace[];
  /** Events of the run. */
  readonly events: number;
}

/** The share of failed requests, including requests that a client itself refused to send. */
export function failedShare({ totals }: Trace): number {
  const { requests, failures, notSent } = totals;
  return requests === 0 ? 0 : (failures + notSent) / requests;
}

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
