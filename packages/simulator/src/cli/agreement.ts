// Counts the seeds with which every mean of the race is within three standard errors of the article's: pnpm example packages/simulator/src/cli/agreement.ts 200
import { readFileSync } from 'node:fs';
import { distances, referenceMeans } from '../race/agreement.ts';
import { compareRules } from '../race/comparison.ts';

const RUNS = 200;
const reference = referenceMeans(
  readFileSync(new URL('../../data/aws-backoff-reference.csv', import.meta.url), 'utf8'),
);

/** @throws RangeError if the text is not a number of seeds */
function seedsOf(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new RangeError(`seeds must be a whole number ≥ 1, got ${text}`);
  return Number(text);
}

const seeds = seedsOf(process.argv[2] ?? '20');
let [whole, beyond, square] = [0, 0, 0];
for (let seed = 1; seed <= seeds; seed += 1) {
  const all = distances(compareRules({ runs: RUNS, seed }), reference);
  const far = all.filter((distance) => Math.abs(distance) > 3).length;
  if (far === 0) whole += 1;
  beyond += far;
  square += all.reduce((sum, distance) => sum + distance ** 2, 0);
}
const means = seeds * reference.length;
process.stdout.write(
  [
    `${seeds} seeds, ${RUNS} runs per point, ${reference.length} means per seed`,
    `seeds with every mean within three standard errors: ${whole}, ${((100 * whole) / seeds).toFixed(0)} %`,
    `means beyond three standard errors: ${beyond} of ${means}, ${((100 * beyond) / means).toFixed(2)} %`,
    `mean square of the distances: ${(square / means).toFixed(3)}; chance alone gives 1`,
    '',
  ].join('\n'),
);
