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

/** A backoff rule and its name. */
export interface NamedRule {
  readonly name: string;
  readonly backoff: BackoffStrategy;
}

/** The constants of the article's program. */
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
   * How many clients compete. Each number is a point of the comparison.
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

/** Memorystore's rule, a hundred times as fast: 10 ms · 2^n + 0…10 ms, at most 640 ms. */
function scaledMemorystore(): BackoffStrategy {
  const seconds = memorystore();
  return (step) => (seconds(step) as number) / 100;
}

/**
 * The five rules of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture Blog, 2015).
 *
 * The article's program increments its counter before the formula, so its base of 5 ms gives a first wait of 5 · 2^1 ms.
 * Core's rules start at base · 2^0, which takes a base of 10 ms. Decorrelated jitter has no counter and keeps the 5 ms.
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

/** These rules with the article's own base and cap. */
export const ARTICLE_RULES: readonly NamedRule[] = articleRules(ARTICLE_RACE);

/** Rules that are not in the article, on the same time scale. */
export const OTHER_RULES: readonly NamedRule[] = [
  { name: 'Memorystore', backoff: scaledMemorystore() },
  { name: 'Celery', backoff: celery({ factorMs: 2 * ARTICLE_RACE.baseMs, maximumMs: ARTICLE_RACE.capMs }) },
  // 255 slots stay below the cap of the others. Without a limit of attempts every client gets through.
  {
    name: 'Ethernet',
    backoff: binaryExponential({ slotMs: 5, maxExponent: 8, attemptLimit: Number.MAX_SAFE_INTEGER }),
  },
];

/** Options of {@link compareRules}. */
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
  /** Called now and then with the share that is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** The result for one rule and one number of clients. */
export interface ComparisonPoint extends LockResult {
  readonly rule: string;
}

/** Runs {@link raceForLock} for each rule and each number of clients. */
export function compareRules(comparison: Comparison = {}): ComparisonPoint[] {
  const { rules = ARTICLE_RULES, runs = 100, seed = 1, onProgress } = comparison;
  const { clients, networkMeanMs, networkDeviationMs } = { ...ARTICLE_RACE, ...comparison };
  const network = { networkMeanMs, networkDeviationMs };
  const points: ComparisonPoint[] = [];
  for (const [ruleAt, { name, backoff }] of rules.entries()) {
    for (const [at, count] of clients.entries()) {
      // Each point has its own seed, so that it does not depend on the other points.
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
