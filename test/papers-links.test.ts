import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const read = (path: string): string => readFileSync(path, 'utf8');
const { repository } = JSON.parse(read('package.json')) as { repository: { url: string } };
const page = repository.url.replace(/^git\+(.+)\.git$/, '$1');
const outside = { exclude: ['**/node_modules/**', '**/dist/**'] };

/** The targets of a page's links and images, inline or defined at its end. */
function linksOf(path: string): string[] {
  const text = read(path).replace(/^```.*?^```$/gms, '');
  const inline = text.matchAll(/\]\(([^)\s]+)\)/g);
  const defined = text.matchAll(/^\[[^\]]+\]: (\S+)$/gm);
  return [...inline, ...defined].map(([, target = '']) => target);
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(path: string): string[] {
  const seen = new Map<string, number>();
  const text = read(path).replace(/^```.*?^```$/gms, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/** What is wrong with a link to a file of the repository, if anything. */
function problemWith(file: string, anchor: string | undefined): string | undefined {
  if (!existsSync(file)) return 'no such file';
  if (anchor === undefined) return undefined;
  const target = statSync(file).isDirectory() ? join(file, 'README.md') : file;
  return anchorsOf(target).includes(anchor) ? undefined : 'no such anchor';
}

/** The file and the anchor of a link into the repository, relative to the page or absolute; undefined for the rest. */
function locate(link: string, from: string): [file: string, anchor: string | undefined] | undefined {
  const [target = '', anchor] = link.split('#');
  const prefix = ['blob', 'tree', 'raw'].map((view) => `${page}/${view}/main/`);
  const absolute = prefix.find((start) => target.startsWith(start));
  if (absolute !== undefined) return [target.slice(absolute.length), anchor];
  if (/^[a-z]+:/.test(target)) return undefined;
  return [target === '' ? from : join(dirname(from), target), anchor];
}

const pages = globSync(
  ['*.md', '{docs,packages,examples}/**/*.md', '.github/**/*.md', '.changeset/*.md'],
  outside,
);

test.each(pages)('%s links to files and anchors that exist', (path) => {
  const broken = linksOf(path).flatMap((link) => {
    const place = locate(link, path);
    const problem = place && problemWith(...place);
    return problem === undefined ? [] : [`${link}: ${problem}`];
  });
  expect(broken).toEqual([]);
});

describe.each(globSync('packages/*/package.json'))('%s', (manifest) => {
  const folder = dirname(manifest);
  const { files } = JSON.parse(read(manifest)) as { files: string[] };
  const published = ['README.md', 'package.json', ...files];

  test('the pages that it publishes have no relative link out of the package', () => {
    const own = globSync(`${folder}/**/*.md`, outside);
    for (const path of own) {
      const relatives = linksOf(path).filter((link) => !/^[a-z]+:|^#/.test(link));
      const leaving = relatives.filter((link) => {
        const [top = ''] = relative(folder, join(dirname(path), link.split('#')[0] ?? '')).split('/');
        return !published.includes(top);
      });
      expect(leaving, path).toEqual([]);
    }
  });
});
