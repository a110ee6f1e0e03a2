import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Block, blocksOf, documentedPages, groupsOf } from '../page-blocks.ts';
import { dist, htmls, stage, tagsOf } from './built.ts';

/** The file that a page of the site is made from. Its staged copy names it. */
function sourceOf(path: string): string | undefined {
  const staged = readFileSync(join(stage, path.replace(/html$/, 'md')), 'utf8');
  return /^source: ".*\/edit\/main\/(.+)"$/m.exec(staged)?.[1];
}

const built = [...htmls.keys()].filter((path) => path !== '404.html' && !path.startsWith('playground/'));
const written = built.flatMap((path) => {
  const source = sourceOf(path);
  return source === undefined ? [] : [[path, source] as const];
});
const generated = built.filter((path) => path.startsWith('reference/'));

/** The pages whose code test/readme.test.ts runs and whose languages it checks. */
const tested = documentedPages();

/** The blocks of code in a built page. */
const shown = (path: string): number => htmls.get(path)?.match(/<pre\b/g)?.length ?? 0;

test('every page is written in the repository or generated', () => {
  expect(
    written
      .map(([path]) => path)
      .concat(generated)
      .sort(),
  ).toEqual([...built].sort());
});

describe('every block of code is one that a test runs or compiles', () => {
  test.each(written)('%s', (path, source) => {
    const blocks = blocksOf(source);
    // Otherwise a block is written in a way that the tests do not find, such as with an indent.
    expect(shown(path)).toBe(blocks.length);
    if (blocks.length > 0) expect(tested).toContain(source);
  });

  test('there are blocks', () => {
    const all = written.flatMap(([, source]) => blocksOf(source));
    const counts = Map.groupBy(all, ({ language }) => language);
    console.log([...counts].map(([language, { length }]) => `${language}: ${length}`).join(', '));
    expect(all.length).toBeGreaterThan(50);
  });
});

describe('programs for several clients', () => {
  const labelsOf = (group: readonly Block[]): (string | undefined)[] => group.map(({ label }) => label);
  const labelled = (source: string): Block[][] =>
    groupsOf(source).filter(([first]) => first?.label !== undefined);

  test.each(tested.filter((source) => labelled(source).length > 0))('%s has each with another', (source) => {
    for (const group of labelled(source)) {
      expect(group.length, `${source}:${group[0]?.line}`).toBeGreaterThan(1);
      expect(new Set(labelsOf(group)).size).toBe(group.length);
      expect(new Set(group.map(({ language }) => language)).size).toBe(1);
    }
  });

  test.each(written)('%s shows each group in tabs with its labels', (path, source) => {
    const tags = tagsOf(htmls.get(path) ?? '');
    const classed = (name: string): typeof tags =>
      tags.filter(({ attributes }) => attributes.get('class')?.split(' ').includes(name));
    const groups = labelled(source);
    expect(classed('vp-code-group')).toHaveLength(groups.length);
    expect(classed('tabs').map(({ attributes }) => attributes.get('role'))).toEqual(
      groups.map(() => 'radiogroup'),
    );
    const labels = tags.filter(({ name }) => name === 'label');
    expect(labels.flatMap(({ attributes }) => attributes.get('data-title') ?? [])).toEqual(
      groups.flatMap(labelsOf),
    );
    // A label names its radio button.
    const buttons = tags.filter(({ attributes }) => attributes.get('type') === 'radio');
    expect(labels.map(({ attributes }) => attributes.get('for'))).toEqual(
      buttons.map(({ attributes }) => attributes.get('id')),
    );
  });

  test('the first program of a guide that sends to a service is there for axios as well', () => {
    const guides = tested.filter((source) => source.startsWith('docs/guide/'));
    const alone = guides
      .flatMap((guide) => groupsOf(guide).slice(0, 1))
      .filter(([first]) => first?.code.includes("from '@ebb/fetch'") && first.code.includes('UPSTREAM_URL'))
      .filter((group) => !group.some(({ code }) => code.includes("from '@ebb/axios'")));
    expect(alone).toEqual([]);
  });

  test('the Markdown has no marks of VitePress', () => {
    const marked = globSync(['llms*.txt', '**/*.md'], { cwd: dist }).filter((path) =>
      /^:::/m.test(readFileSync(join(dist, path), 'utf8')),
    );
    expect(marked).toEqual([]);
  });
});

test('each page of the reference says since when its door exists, and what a user may rely on', () => {
  const doors = generated.filter((path) => !/index|namespaces/.test(path));
  expect(doors.filter((path) => !/Since<.*Stability</s.test(htmls.get(path) ?? ''))).toEqual([]);
});

describe('the blocks of the reference are signatures, or examples of docstrings, which a test compiles', () => {
  const sources = globSync('packages/*/src/**/*.ts', { exclude: ['**/*.test.ts', '**/*.test-d.ts'] });
  const docstrings = sources.map((path) => readFileSync(path, 'utf8').replace(/^ *\* ?/gm, '')).join('\n');
  // test/api/examples.test.ts compiles those after @example.
  const isExample = ({ code }: Block): boolean => docstrings.includes(`\`\`\`ts\n${code}\`\`\``);
  const isSignature = ({ code }: Block): boolean => !/^import\b/m.test(code);

  test.each(generated)('%s', (path) => {
    const blocks = blocksOf(join(stage, path.replace(/html$/, 'md')));
    expect(shown(path)).toBe(blocks.length);
    // A block of text is a drawing.
    const code = blocks.filter(({ language }) => language !== 'text');
    expect(
      code.filter((block) => block.language !== 'ts' || !(isSignature(block) || isExample(block))),
    ).toEqual([]);
  });
});

test('the home page has three lines for each client, then the programs of the first screen of README.md', () => {
  const codes = (page: string): string[] => blocksOf(page).map(({ code }) => code);
  const [fetch = '', axios = '', undici = '', ...others] = codes('docs/index.md');
  for (const code of [fetch, axios, undici]) expect(code.trim().split('\n').length).toBeLessThanOrEqual(4);
  expect(others.slice(0, 3)).toEqual(codes('README.md').slice(0, 3));
  // And the command of the picture.
  expect(others[3]?.trim()).toBe('npx -y pnpm@12 demo');
});
