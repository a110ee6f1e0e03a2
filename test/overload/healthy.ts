import { adaptiveThrottle, type PolicyOptions } from '@ebb/core';
import { run } from './world.ts';
import type { Make } from './worlds.ts';

export interface HealthyRun {
  readonly load: number;
  /** The share of the answers that is a 503. */
  readonly errors: number;
  readonly workers: number;
  readonly serviceSpread: 'constant' | 'exponential' | 'log-normal';
  readonly seed: number;
}

const SEEDS = [1, 2];

/** How long requests begin, in milliseconds: 7,000 in the mean of the runs. */
const DURATION_MS = 50_000;

/** Each mix of the numbers. */
export const HEALTHY: readonly HealthyRun[] = [0.5, 0.8].flatMap((load) =>
  [0, 0.01].flatMap((errors) =>
    [2, 20].flatMap((workers) =>
      (['constant', 'exponential', 'log-normal'] as const).flatMap((serviceSpread) =>
        SEEDS.map((seed) => ({ load, errors, workers, serviceSpread, seed })),
      ),
    ),
  ),
);

const SERVICE_MS = 50;

/** What became of the requests of a run: their number, and those that were not as without a throttle. */
export interface HealthyNumbers {
  readonly asked: number;
  readonly skipped: number;
  readonly refused: number;
  readonly failed: number;
}

/** A service at a load that it can bear. Each request has time to end. */
async function healthy(
  one: HealthyRun,
  clients: number,
  durationMs: number,
  policy: Make,
): Promise<HealthyNumbers> {
  const { load, errors, workers, serviceSpread, seed } = one;
  const troubles =
    errors > 0 ? [{ type: 'errors', share: errors, fromMs: 0, untilMs: 2 * durationMs } as const] : [];
  const { asked, ends, skippedFirst } = await run({
    clients,
    requestsPerSecond: (load * workers * 1_000) / SERVICE_MS,
    durationMs: durationMs + 60_000,
    untilMs: durationMs,
    server: { workers, serviceMs: SERVICE_MS, serviceSpread, troubles },
    policy,
    seed,
  });
  const count = asked.reduce((sum, begun) => sum + begun, 0);
  const { 200: answered = 0, NotSentError: refused = 0 } = ends;
  return { asked: count, skipped: skippedFirst, refused, failed: count - answered - refused };
}

const throttled = (): PolicyOptions => ({ attemptTimeoutMs: 1_000, throttle: adaptiveThrottle() });

/** The sums of several runs. */
export async function healthySums(
  runs: readonly HealthyRun[],
  clients: number,
  durationMs: number = DURATION_MS,
  policy: Make = throttled,
): Promise<HealthyNumbers> {
  const sums = { asked: 0, skipped: 0, refused: 0, failed: 0 };
  for (const one of runs) {
    const { asked, skipped, refused, failed } = await healthy(one, clients, durationMs, policy);
    sums.asked += asked;
    sums.skipped += skipped;
    sums.refused += refused;
    sums.failed += failed;
  }
  return sums;
}
