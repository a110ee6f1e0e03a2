import {
  type BackoffStrategy,
  binaryExponential,
  celery,
  constant,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
  memorystore,
} from '@ebb/core';
import { type LockResult, raceForLock } from './optimistic-lock.ts';

/** A backoff rule and what to call it. */
export interface NamedRule {
  readonly name: string;
  readonly backoff: BackoffStrategy;
}

/** The settings of the program behind the article, which it has as constants. */
export interface RaceSettings {
  /**
   * The `base` of that program, in milliseconds.
   * @default 5
   */
  readonly baseMs: number;
  /**
   * The largest wait, in milliseconds.
   * @default 2_000
   */
  readonly capMs: number;
  /**
   * How many clients compete: a point of the comparison each.
   * @default 10, 20 … 190
   */
  readonly clients: readonly number[];
  /**
   * The delay of each message, in milliseconds: |N(mean, deviation)|.
   * @default 10
   */
  readonly networkMeanMs: number;
  /** @default 2 */
  readonly networkDeviationMs: number;
}

/** The article's own settings. */
export const ARTICLE_RACE: RaceSettings = {
  baseMs: 5,
  capMs: 2_000,
  clients: Array.from({ length: 19 }, (_, at) => 10 * (at + 1)),
  networkMeanMs: 10,
  networkDeviationMs: 2,
};

/** Memorystore's rule a hundred times as fast: 10 ms · 2^n + 0…10 ms, at most 640 ms. */
function scaledMemorystore(): BackoffStrategy {
  const seconds = memorystore();
  return (step) => (seconds(step) as number) / 100;
}

/**
 * The five rules of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture Blog, 2015).
 *
 * The article's program raises its counter before the formula, so that with its base of 5 ms the first wait is
 * 5 · 2^1: in terms of base·2^0 a base of 10 ms. Decorrelated jitter knows no counter, and keeps the 5 ms.
 */
export function articleRules({
  baseMs,
  capMs,
}: Pick<RaceSettings, 'baseMs' | 'capMs'>): readonly NamedRule[] {
  const curve = { baseMs: 2 * baseMs, capMs };
  return [
    { name: 'None', backoff: constant(0) },
    { name: 'Exponential', backoff: exponential(curve) },
    { name: 'Equal jitter', backoff: equalJitter(curve) },
    { name: 'Full jitter', backoff: fullJitter(curve) },
    { name: 'Decorrelated', backoff: decorrelatedJitter({ baseMs, capMs }) },
  ];
}

/** The same with the article's own base and cap. */
export const ARTICLE_RULES: readonly NamedRule[] = articleRules(ARTICLE_RACE);

/** Rules that the article lacks, at the same scale of time. */
export const OTHER_RULES: readonly NamedRule[] = [
  { name: 'Memorystore', backoff: scaledMemorystore() },
  { name: 'Celery', backoff: celery({ factorMs: 2 * ARTICLE_RACE.baseMs, maximumMs: ARTICLE_RACE.capMs }) },
  // A range of up to 255 slots stays below the cap of the others. Nobody gives up, or there would be no end.
  {
    name: 'Ethernet',
    backoff: binaryExponential({ slotMs: 5, maxExponent: 8, attemptLimit: Number.MAX_SAFE_INTEGER }),
  },
];

/** What to compare. */
export interface Comparison {
  /** @default ARTICLE_RULES */
  readonly rules?: readonly NamedRule[];
  /** @default 10, 20 … 190 */
  readonly clients?: readonly number[];
  /** @default 100 */
  readonly runs?: number;
  /** @default 1 */
  readonly seed?: number;
  /**
   * The delay of each message, in milliseconds: |N(mean, deviation)|.
   * @default 10
   */
  readonly networkMeanMs?: number;
  /** @default 2 */
  readonly networkDeviationMs?: number;
  /** Is told how much is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** One rule with one number of clients. */
export interface ComparisonPoint extends LockResult {
  readonly rule: string;
}

/** The race of {@link raceForLock} for each rule and each number of clients. */
export function compareRules(comparison: Comparison = {}): ComparisonPoint[] {
  const { rules = ARTICLE_RULES, runs = 100, seed = 1, onProgress } = comparison;
  const { clients, networkMeanMs, networkDeviationMs } = { ...ARTICLE_RACE, ...comparison };
  const network = { networkMeanMs, networkDeviationMs };
  const points: ComparisonPoint[] = [];
  for (const [ruleAt, { name, backoff }] of rules.entries()) {
    for (const [at, count] of clients.entries()) {
      // Each point has a seed of its own, so that it does not depend on what else is asked for.
      const pointSeed = seed * 1_000_003 + ruleAt * 1_009 + count;
      points.push({
        rule: name,
        ...raceForLock({ ...network, clients: count, backoff, runs, seed: pointSeed }),
      });
      onProgress?.((ruleAt * clients.length + at + 1) / (rules.length * clients.length));
    }
  }
  return points;
}
