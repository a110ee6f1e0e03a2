import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkContents } from './contents.ts';
import { checkEntries } from './entries.ts';
import { checkFields, checkTag } from './fields.ts';
import type { Packed } from './packed.ts';
import { checkPrograms } from './programs.ts';
import { installWithNpm } from './project.ts';
import type { Result } from './result.ts';
import { checkProgramSizes, checkSizes, recordedSizes, recordSizes } from './sizes.ts';
import { checkBySuite } from './suite.ts';
import { checkVersions } from './versions.ts';

const root = join(import.meta.dirname, '../../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** What is to be published. */
export interface Release {
  readonly packed: readonly Packed[];
  /** The folder of the tarballs. */
  readonly folder: string;
  /** A project in which the packages are installed. */
  readonly project: () => Promise<string>;
  /** Whether sizes are recorded before they are compared. */
  readonly update: boolean;
}

type Check = (release: Release) => Result[] | Promise<Result[]>;

/** In the order in which they run: the quick ones first. */
export const CHECKS: Readonly<Record<string, Check>> = {
  version: ({ packed }) => [checkVersions(packed, read('CHANGELOG.md'))],
  files: ({ packed }) => checkContents(packed),
  provenance: ({ packed }) => {
    const project = JSON.parse(read('package.json'));
    return [...checkFields(packed, project), ...checkTag(packed, project, process.env)];
  },
  exports: ({ packed }) => checkEntries(packed),
  size: async ({ packed, project, update }) => {
    const folder = await project();
    if (update) await recordSizes(packed, folder);
    const recorded = recordedSizes();
    return [...(await checkSizes(packed, folder, recorded)), ...(await checkProgramSizes(folder, recorded))];
  },
  programs: async ({ project }) => checkPrograms(await project()),
  tests: ({ folder }) => checkBySuite(folder),
};

/** Runs the checks with these names, and reports each result as it comes. */
export async function runChecks(
  names: readonly string[],
  { packed, folder, update }: Omit<Release, 'project'>,
  report: (result: Result) => void,
): Promise<void> {
  let installed: Promise<string> | undefined;
  const project = (): Promise<string> => {
    installed ??= installWithNpm(packed);
    return installed;
  };
  try {
    for (const name of names) {
      const results = await CHECKS[name]?.({ packed, folder, project, update });
      for (const result of results ?? []) report(result);
    }
  } finally {
    if (installed !== undefined) rmSync(await installed, { recursive: true });
  }
}
