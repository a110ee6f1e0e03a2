import { expect, test } from 'vitest';
import type { ExperimentResult } from './experiment.ts';
import { experimentStudy } from './experiment-study.ts';

const experiment = {
  durationMs: 2_000,
  clients: { count: 2, requestsPerSecond: 50 },
  server: { workers: 2, serviceMs: 20 },
  policies: { one: {}, two: {}, three: {} },
};

const seedsOf = (results: readonly ExperimentResult[] = []): (string | number)[] =>
  results.flatMap(({ name, trace }) => [name, trace.seed]);

test('repeated policies are run with the seeds that follow, in one progress, and only the first seed is in the table', () => {
  const shares: number[] = [];
  let drawn: (string | number)[][] = [];
  const draw = (results: readonly ExperimentResult[], repeats: readonly (readonly ExperimentResult[])[]) => {
    drawn = [results, ...repeats].map(seedsOf);
    return '';
  };
  const study = experimentStudy('', '', experiment, { draw }, { policies: ['two'], seeds: 3 });
  const { table, figures } = study.run({ seed: 5, onProgress: (share) => shares.push(share) });
  expect(drawn).toEqual([
    ['one', 5, 'two', 5, 'three', 5],
    ['two', 6],
    ['two', 7],
  ]);
  expect([table.rows.length, figures.length]).toEqual([3, 1]);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(shares.at(-1)).toBe(1);
});

test('without repeated policies there is one seed', () => {
  const draw = (_: readonly ExperimentResult[], repeats: readonly unknown[]) => String(repeats.length);
  expect(experimentStudy('', '', experiment, { draw }).run().figures).toEqual([{ name: 'draw', svg: '0' }]);
});
