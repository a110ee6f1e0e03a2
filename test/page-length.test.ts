import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// A page that grows past these bounds says something that another one says, or that no reader needs.
const IN_ALL = 34_490;
const OF_ONE = 1_100;
const LONGER: Readonly<Record<string, number>> = { 'CONTRIBUTING.md': 2_110 };

/** Written by programs: figures, the table of ports and answers of SDKs, which fold, and the API reports. */
const GENERATED = ['docs/figures.md', 'docs/ports.md', 'docs/sdks.md', 'docs/api/**'];

const pages = globSync(['*.md', 'docs/**/*.md', '{packages,examples}/*/README.md', 'examples/README.md'], {
  exclude: [...GENERATED, '{CHANGELOG,CODE_OF_CONDUCT}.md', 'docs/.vitepress/**', '**/node_modules/**'],
});

/** Further versions of a program: a reader reads one. */
const OTHER_CLIENT = /^```\w+ \[(?!fetch\])\w+\]\n.*?^```$/gms;

/** The words of a page, its programs and tables included. */
const wordsOf = (page: string): number =>
  readFileSync(page, 'utf8')
    .replace(OTHER_CLIENT, '')
    .split(/\s+/)
    .filter((word) => /[a-z\d]/i.test(word)).length;

test.each(pages)('%s is short enough to read', (page) => {
  expect(wordsOf(page)).toBeLessThanOrEqual(LONGER[page] ?? OF_ONE);
});

test('all pages together are, too', () => {
  expect(pages.reduce((sum, page) => sum + wordsOf(page), 0)).toBeLessThanOrEqual(IN_ALL);
});
