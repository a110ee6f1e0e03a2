import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { Packed } from './packed.ts';
import type { Result } from './result.ts';

/** Where TypeScript resolves each entry. */
const MODES = ['node10', 'node16-cjs', 'node16-esm', 'bundler'];

/** The findings of are-the-types-wrong: each entry has types in every mode. */
async function typeProblems(tarball: Uint8Array): Promise<[entries: number, problems: string[]]> {
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (!('entrypoints' in analysis)) return [0, ['has no types']];
  const entries = Object.entries(analysis.entrypoints);
  const unresolved = entries.flatMap(([entry, { resolutions }]) =>
    MODES.filter((mode) => !(mode in resolutions)).map((mode) => `${entry} has no types in mode ${mode}`),
  );
  const wrong = analysis.problems.map((problem) => `are-the-types-wrong: ${JSON.stringify(problem)}`);
  return [entries.length, [...unresolved, ...wrong]];
}

/** Checks that each entry of `exports` leads to code and to types, by publint and are-the-types-wrong. */
export async function checkEntries(packed: readonly Packed[]): Promise<Result[]> {
  return Promise.all(
    packed.map(async ({ tarball, manifest }) => {
      const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
      const findings = messages.map((message) => `publint: ${formatMessage(message, pkg)}`);
      const [entries, problems] = await typeProblems(tarball);
      const figure = `${entries} entries, ${MODES.length} module modes`;
      return { check: 'exports', subject: manifest.name, figure, problems: [...findings, ...problems] };
    }),
  );
}
