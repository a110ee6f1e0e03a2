import { globSync } from 'node:fs';
import { root } from './repository.ts';

/** A Markdown file of the repository that is a page of the site. */
export interface Page {
  /** Its path in the repository. */
  readonly source: string;
  /** Its path on the site, without a suffix. */
  readonly route: string;
}

function routeOf(source: string): string {
  if (source === 'CHANGELOG.md') return 'changelog';
  return source.replace(/^docs\//, '').replace(/(\/README)?\.md$/, '');
}

/** All pages but those of the API reference, which has no files in the repository. */
export function findPages(): Page[] {
  const patterns = ['docs/**/*.md', 'packages/*/README.md', 'examples/README.md', 'CHANGELOG.md'];
  // docs/api has the reports that a test compares. The site has the same names with their docstrings.
  const exclude = ['docs/api/**', '**/node_modules/**'];
  return globSync(patterns, { cwd: root, exclude })
    .sort()
    .map((source) => ({ source, route: routeOf(source) }));
}
