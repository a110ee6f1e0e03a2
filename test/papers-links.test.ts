import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linksIn, problemWith, undefinedIn } from './page-links.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const outside = { exclude: ['**/node_modules/**', '**/dist/**'] };

const pages = globSync(
  ['*.md', '{docs,packages,examples}/**/*.md', '.github/**/*.md', '.changeset/*.md'],
  outside,
);

test.each(pages)('%s links to files and anchors that exist', (path) => {
  const broken = linksIn(read(path)).flatMap((link) => {
    const problem = problemWith(link, path);
    return problem === undefined ? [] : [`${link}: ${problem}`];
  });
  expect(broken).toEqual([]);
  expect(undefinedIn(read(path))).toEqual([]);
});

describe.each(globSync('packages/*/package.json'))('%s', (manifest) => {
  const folder = dirname(manifest);
  const { files } = JSON.parse(read(manifest)) as { files: string[] };
  const published = ['README.md', 'package.json', ...files];

  test('the pages that it publishes have no relative link out of the package', () => {
    const own = globSync(`${folder}/**/*.md`, outside);
    for (const path of own) {
      const relatives = linksIn(read(path)).filter((link) => !/^[a-z]+:|^#/.test(link));
      const leaving = relatives.filter((link) => {
        const [top = ''] = relative(folder, join(dirname(path), link.split('#')[0] ?? '')).split('/');
        return !published.includes(top);
      });
      expect(leaving, path).toEqual([]);
    }
  });
});
