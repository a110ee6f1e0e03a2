import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { dist, htmls, tagsOf } from './built.ts';

const { pathname: base } = new URL(inject('site'));
const own = `https://ebb.test${base}`;
const { repository } = JSON.parse(readFileSync('package.json', 'utf8')) as { repository: { url: string } };
const github = repository.url.replace(/^git\+(.+)\.git$/, '$1');

const anchors = new Map(
  [...htmls].map(([path, html]) => {
    const ids = tagsOf(html).flatMap(({ attributes }) => attributes.get('id') ?? []);
    return [path, new Set(ids)];
  }),
);

/** The file that a server sends for a path of the site, if there is one. */
function fileOf(path: string): string | undefined {
  return [path, join(path, 'index.html')].find((name) => {
    const file = join(dist, name);
    return existsSync(file) && statSync(file).isFile();
  });
}

/** What is wrong with a link inside the site, if anything. */
function problemWith(path: string, hash: string): string | undefined {
  const file = fileOf(decodeURIComponent(path));
  if (file === undefined) return 'no such file';
  // The playground reads settings from there.
  if (hash === '' || hash === '#' || file.startsWith('playground/')) return undefined;
  const page = file.replace(/\.md$/, '.html');
  return anchors.get(page)?.has(decodeURIComponent(hash.slice(1))) ? undefined : 'no such anchor';
}

/** The links of a file, each as an address: those inside the site begin with `own`. */
function addressesOf(file: string, links: readonly string[]): URL[] {
  return links.filter((link) => !/^(data|mailto):/.test(link)).map((link) => new URL(link, own + file));
}

const isInside = ({ href }: URL): boolean => href.startsWith(own);

function brokenIn(file: string, links: readonly string[]): string[] {
  return addressesOf(file, links)
    .filter(isInside)
    .flatMap(({ href, hash }) => {
      const problem = problemWith(href.slice(own.length).replace(/[#?].*/, ''), hash);
      return problem === undefined ? [] : [`${href}: ${problem}`];
    });
}

/** A link that begins with a slash is inside the site only if it has its base. */
const strayIn = (file: string, links: readonly string[]): string[] =>
  addressesOf(file, links)
    .filter((url) => url.origin === new URL(own).origin && !isInside(url))
    .map(({ href }) => href);

const linked = new Map(
  [...htmls].map(([path, html]) => {
    const links = tagsOf(html).flatMap(({ attributes }) => [
      ...(attributes.get('href') === undefined ? [] : [attributes.get('href') ?? '']),
      ...(attributes.get('src') === undefined ? [] : [attributes.get('src') ?? '']),
    ]);
    return [path, links];
  }),
);

const withoutCode = (text: string): string => text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]+`/g, '');
const markdown = new Map(
  globSync(['llms*.txt', '**/*.md'], { cwd: dist }).map((path) => {
    const text = withoutCode(readFileSync(join(dist, path), 'utf8'));
    const found = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
    return [path, found.map(([, link = '']) => link)];
  }),
);

describe.each([
  ['HTML', linked],
  ['Markdown for language models', markdown],
] as const)('%s', (kind, files) => {
  test.each([...files])('%s links to files and anchors that exist', (file, links) => {
    // llms-full.txt has all pages in one file, so that an anchor of its own is that of one of them.
    const checked = file === 'llms-full.txt' ? links.filter((link) => !link.startsWith('#')) : links;
    expect(brokenIn(file, checked)).toEqual([]);
    expect(strayIn(file, checked)).toEqual([]);
  });

  test('there are links', () => {
    const all = [...files].flatMap(([file, links]) => addressesOf(file, links));
    const inside = all.filter(isInside);
    console.log(
      `${kind}: ${files.size} files, ${inside.length} links inside the site, ${inside.filter(({ hash }) => hash).length} of them with an anchor`,
    );
    expect(inside.length).toBeGreaterThan(100);
  });
});

test('links out of the site are https, and to no placeholder but the repository', () => {
  const out = [...linked, ...markdown]
    .flatMap(([file, links]) => addressesOf(file, links))
    .filter((url) => !isInside(url));
  const odd = out.filter(({ href, protocol, hostname }) => {
    const isPlaceholder = /(^|\.)(example\.(com|org|net)|localhost|test|invalid)$|placeholder/.test(hostname);
    return (
      protocol !== 'https:' || isPlaceholder || (href.includes('placeholder') && !href.startsWith(github))
    );
  });
  expect(odd.map(String)).toEqual([]);
  expect(out.length).toBeGreaterThan(10);
});

test('the sidebar, and so llms.txt, has every page once, with a description', () => {
  const rows = [
    ...readFileSync(join(dist, 'llms.txt'), 'utf8').matchAll(/^- \[.+\]\((\S+)\.md\): \w.+\.$/gm),
  ];
  const routes = rows.map(([, address = '']) => address.slice(own.length));
  expect(new Set(routes).size).toBe(routes.length);
  const pages = [...htmls.keys()].filter((path) => path !== '404.html' && !path.startsWith('playground/'));
  // The namespaces of a door are reached from its page.
  const expected = pages
    .map((path) => path.replace(/\.html$/, ''))
    .filter((path) => !path.includes('/namespaces/'));
  expect(routes.sort()).toEqual(expected.sort());
});
