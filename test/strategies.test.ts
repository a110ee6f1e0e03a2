import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STUDIES } from '../packages/simulator/src/studies/studies.ts';
import { blocksOf, documentedPages } from './page-blocks.ts';

const HEADINGS = [
  'What it does',
  'When to use it',
  'When not',
  'Defaults',
  'The good path',
  'The bad path',
  'Figure',
  'A program',
  'See also',
];
const INDEX = 'docs/strategies/index.md';
const pages = globSync('docs/strategies/*.md').filter((page) => page !== INDEX);

/** The sections of a page by their headings. */
function sectionsOf(page: string): Map<string, string> {
  const [, ...parts] = readFileSync(page, 'utf8').split(/^## /m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n'))]));
}

function section(page: string, heading: string): string {
  return sectionsOf(page).get(heading) ?? '';
}

const IMAGE = /!\[(.*?)\]\((.*?)\)/g;

/** The finding of a figure, with plain quotation marks and spaces. */
function titleOf(figure: string): string {
  const [, title = ''] = /aria-label="(.*?)"/.exec(readFileSync(figure, 'utf8')) ?? [];
  return title.replaceAll('’', "'").replaceAll('\u00a0', ' ').replaceAll('&quot;', '"');
}

describe.each(pages)('%s', (page) => {
  test('has the headings of all strategies, in their order', () => {
    expect([...sectionsOf(page).keys()]).toEqual(HEADINGS);
  });

  test.each(['The good path', 'The bad path'])(
    '%s is a sequence diagram that can be read aloud',
    (heading) => {
      const diagrams = [...section(page, heading).matchAll(/^```mermaid\n(.*?)^```$/gms)].map(
        ([, code = '']) => code,
      );
      expect(diagrams).toHaveLength(1);
      expect(diagrams[0]).toMatch(/^sequenceDiagram\n {2}accTitle: .+\n {2}accDescr: .+\.\n/);
    },
  );

  test('has one figure, and the command that draws it', () => {
    const part = section(page, 'Figure');
    const [image, ...others] = [...part.matchAll(IMAGE)].map(([, , file = '']) => file);
    expect(others).toEqual([]);
    const [, study = ''] = /^npx -y pnpm@12 simulate (\S+)$/m.exec(part) ?? [];
    const drawn = STUDIES.find(({ name }) => name === study)?.figures;
    expect(drawn).toContain(basename(image ?? '', '.svg'));
  });

  test('has a program that says what it prints', () => {
    const programs = blocksOf(page).filter(({ language }) => language === 'ts');
    expect(programs.length).toBeGreaterThan(0);
    expect(programs.filter(({ prints }) => prints === undefined)).toEqual([]);
    expect(section(page, 'A program')).toContain('```ts\n');
  });

  test('is in the list of strategies', () => {
    expect(readFileSync(INDEX, 'utf8')).toContain(`](${basename(page)}) | `);
  });
});

const illustrated = documentedPages().filter((page) => page.startsWith('docs/'));

test.each(illustrated)('%s describes each figure by its finding', (page) => {
  for (const [, said = '', file = ''] of readFileSync(page, 'utf8').matchAll(IMAGE)) {
    if (!file.includes('simulator/figures/')) continue;
    const title = titleOf(join(dirname(page), file));
    expect(title.startsWith(said), `${said}: the title of ${file} is ${title}`).toBe(true);
  }
});
