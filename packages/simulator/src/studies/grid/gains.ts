import type { WorldRuns } from './runs.ts';
import { NO_RETRIES, RETRYING } from './schemes.ts';

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean of the answered requests in these worlds, in percent. */
export function meanOf(all: readonly WorldRuns[], scheme: string): number {
  return mean(all.map(({ percents }) => mean(percents[scheme] ?? [])));
}

/**
 * By how many points a scheme answers more than the best of others in the worst seed of a world: with each seed it is compared with what
 * they answer with the same one. Negative if it answers less.
 */
export function leadOf({ percents }: WorldRuns, scheme: string, others: readonly string[]): number {
  const leads = (percents[scheme] ?? []).map((own, seed) => {
    return own - Math.max(...others.map((other) => percents[other]?.[seed] ?? Number.NaN));
  });
  return Math.min(...leads);
}

/** How a scheme compares with no retries. */
export function gainOf(runs: WorldRuns, scheme: string): number {
  return leadOf(runs, scheme, [NO_RETRIES]);
}

/** A measure of a scheme in a world. */
export interface Bar {
  readonly name: string;
  readonly others: (schemes: readonly string[]) => readonly string[];
  /** By how many points less than the others the scheme may answer. */
  readonly margin: number;
}

export const BARS: Readonly<Record<'noRetries' | 'noRetriesNear' | 'retrying' | 'all', Bar>> = {
  noRetries: { name: 'no retries − 1', others: () => [NO_RETRIES], margin: 1 },
  noRetriesNear: { name: 'no retries − 3', others: () => [NO_RETRIES], margin: 3 },
  retrying: { name: 'default and budget − 3', others: () => RETRYING, margin: 3 },
  all: { name: 'all of these − 3', others: (schemes) => schemes, margin: 3 },
};

/** The error from the rounding of the recorded runs. */
const ROUNDING = 1e-9;

/** The share of the worlds in which the worst seed of a scheme meets a bar. */
export function shareAbove(all: readonly WorldRuns[], scheme: string, { others, margin }: Bar): number {
  const met = all.filter((runs) => {
    return leadOf(runs, scheme, others(Object.keys(runs.percents))) >= -margin - ROUNDING;
  });
  return met.length / all.length;
}

/** The worlds in which a scheme is furthest below no retries, the worst first. */
export function worstOf(all: readonly WorldRuns[], scheme: string, count: number): WorldRuns[] {
  return [...all].sort((one, other) => gainOf(one, scheme) - gainOf(other, scheme)).slice(0, count);
}
