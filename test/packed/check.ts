import { readFileSync } from 'node:fs';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** The reasons not to publish: findings of publint, different versions, a version without a section in CHANGELOG.md. */
export async function problemsOf(tarballs: readonly string[], changelog: string): Promise<string[]> {
  const versions = new Set<string>();
  const problems: string[] = tarballs.length === 0 ? ['no package was packed'] : [];
  for (const path of tarballs) {
    const tarball = new Uint8Array(readFileSync(path)).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    versions.add(`${pkg.version}`);
    problems.push(...messages.map((message) => `${pkg.name}: ${formatMessage(message, pkg)}`));
  }
  if (versions.size > 1) problems.push(`the packages have different versions: ${[...versions].join(', ')}`);
  const sections = [...changelog.matchAll(/^## (\S+)/gm)].map(([, version]) => version);
  for (const version of versions) {
    if (!sections.includes(version)) problems.push(`CHANGELOG.md has no section ${version}`);
  }
  return problems;
}
