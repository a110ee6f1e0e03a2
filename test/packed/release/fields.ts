import { basename } from 'node:path';
import type { Manifest, Packed } from './packed.ts';
import type { Result } from './result.ts';

/** Who publishes what: the registry compares `repository` with the identity that signs the provenance. */
export interface Project {
  readonly license: string;
  readonly repository: { readonly url: string };
}

/** `packages/NAME`, for a package `@ebb/NAME`. */
const directoryOf = ({ name }: Manifest): string => `packages/${basename(name)}`;

function problemsOf(manifest: Manifest, project: Project): string[] {
  const { license, repository, publishConfig } = manifest;
  const expected: [field: string, is: unknown, must: unknown][] = [
    ['license', license, project.license],
    ['repository.type', repository?.type, 'git'],
    ['repository.url', repository?.url, project.repository.url],
    ['repository.directory', repository?.directory, directoryOf(manifest)],
    ['publishConfig.access', publishConfig?.access, 'public'],
    ['publishConfig.provenance', publishConfig?.provenance, true],
  ];
  const wrong = expected.filter(([, is, must]) => is !== must);
  const ranges = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
  return [
    ...wrong.map(([field, is, must]) => `${field} must be ${must}, is ${is}`),
    ...ranges.filter(([, range]) => /^\w+:/.test(range)).map(([name, range]) => `needs ${name} at ${range}`),
  ];
}

/** Checks the fields that provenance and the registry's page depend on. */
export function checkFields(packed: readonly Packed[], project: Project): Result[] {
  return packed.map(({ manifest }) => ({
    check: 'provenance',
    subject: manifest.name,
    figure: manifest.repository?.directory ?? 'no repository',
    problems: problemsOf(manifest, project),
  }));
}
