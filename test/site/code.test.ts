import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Block, blocksOf, documentedPages } from '../page-blocks.ts';
import { htmls, stage } from './built.ts';

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

test('the home page has the programs of the first screen of README.md', () => {
  const first = (page: string): string[] =>
    blocksOf(page)
      .slice(0, 3)
      .map(({ code }) => code);
  // And the command of the picture.
  expect(blocksOf('docs/index.md').map(({ code }) => code.trim())[3]).toBe('npx -y pnpm@12 demo');
  expect(first('docs/index.md')).toEqual(first('README.md'));
});
