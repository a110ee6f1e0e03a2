import type { Manifest, Packed } from './packed.ts';
import type { Result } from './result.ts';

/** Checks that all packages have one version, and that CHANGELOG.md has a section for it, or for the version of a pre-release. */
export function checkVersions(packed: readonly Packed[], changelog: string): Result {
  const versions = [...new Set(packed.map(({ manifest }) => manifest.version))];
  const sections = [...changelog.matchAll(/^## (\S+)/gm)].map(([, version]) => version);
  const undescribed = versions.filter((version) => !sections.includes(version.replace(/-.*/, '')));
  return {
    check: 'version',
    subject: 'all packages',
    figure: versions.join(', '),
    problems: [
      ...(packed.length === 0 ? ['no package was packed'] : []),
      ...(versions.length > 1 ? [`the packages have different versions: ${versions.join(', ')}`] : []),
      ...undescribed.map((version) => `CHANGELOG.md has no section ${version}`),
    ],
  };
}

/** The packages in the order of publication: each after those that it depends on. */
export function publicationOf(packed: readonly Packed[]): Manifest[] {
  const waiting = packed.map(({ manifest }) => manifest).sort((a, b) => a.name.localeCompare(b.name));
  const order: Manifest[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ dependencies = {} }) => {
      return !waiting.some(({ name }) => name in dependencies);
    });
    if (next === -1) throw new Error(`${waiting.map(({ name }) => name).join(', ')} depend on each other`);
    order.push(...waiting.splice(next, 1));
  }
  return order;
}
