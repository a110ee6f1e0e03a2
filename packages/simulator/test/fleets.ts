import type { Scenario } from '../src/scenario/scenario.ts';

/** A fleet that uses half of the server's capacity of 100 requests per second. */
export const easy: Scenario = {
  durationMs: 100_000,
  clients: { count: 20, requestsPerSecond: 50 },
  server: { workers: 10, serviceMs: 100 },
};

/** Half of the capacity is gone for ten seconds, and the queue is longer than clients wait. */
export const hard: Scenario = {
  durationMs: 60_000,
  clients: { count: 100, requestsPerSecond: 450 },
  server: {
    workers: 10,
    serviceMs: 20,
    maxQueue: 1_000,
    troubles: [{ type: 'brown-out', fromMs: 10_000, untilMs: 20_000, capacityShare: 0.5 }],
  },
  policy: { attemptTimeoutMs: 1_000 },
};

/** The sum of a column from one second to another. */
export function sum(counts: Float64Array, fromS = 0, untilS = counts.length): number {
  return counts.subarray(fromS, untilS).reduce((total, count) => total + count, 0);
}
