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

/** What GitHub says of a run of a workflow. */
export interface Run {
  readonly GITHUB_REPOSITORY?: string;
  readonly GITHUB_REF_TYPE?: string;
  readonly GITHUB_REF_NAME?: string;
}

/** Checks that a workflow which a tag has started runs in the repository that the packages name, and that the tag is their version. */
export function checkTag(packed: readonly Packed[], project: Project, run: Run): Result[] {
  const { GITHUB_REPOSITORY: name, GITHUB_REF_TYPE: type, GITHUB_REF_NAME: tag } = run;
  if (type !== 'tag') return [];
  const url = `git+https://github.com/${name}.git`;
  const versions = new Set(packed.map(({ manifest }) => `v${manifest.version}`));
  const problems = [
    ...(url === project.repository.url ? [] : [`repository.url is ${project.repository.url}, not ${url}`]),
    ...[...versions].filter((version) => version !== tag).map((version) => `the tag must be ${version}`),
  ];
  return [{ check: 'provenance', subject: 'the workflow', figure: `${name}, ${tag}`, problems }];
}
